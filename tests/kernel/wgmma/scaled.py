"""What scaled.ptx must give.  The bytes of its inputs are such that a step's sum of products is exact in f32."""
import functools


def e4m3(byte):
    """Of a normal number."""
    return (-1) ** (byte >> 7) * 2.0 ** ((byte >> 3 & 15) - 7) * (1 + (byte & 7) / 8)


@functools.lru_cache
def scaled(before, a, b, scales_a, scales_b):
    steps = len(scales_b)
    left, right = [e4m3(x) for x in a], [e4m3(x) for x in b]
    result = list(before)
    for at in range(64 * 64):
        line, column = divmod(at, 64)
        for step in range(steps):
            x, y = (line * steps + step) * 128, (column * steps + step) * 128
            part = sum(p * q for p, q in zip(left[x:x + 128], right[y:y + 128]))
            result[at] += part * scales_a[step * 64 + line] * scales_b[step]
    return result


def is_scaled(d, *inputs):
    """Each step scales twice, multiplies and adds: four roundings of 2**-24, of what is positive throughout."""
    steps = len(inputs[-1])
    return all(abs(x - y) <= (4 * steps + 1) * 2 ** -24 * y for x, y in zip(d, scaled(*map(tuple, inputs))))
