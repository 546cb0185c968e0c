"""What PTX instructions mean, in exact Python: the witness against which the kernel tests are judged.

Integers are plain Python integers; u32(x), s16(x) ... cut them to a type.  Floats are bit patterns (integers) of one of the formats
F16 BF16 F32 F64 and are computed on as exact fractions, rounded once.  Nothing here is shared with the simulator.

A function may return an object instead of a number where the ISA leaves a choice: AnyNaN, OneOf, Near, ANY."""
import functools
import itertools
import math
import operator
import struct
from fractions import Fraction


# ---- Integers ----

def unsigned(bits):
    mask = (1 << bits) - 1
    return lambda value: int(value) & mask


def signed(bits):
    half = 1 << (bits - 1)
    mask = (1 << bits) - 1
    return lambda value: ((int(value) + half) & mask) - half


u8, u16, u32, u64, u128 = (unsigned(n) for n in (8, 16, 32, 64, 128))
s8, s16, s32, s64, s128 = (signed(n) for n in (8, 16, 32, 64, 128))
INTEGER = {"u8": u8, "u16": u16, "u32": u32, "u64": u64, "s8": s8, "s16": s16, "s32": s32, "s64": s64,
           "b8": u8, "b16": u16, "b32": u32, "b64": u64}


def bits_of(name):
    return int(name[1:])


def clamp(value, low, high):
    return max(low, min(high, value))


def low_high(name):
    """The smallest and the largest value of an integer type."""
    n = bits_of(name)
    return (-(1 << (n - 1)), (1 << (n - 1)) - 1) if name[0] == "s" else (0, (1 << n) - 1)


def saturate(value, name):
    return clamp(value, *low_high(name))


def quotient(a, b):
    """Division that rounds towards zero, as C and PTX do it."""
    q = abs(a) // abs(b)
    return q if (a < 0) == (b < 0) else -q


def remainder(a, b):
    return a - b * quotient(a, b)


def popcount(x):
    return bin(x).count("1")


def leading_zeros(x, bits):
    return bits - x.bit_length()


def reverse(x, bits):
    return int(format(x, f"0{bits}b")[::-1], 2)


# ---- Where the ISA leaves a choice ----

class Choice:
    def allows(self, actual):
        raise NotImplementedError


class Anything(Choice):
    def allows(self, actual):
        return True

    def __repr__(self):
        return "anything"


ANY = Anything()


class OneOf(Choice):
    def __init__(self, *values):
        self.values = values

    def allows(self, actual):
        return any(v.allows(actual) if isinstance(v, Choice) else v == actual for v in self.values)

    def __repr__(self):
        return "one of " + ", ".join(map(show, self.values))


class AnyNaN(Choice):
    """A bit pattern that is not a number, whatever its sign and payload."""

    def __init__(self, form):
        self.form = form

    def allows(self, actual):
        return isinstance(actual, int) and self.form.is_nan(actual)

    def __repr__(self):
        return "any NaN"


class Near(Choice):
    """A number no further from `value` than the given absolute or relative error (whichever allows more)."""

    def __init__(self, value, relative=0.0, absolute=0.0):
        self.value, self.error = value, max(abs(value) * relative, absolute)

    def allows(self, actual):
        return isinstance(actual, (int, float)) and math.isfinite(actual) and abs(actual - self.value) <= self.error

    def __repr__(self):
        return f"{self.value!r} +- {self.error:.3g}"


def show(value):
    return f"{value} (0x{value:x})" if isinstance(value, int) and value >= 0 else repr(value)


# ---- Floats ----

