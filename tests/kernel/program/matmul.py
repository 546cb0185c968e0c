def f32(x):
    return struct.unpack("<f", struct.pack("<f", x))[0]


def product(a, b, rows, inner, columns):
    """Every product and every sum rounded to single precision, in the kernel's order (its zero padding changes nothing)."""
    c = []
    for y in range(rows):
        for x in range(columns):
            total = 0.0
            for k in range(inner):
                total = f32(total + f32(a[y * inner + k] * b[k * columns + x]))
            c.append(total)
    return c
