from fractions import Fraction

from reference import F16, F32


def rsqrt_is_nearest(bits, result):
    """Whether `result` is the .f32 nearest to 1 / sqrt of what `bits`, without the sign, says."""
    bits &= 0x7FFFFFFF
    if bits >= F32.inf:
        return F32.is_nan(result) if bits > F32.inf else result == 0
    x = Fraction(F32.number(bits))
    below, here, above = (Fraction(F32.number(result + k)) for k in (-1, 0, 1))
    return x * ((below + here) / 2) ** 2 <= 1 <= x * ((here + above) / 2) ** 2


def halves(operation, *operands):
    """An operation on halves whose NaN is 0x7fff."""
    result = operation(F16, *(x & 0xFFFF for x in operands))
    return result if isinstance(result, int) else 0x7FFF
