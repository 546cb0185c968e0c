P1, P2, P3, P4, P5 = 0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5


def rotate(x, n):
    return u64(x << n | u64(x) >> 64 - n)


def mix(total, word):
    return u64(rotate(u64(total + word * P2), 31) * P1)


def xxhash(text):
    n, at, h = len(text), 0, P5
    word = lambda k, size=8: int.from_bytes(text[k:k + size], "little")
    if n >= 32:
        a, b, c, d = u64(P1 + P2), P2, 0, u64(-P1)
        while n - at >= 32:
            a, b, c, d = mix(a, word(at)), mix(b, word(at + 8)), mix(c, word(at + 16)), mix(d, word(at + 24))
            at += 32
        h = u64(rotate(a, 1) + rotate(b, 7) + rotate(c, 12) + rotate(d, 18))
        for x in (a, b, c, d):
            h = u64((h ^ mix(0, x)) * P1 + P4)
    h = u64(h + n)
    while n - at >= 8:
        h = u64(rotate(h ^ mix(0, word(at)), 27) * P1 + P4)
        at += 8
    if n - at >= 4:
        h = u64(rotate(h ^ u64(word(at, 4) * P1), 23) * P2 + P3)
        at += 4
    for k in range(at, n):
        h = u64(rotate(h ^ u64(text[k] * P5), 11) * P1)
    h = u64((h ^ h >> 33) * P2)
    h = u64((h ^ h >> 29) * P3)
    return h ^ h >> 32


def soup(t, data):
    h = xxhash(bytes(data[64 * t:64 * t + t % 65]))
    x, carry, total = h, 1, 0
    for _ in range(20):
        product = x * 0xFEB344657C0AF413
        whole = product + carry
        x, carry = u64(whole), whole >> 64
        lowest = (x & -x).bit_length()
        total = u64(total * 3 + popcount(x) * leading_zeros(x | 1, 64) + x % 1000003 + quotient(s64(x), 12345) + lowest + (reverse(x, 64) >> 60))
    return [h, x ^ carry, total]
