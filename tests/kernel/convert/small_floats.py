"""Small floats by their values: the nearest one is looked for among all."""
import math
import struct


class Format:
    def __init__(self, exponent, mantissa, top):
        """top: the largest number's code, without the sign."""
        self.sign, bias = 1 << (exponent + mantissa), (1 << (exponent - 1)) - 1
        self.values = [(1 + c % (1 << mantissa) / (1 << mantissa)) * 2.0 ** ((c >> mantissa) - bias) if c >> mantissa
                       else c / (1 << mantissa) * 2.0 ** (1 - bias) for c in range(top + 1)]

    def code(self, x):
        best = min(range(len(self.values)), key=lambda c: (abs(self.values[c] - abs(x)), c & 1))
        return best | (self.sign if math.copysign(1, x) < 0 else 0)

    def value(self, code):
        return math.copysign(self.values[code & (self.sign - 1)], -1 if code & self.sign else 1)


E4M3, E5M2, E2M3, E3M2, E2M1 = Format(4, 3, 0x7e), Format(5, 2, 0x7b), Format(2, 3, 0x1f), Format(3, 2, 0x1f), Format(2, 1, 7)


def single(x):
    return struct.unpack("<f", struct.pack("<f", x))[0]


def half(x):
    return struct.unpack("<e", struct.pack("<e", x))[0]


def half_bits(x):
    return struct.unpack("<H", struct.pack("<e", x))[0]


def positive(x):
    return x if x > 0 else 0.0


def exponent(x):
    """Of the power of two at or above a magnitude, biased."""
    fraction, power = math.frexp(abs(x))
    return power + 126 + (fraction != 0.5)


def narrowed(a):
    b, both = single(a / 32), lambda code: code(a) << 8 | code(single(a / 32))
    return [both(E4M3.code), both(lambda x: E5M2.code(positive(x))), both(E2M3.code), both(E3M2.code), E2M1.code(a) << 4 | E2M1.code(b),
            both(lambda x: E4M3.code(half(x))), both(exponent)]


def widened(words):
    def pair(word, format, bits=8):
        return half_bits(format.value(word >> bits)) << 16 | half_bits(format.value(word & ((1 << bits) - 1)))
    relu = half_bits(positive(E2M3.value(words[2] >> 8))) << 16 | half_bits(positive(E2M3.value(words[2] & 255)))
    return [pair(words[0], E4M3), pair(words[1], E5M2), relu, pair(words[3], E3M2), pair(words[4], E2M1, 4), (words[6] >> 8) << 23 | (words[6] & 255) << 7]
