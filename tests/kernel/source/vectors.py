def f32(x):
    return struct.unpack("<f", struct.pack("<f", x))[0]


def blended(t, a, bytes_):
    v, b = a[4 * t:4 * t + 4], bytes_[4 * t:4 * t + 4]
    # 2 v is exact, so a fused and a separate subtraction agree.
    w = [f32(2 * v[3 - k] - b[k]) for k in range(4)]
    w[1], w[3] = w[3], w[1]
    return [v[k] if v[k] > 0 else w[k] for k in range(4)]


def packed_bytes(t, bytes_):
    b = bytes_[4 * t:4 * t + 4]
    return [t, b[0] ^ b[1], b[1] + b[2], b[2] & b[3]]
