"""Where mma has its elements (PTX ISA, "Matrix Fragments for mma"), written as the tables there: element i of a lane with number t in
group g; and D = A * B + C, in fractions, rounded once (.f64: fused steps in order of k)."""
import struct
from fractions import Fraction


def first(i, size):
    """The first of two blocks of `size` that follow each other again and again."""
    return i // size % 2 == 0


# (row, column) of element i of A; (row, column) of B; how many elements a lane has of each; bits of an element
TABLES = {
    "m16n8k8.16": (lambda g, t, i: (g if i < 2 else g + 8, t * 2 + i % 2), lambda g, t, i: (t * 2 + i % 2, g), 4, 2),
    "m16n8k16.16": (lambda g, t, i: (g if first(i, 2) else g + 8, t * 2 + i % 2 + (8 if i >= 4 else 0)),
                    lambda g, t, i: (t * 2 + i % 2 + (8 if i >= 2 else 0), g), 8, 4),
    "m16n8k4.32": (lambda g, t, i: (g if i == 0 else g + 8, t), lambda g, t, i: (t, g), 2, 1),
    "m16n8k8.32": (lambda g, t, i: (g if i in (0, 2) else g + 8, t if i in (0, 1) else t + 4), lambda g, t, i: (t if i == 0 else t + 4, g), 4, 2),
    "m8n8k4.64": (lambda g, t, i: (g, t), lambda g, t, i: (t, g), 1, 1),
    "m16n8k8.64": (lambda g, t, i: (g if i in (0, 2) else g + 8, t if i in (0, 1) else t + 4), lambda g, t, i: (t if i == 0 else t + 4, g), 4, 2),
    "m16n8k16.64": (lambda g, t, i: (g if i % 2 == 0 else g + 8, i * 2 + t if i % 2 == 0 else i * 2 - 2 + t), lambda g, t, i: (t + i * 4, g), 8, 4),
    "m8n8k16.8": (lambda g, t, i: (g, t * 4 + i), lambda g, t, i: (t * 4 + i, g), 4, 4),
    "m16n8k16.8": (lambda g, t, i: (g if i < 4 else g + 8, t * 4 + i % 4), lambda g, t, i: (t * 4 + i % 4, g), 8, 4),
    "m16n8k32.8": (lambda g, t, i: (g if first(i, 4) else g + 8, t * 4 + i % 4 + (16 if i >= 8 else 0)),
                   lambda g, t, i: (t * 4 + i % 4 + (16 if i >= 4 else 0), g), 16, 8),
    "m8n8k32.4": (lambda g, t, i: (g, t * 8 + i), lambda g, t, i: (t * 8 + i, g), 8, 8),
    "m16n8k32.4": (lambda g, t, i: (g if i < 8 else g + 8, t * 8 + i % 8), lambda g, t, i: (t * 8 + i % 8, g), 16, 8),
    "m16n8k64.4": (lambda g, t, i: (g if first(i, 8) else g + 8, t * 8 + i % 8 + (32 if i >= 16 else 0)),
                   lambda g, t, i: (t * 8 + i % 8 + (32 if i >= 8 else 0), g), 32, 16),
    "m8n8k128.1": (lambda g, t, i: (g, t * 32 + i), lambda g, t, i: (t * 32 + i, g), 32, 32),
    "m16n8k128.1": (lambda g, t, i: (g if i < 32 else g + 8, t * 32 + i % 32), lambda g, t, i: (t * 32 + i % 32, g), 64, 32),
    "m16n8k256.1": (lambda g, t, i: (g if first(i, 32) else g + 8, t * 32 + i % 32 + (128 if i >= 64 else 0)),
                    lambda g, t, i: (t * 32 + i % 32 + (128 if i >= 32 else 0), g), 128, 64),
}


