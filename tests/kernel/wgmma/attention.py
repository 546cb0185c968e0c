"""What attention.ptx must give, in f64, and how far from it a kernel may be."""
import functools
import math

WIDTH = 64


@functools.lru_cache
def attention(q, k, v):
    """Of each query: the outputs, sum of weights times |v| for each, and the logarithm of the weights' sum."""
    rows = []
    for line in range(len(q) // WIDTH):
        query = q[line * WIDTH:(line + 1) * WIDTH]
        scores = [sum(x * y for x, y in zip(query, k[at:at + WIDTH])) / math.sqrt(WIDTH) for at in range(0, len(k), WIDTH)]
        top = max(scores)
        weights = [math.exp(s - top) for s in scores]
        all_weights = sum(weights)
        columns = [v[column::WIDTH] for column in range(WIDTH)]
        outputs = [sum(w * x for w, x in zip(weights, column)) / all_weights for column in columns]
        sizes = [sum(w * abs(x) for w, x in zip(weights, column)) / all_weights for column in columns]
        rows.append((outputs, sizes, top + math.log(all_weights)))
    return rows


def is_attention(out, logarithms, q, k, v):
    """Weights are rounded to f16, each by 2**-11 at most; the sums of f32 and the exponentials add less."""
    for line, (outputs, sizes, logarithm) in enumerate(attention(tuple(q), tuple(k), tuple(v))):
        if abs(logarithms[line] - logarithm) > 1e-5 * (1 + abs(logarithm)):
            return False
        if any(abs(x - y) > (2 ** -11 + 1e-5) * size for x, y, size in zip(out[line * WIDTH:], outputs, sizes)):
            return False
    return True
