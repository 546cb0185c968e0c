def result(t):
    a, b = t, 1
    for k in range(10):
        a, b = u64(a * 6364136223846793005 + b), u32(a >> 33) ^ k
    return [a, b, math.gcd(a, 720720), math.gcd(1 << t // 2, 1 << 20)][t % 4]
