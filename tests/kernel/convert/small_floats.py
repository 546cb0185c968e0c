"""Floats of 8 bits, by their definitions: the nearest of all codes, the even one of two that are equally near."""
import struct


def values(exponent_bits, mantissa_bits, last):
    """The value of each code without a sign, up to `last`."""
    bias, codes = 2 ** (exponent_bits - 1) - 1, []
    for code in range(last + 1):
        exponent, mantissa = code >> mantissa_bits, code & (2 ** mantissa_bits - 1)
        codes.append((mantissa / 2 ** mantissa_bits + (exponent > 0)) * 2.0 ** (max(exponent, 1) - bias))
    return codes


E4M3, E5M2 = values(4, 3, 0x7e), values(5, 2, 0x7b)


def nearest(x, codes):
    code = min(range(len(codes)), key=lambda k: (abs(codes[k] - abs(x)), k % 2))
    return code | (0x80 if struct.pack("<f", x)[3] & 0x80 else 0)


def half(x):
    return struct.unpack("<H", struct.pack("<e", x))[0]


def both(x, one):
    return one(x[1]) << 8 * (2 if one is half else 1) | one(x[0])


def column(k, x):
    as_e5m2 = [E5M2[nearest(v, E5M2) & 0x7f] * (-1 if v < 0 else 1) for v in x]
    if k == 0:
        return both(x, lambda v: nearest(v, E4M3))
    if k == 1:
        return both(x, lambda v: nearest(v, E5M2))
    if k == 2:
        return both(as_e5m2, half)
    if k == 3:
        return both(x, half)
    rounded = [struct.unpack("<e", struct.pack("<e", v))[0] for v in x]
    return both(rounded, lambda v: nearest(max(v, 0.0), E4M3))