class Format:
    """A binary floating-point format: `bits` wide, `digits` bits of significand including the hidden one."""

    def __init__(self, name, bits, digits, nan, pack=None):
        self.name, self.bits, self.digits, self.pack = name, bits, digits, pack
        exponent_bits = bits - digits
        self.sign = 1 << (bits - 1)
        self.bias = (1 << (exponent_bits - 1)) - 1
        self.least = 1 - self.bias - (digits - 1)       # exponent of the smallest subnormal
        self.inf = ((1 << exponent_bits) - 1) << (digits - 1)
        self.largest = self.inf - 1
        self.smallest_normal = 1 << (digits - 1)
        self.nan = nan                                  # the canonical NaN, or None where the ISA names none

    def is_nan(self, x):
        return (x & ~self.sign) > self.inf

    def is_inf(self, x):
        return (x & ~self.sign) == self.inf

    def is_zero(self, x):
        return (x & ~self.sign) == 0

    def is_subnormal(self, x):
        return 0 < (x & ~self.sign) < self.smallest_normal

    def is_negative(self, x):
        return bool(x & self.sign)

    def flush(self, x):
        return x & self.sign if self.is_subnormal(x) else x

    def value(self, x):
        """The exact value of a finite pattern."""
        magnitude = x & ~self.sign
        exponent, fraction = magnitude >> (self.digits - 1), magnitude & (self.smallest_normal - 1)
        if exponent:
            fraction |= self.smallest_normal
        result = Fraction(fraction) * Fraction(2) ** (self.least + max(exponent, 1) - 1)
        return -result if x & self.sign else result

    def number(self, x):
        """As a Python float, NaN and infinities included."""
        if self.is_nan(x):
            return math.nan
        if self.is_inf(x):
            return -math.inf if x & self.sign else math.inf
        return math.copysign(float(self.value(x)), -1.0 if x & self.sign else 1.0)

    def canonical(self):
        return AnyNaN(self) if self.nan is None else self.nan

    def round(self, value, mode="rn", negative_zero=False):
        """The pattern nearest to an exact value in the given direction: rn rz rm rp rna (ties away from zero)."""
        value = Fraction(value)
        if value == 0:
            return self.sign if negative_zero else 0
        sign = self.sign if value < 0 else 0
        magnitude = abs(value)
        # The weight of the last digit kept.
        exponent = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
        if Fraction(2) ** exponent > magnitude:
            exponent -= 1
        last = max(exponent - (self.digits - 1), self.least)
        scaled = magnitude / Fraction(2) ** last
        whole = scaled.numerator // scaled.denominator
        rest = scaled - whole
        if rest and (mode == "rp" and not sign or mode == "rm" and sign or mode == "rna" and rest >= Fraction(1, 2)
                     or mode == "rn" and (rest > Fraction(1, 2) or rest == Fraction(1, 2) and whole & 1)):
            whole += 1
        # A carry out of the significand moves on into the exponent by itself.
        pattern = whole + ((last - self.least) << (self.digits - 1)) if whole >= self.smallest_normal else whole
        if pattern >= self.inf:
            away = mode in ("rn", "rna") or mode == "rp" and not sign or mode == "rm" and sign
            pattern = self.inf if away else self.largest
        return sign | pattern

    def finish(self, value, mode="rn", ftz=False, sat=False, negative_zero=False):
        """Rounds the exact result of an instruction with its modifiers."""
        if sat:
            value = clamp(value, 0, 1)
            negative_zero = False
        result = self.round(value, mode, negative_zero)
        if ftz and 0 < abs(value) < self.value(self.smallest_normal):
            flushed = result & self.sign
            # The ISA does not say whether what rounds up to the smallest normal number was subnormal.
            return flushed if self.is_subnormal(result) or not result & ~self.sign else OneOf(flushed, result)
        return result


F16 = Format("f16", 16, 11, None, "e")
BF16 = Format("bf16", 16, 8, None)
F32 = Format("f32", 32, 24, 0x7FFFFFFF, "f")
F64 = Format("f64", 64, 53, None, "d")
FORMATS = {"f16": F16, "bf16": BF16, "f32": F32, "f64": F64}


def bits32(number):
    return struct.unpack("<I", struct.pack("<f", number))[0]


def bits64(number):
    return struct.unpack("<Q", struct.pack("<d", number))[0]


def bits16(number):
    return F16.round(Fraction(number)) if math.isfinite(number) else F16.inf | (F16.sign if number < 0 else 0)


def prepare(form, ftz, *operands):
    return [form.flush(x) if ftz else x for x in operands]


def infinity(form, negative, sat):
    """An infinite result with its modifiers."""
    if sat:
        return 0 if negative else form.round(1)
    return form.inf | (form.sign if negative else 0)


def not_a_number(form, sat):
    return 0 if sat else form.canonical()


def fadd(form, a, b, mode="rn", ftz=False, sat=False):
    a, b = prepare(form, ftz, a, b)
    if form.is_nan(a) or form.is_nan(b) or form.is_inf(a) and form.is_inf(b) and a != b:
        return not_a_number(form, sat)
    if form.is_inf(a) or form.is_inf(b):
        return infinity(form, form.is_negative(a if form.is_inf(a) else b), sat)
    negative_zero = form.is_negative(a) and form.is_negative(b) if form.is_zero(a) and form.is_zero(b) and (a == b) else mode == "rm"
    return form.finish(form.value(a) + form.value(b), mode, ftz, sat, negative_zero)


