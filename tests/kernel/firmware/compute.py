def computed(numbers):
    out, table, total, root = [0] * 64, [0] * 16, 0, 0.0
    for k, n in enumerate(numbers):
        table[n % 16] += k
        total += n * (k + 1)
        root += 0.5 * k if n % 3 == 0 else 0
        out[k % 8] = (out[(k + 1) % 8] + n) % 2**32
    out[8:24] = table
    out[24:27] = [total % 2**32, total >> 32 & 0xffffffff, int(root)]
    out[32:48] = [collatz(n % 1000 + 1) for n in numbers[:16]]
    return out


def collatz(n):
    steps = 0
    while n > 1:
        n = 3 * n + 1 if n & 1 else n // 2
        steps += 1
    return steps
