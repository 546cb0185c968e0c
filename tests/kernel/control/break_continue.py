def loop(t):
    total = k = 0
    while k < 64:
        if k % 3 != t % 3:
            if k * k > 5 * t:
                break
            total += k
            if total > 300:
                total += 1000
                break
        k += 1
    return k << 16 | total
