def decompose(m):
    n = 24
    m = [m[k] + (40 if k // n == k % n else 0) for k in range(n * n)]
    for k in range(n - 1):
        for y in range(k + 1, n):
            m[y * n + k] /= m[k * n + k]
        for y in range(k + 1, n):
            for x in range(k + 1, n):
                m[y * n + x] -= m[y * n + k] * m[k * n + x]
    return m


def trace_of(m):
    d = [m[k * 24 + k] if k < 24 else 0.0 for k in range(32)]
    for step in (16, 8, 4, 2, 1):
        d = [d[k] + d[k ^ step] for k in range(32)]
    return d[0]
