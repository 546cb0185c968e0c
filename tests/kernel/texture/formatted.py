import struct


def half(value):
    """To the nearest 16-bit float, infinity beyond the last."""
    try:
        return struct.unpack("<e", struct.pack("<e", value))[0]
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def bytes_written():
    out = [7] * 64
    for t in range(8, 24):
        out[4 * (t - 8):4 * (t - 8) + 4] = [min(int(values[t]) & 0x1ff, 255), t, 255, 255]
    return out


def shorts_written():
    out = [7] * 128
    for t in range(32):
        x, y = t % 8, t // 4
        out[2 * (8 * y + x):2 * (8 * y + x) + 2] = [max(-32768, min(32767, int(values[t]) * 256)), 0]
    return out


def halves_written():
    out = [1.0] * 96
    for t in range(16):
        x, y, z = t % 4, t // 4 % 2, t // 8
        at = 4 * ((z * 3 + y) * 4 + x)
        out[at:at + 4] = [half(values[t]), half(-values[t]), 1.0, half(65536.0)]
    return out


def singles_written():
    """Of the lanes that come to one place the highest is what stays."""
    out = [7.0] * 64
    for t in range(32):
        out[8 * (t // 16) + min(t % 16, 7)] = values[t]
    return out