def fsub(form, a, b, mode="rn", ftz=False, sat=False):
    return fadd(form, a, b if form.is_nan(b) else b ^ form.sign, mode, ftz, sat)


def fmul(form, a, b, mode="rn", ftz=False, sat=False):
    a, b = prepare(form, ftz, a, b)
    negative = form.is_negative(a) != form.is_negative(b)
    if form.is_nan(a) or form.is_nan(b) or form.is_inf(a) and form.is_zero(b) or form.is_zero(a) and form.is_inf(b):
        return not_a_number(form, sat)
    if form.is_inf(a) or form.is_inf(b):
        return infinity(form, negative, sat)
    return form.finish(form.value(a) * form.value(b), mode, ftz, sat, negative)


def ffma(form, a, b, c, mode="rn", ftz=False, sat=False):
    a, b, c = prepare(form, ftz, a, b, c)
    negative = form.is_negative(a) != form.is_negative(b)
    if any(map(form.is_nan, (a, b, c))) or form.is_inf(a) and form.is_zero(b) or form.is_zero(a) and form.is_inf(b):
        return not_a_number(form, sat)
    if form.is_inf(a) or form.is_inf(b):
        if form.is_inf(c) and form.is_negative(c) != negative:
            return not_a_number(form, sat)
        return infinity(form, negative, sat)
    if form.is_inf(c):
        return infinity(form, form.is_negative(c), sat)
    product, addend = form.value(a) * form.value(b), form.value(c)
    negative_zero = negative if product == 0 and addend == 0 and negative == form.is_negative(c) else mode == "rm"
    return form.finish(product + addend, mode, ftz, sat, negative_zero)


def fdiv(form, a, b, mode="rn", ftz=False):
    a, b = prepare(form, ftz, a, b)
    negative = form.is_negative(a) != form.is_negative(b)
    sign = form.sign if negative else 0
    if form.is_nan(a) or form.is_nan(b) or form.is_zero(a) and form.is_zero(b) or form.is_inf(a) and form.is_inf(b):
        return form.canonical()
    if form.is_inf(a) or form.is_zero(b):
        return form.inf | sign
    if form.is_zero(a) or form.is_inf(b):
        return sign
    return form.finish(form.value(a) / form.value(b), mode, ftz)


def frcp(form, a, mode="rn", ftz=False):
    return fdiv(form, form.round(1), a, mode, ftz)