def volta(opcode, a, b, c):
    """m8n8k4 of f16 ("Matrix Fragments for mma.m8n8k4"): four products, of lanes 0-3 with 16-19, 4-7 with 20-23 and so on."""
    layouts, (d_kind, _, _, c_kind) = opcode.split(".")[1:3], opcode.split(".")[3:]

    def factor_a(lane, i):
        return (lane % 4 + (0 if lane < 16 else 4), i) if layouts[0] == "row" else (i + (0 if lane < 16 else 4), lane % 4)

    def factor_b(lane, i):
        return (lane % 4, i + (0 if lane < 16 else 4)) if layouts[1] == "row" else (i, lane % 4 + (0 if lane < 16 else 4))

    def sum_place(kind, lane, i):
        if kind == "f16":
            return (lane % 4 + (0 if lane < 16 else 4), i)
        return ((lane & 1) + (i & 2) + (0 if lane < 16 else 4), (i & 4) + (lane & 2) + (i & 1))

    result = [None] * 256
    for product in range(4):
        lanes = [lane for lane in range(32) if lane // 4 % 4 == product]
        left = {factor_a(lane, i): Fraction(a[4 * lane + i]) for lane in lanes for i in range(4)}
        right = {factor_b(lane, i): Fraction(b[4 * lane + i]) for lane in lanes for i in range(4)}
        before = {sum_place(c_kind, lane, i): Fraction(c[8 * lane + i]) for lane in lanes for i in range(8)}
        assert len(left) == len(right) == 32 and len(before) == 64
        for lane in lanes:
            for i in range(8):
                row, column = sum_place(d_kind, lane, i)
                value = before[row, column] + sum(left[row, k] * right[k, column] for k in range(4))
                result[8 * lane + i] = rounded(d_kind, value)
    return result


BITS = {"f16": 16, "bf16": 16, "tf32": 32, "f64": 64, "s8": 8, "u8": 8, "s4": 4, "u4": 4, "b1": 1}


def sums(g, t, i):
    """C and D have the same place for all types."""
    return (g if i < 2 else g + 8, t * 2 + i % 2)


def elements(kind, values):
    """What a lane's registers hold, as numbers, from the buffer's values."""
    if kind == "bf16":
        return [Fraction(struct.unpack("<f", struct.pack("<I", v << 16))[0]) for v in values]
    if kind == "tf32":
        return [Fraction(struct.unpack("<f", struct.pack("<I", struct.unpack("<I", struct.pack("<f", v))[0] & 0xffffe000))[0]) for v in values]
    if kind in ("f16", "f32", "f64"):
        return [Fraction(v) for v in values]
    if kind in ("s4", "u4", "b1"):
        bits = BITS[kind]
        parts = [v >> k & (1 << bits) - 1 for v in values for k in range(0, 32, bits)]
        return [p - 16 if kind == "s4" and p > 7 else p for p in parts]
    return list(values)


def matrix(table, count, kind, values):
    numbers = elements(kind, values)
    return {table(lane // 4, lane % 4, i): numbers[lane * count + i] for lane in range(32) for i in range(count)}


def rounded(kind, value):
    if kind == "f64":
        return float(value)
    nearest = float(value)
    return struct.unpack("<e" if kind == "f16" else "<f", struct.pack("<e" if kind == "f16" else "<f", nearest))[0]


def product(opcode, a, b, c):
    words = opcode.split(".")
    d_kind, a_kind, b_kind, c_kind = [w for w in words[3:] if w in BITS or w in ("f32", "s32")]
    a_table, b_table, a_count, b_count = TABLES[f"{words[0]}.{BITS[a_kind]}"]
    left, right = matrix(a_table, a_count, a_kind, a), matrix(b_table, b_count, b_kind, b)
    count = len(c) // 32
    before = matrix(sums, count, c_kind, c)
    depth = max(column for _, column in left) + 1
    result = []
    for lane in range(32):
        for i in range(count):
            row, column = sums(lane // 4, lane % 4, i)
            value = before[row, column]
            for k in range(depth):
                x, y = left[row, k], right[k, column]
                value += (x ^ y if "xor" in words else x & y) if a_kind == "b1" else x * y
                if d_kind == "f64":
                    value = Fraction(float(value))
            if "satfinite" in words:
                value = min(max(value, -1 << 31), (1 << 31) - 1)
            result.append(value if d_kind == "s32" else rounded(d_kind, value))
    return result
