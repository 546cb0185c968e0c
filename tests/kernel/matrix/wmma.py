"""Products of matrices in memory, in fractions, rounded once (.f64: fused steps in order of k)."""
import struct
from fractions import Fraction


def number(kind, values, index):
    if kind == "bf16":
        return Fraction(struct.unpack("<f", struct.pack("<I", values[index] << 16))[0])
    if kind == "tf32":
        bits = struct.unpack("<I", struct.pack("<f", values[index]))[0]
        return Fraction(struct.unpack("<f", struct.pack("<I", bits & 0xffffe000))[0])
    if kind == "s4":
        part = values[index // 8] >> index % 8 * 4 & 15
        return part - 16 if part > 7 else part
    if kind == "b1":
        return values[index // 32] >> index % 32 & 1
    return Fraction(values[index])


def at(layout, stride, row, column):
    return row * stride + column if layout == "row" else column * stride + row


def product(shape, kind, sum_kind, a, b, c, d):
    (a, a_layout, a_stride), (b, b_layout, b_stride), (c, c_layout, c_stride), (layout, stride, count) = a, b, c, d
    result = [0] * count
    for row in range(shape[0]):
        for column in range(shape[1]):
            value = Fraction(c[at(c_layout, c_stride, row, column)])
            for k in range(shape[2]):
                x, y = number(kind, a, at(a_layout, a_stride, row, k)), number(kind, b, at(b_layout, b_stride, k, column))
                value += x ^ y if kind == "b1" else x * y
                if sum_kind == "f64":
                    value = Fraction(float(value))
            form = {"f16": "<e", "f32": "<f"}.get(sum_kind)
            place = at(layout, stride, row, column)
            result[place] = int(value) if sum_kind == "s32" else float(value) if not form else struct.unpack(form, struct.pack(form, float(value)))[0]
    return result