def fsqrt(form, a, mode="rn", ftz=False):
    a, = prepare(form, ftz, a)
    if form.is_nan(a) or form.is_negative(a) and not form.is_zero(a):
        return form.canonical()
    if form.is_zero(a) or form.is_inf(a):
        return a
    value = form.value(a)
    # Enough digits below the last one kept, and one more that says whether anything was cut off.
    shift = 2 * (form.digits + 4 - form.least)
    scaled = (value.numerator << shift) // value.denominator
    root = math.isqrt(scaled)
    exact = root * root == scaled and (value.numerator << shift) % value.denominator == 0
    return form.finish(Fraction(2 * root + (0 if exact else 1), 1 << (shift // 2 + 1)), mode, ftz)


def order(form, a, b):
    """-1, 0 or 1, or None when one is a NaN."""
    if form.is_nan(a) or form.is_nan(b):
        return None
    x, y = form.number(a), form.number(b)
    return (x > y) - (x < y)


def fmin(form, a, b, ftz=False, nan=False, largest=False, xorsign=False, canonical=True):
    a, b = prepare(form, ftz, a, b)
    sign = (a ^ b) & form.sign
    if xorsign:
        a, b = a & ~form.sign, b & ~form.sign
    quiet = (form.nan if form.nan is not None else (0x7FFF if form.bits == 16 else AnyNaN(form))) if canonical else AnyNaN(form)
    if form.is_nan(a) and form.is_nan(b) or nan and (form.is_nan(a) or form.is_nan(b)):
        return quiet
    if form.is_nan(a) or form.is_nan(b):
        result = b if form.is_nan(a) else a
    else:
        def key(x):     # -0.0 is below +0.0
            return (form.number(x), not form.is_negative(x))
        result = (max if largest else min)(a, b, key=key)
    return result & ~form.sign | sign if xorsign else result


def fmax(form, a, b, **modifiers):
    return fmin(form, a, b, largest=True, **modifiers)


COMPARISONS = {"eq": (0,), "ne": (-1, 1), "lt": (-1,), "le": (-1, 0), "gt": (1,), "ge": (0, 1),
               "lo": (-1,), "ls": (-1, 0), "hi": (1,), "hs": (0, 1)}


def compare(name, a, b):
    """An integer comparison: 1 or 0."""
    return int((a > b) - (a < b) in COMPARISONS[name])


def fcompare(form, name, a, b, ftz=False):
    a, b = prepare(form, ftz, a, b)
    outcome = order(form, a, b)
    if name in ("num", "nan"):
        return int((outcome is None) == (name == "nan"))
    if outcome is None:
        return int(name.endswith("u") and name != "u")
    return int(outcome in COMPARISONS[name[:-1] if name in ("equ", "neu", "ltu", "leu", "gtu", "geu") else name])


# ---- Conversions ----

def whole(value, mode):
    """Rounds an exact value to an integer: rni rzi rmi rpi."""
    floor = math.floor(value)
    rest = value - floor
    if mode == "rmi" or mode == "rzi" and value >= 0 or rest == 0:
        return floor
    if mode in ("rpi", "rzi"):
        return floor + 1
    return floor + (rest > Fraction(1, 2) or rest == Fraction(1, 2) and floor & 1)


def float_to_int(form, x, name, mode, ftz=False):
    """Out-of-range values go to the nearest end of the type; a NaN to 0, or to 1 << 63 where one side has 64 bits."""
    x, = prepare(form, ftz, x)
    wide = form.bits == 64 or bits_of(name) == 64
    if form.is_nan(x):
        return INTEGER[name](1 << (bits_of(name) - 1)) if wide else 0
    if form.is_inf(x):
        return low_high(name)[0 if form.is_negative(x) else 1]
    return saturate(whole(form.value(x), mode), name)


def int_to_float(value, form, mode="rn"):
    return form.round(value, mode)


def float_to_float(source, x, form, mode="rn", ftz=False, sat=False, relu=False):
    if ftz:
        x = source.flush(x)
    if source.is_nan(x):
        if relu and form.bits == 16:
            return 0x7FFF
        return 0 if sat else AnyNaN(form)
    if source.is_inf(x):
        return 0 if relu and source.is_negative(x) else infinity(form, source.is_negative(x), sat)
    if relu and source.is_negative(x):
        return 0
    return form.finish(source.value(x), mode, ftz and form.name == "f32", sat, source.is_negative(x))


def float_to_whole_float(form, x, mode, ftz=False, sat=False):
    """cvt.rni.f32.f32 and its like: an integral value in the same format, the sign of zero kept."""
    x, = prepare(form, ftz, x)
    if form.is_nan(x):
        return 0 if sat else AnyNaN(form)
    if form.is_inf(x):
        return infinity(form, form.is_negative(x), sat)
    value = whole(form.value(x), mode)
    if sat:
        value = clamp(value, 0, 1)
    return form.round(value, "rn", form.is_negative(x) and not sat)


# ---- Packed values ----

def halves(x):
    return x & 0xFFFF, x >> 16


def pack16(low, high):
    """Two halves in a word; a choice in one of them makes a choice of the word."""
    if isinstance(low, Choice) or isinstance(high, Choice):
        return Halves(low, high)
    return low & 0xFFFF | (high & 0xFFFF) << 16


class Halves(Choice):
    def __init__(self, low, high):
        self.parts = low, high

    def allows(self, actual):
        return all(p.allows(a) if isinstance(p, Choice) else p == a for p, a in zip(self.parts, halves(actual)))

    def __repr__(self):
        return "low {}, high {}".format(*map(show, self.parts))


def bytes_of(x, count=4):
    return [x >> 8 * k & 0xFF for k in range(count)]


def from_bytes(values):
    return sum((v & 0xFF) << 8 * k for k, v in enumerate(values))


def each_half(function, *words):
    """Applies `function` to the low and to the high halves of its words."""
    parts = [halves(w) for w in words]
    return pack16(function(*(p[0] for p in parts)), function(*(p[1] for p in parts)))


# ---- Random buffers, as the command line fills them ----

def splitmix64(state):
    while True:
        state = state + 0x9E3779B97F4A7C15 & 0xFFFFFFFFFFFFFFFF
        z = state
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & 0xFFFFFFFFFFFFFFFF
        z = (z ^ z >> 27) * 0x94D049BB133111EB & 0xFFFFFFFFFFFFFFFF
        yield z ^ z >> 31
