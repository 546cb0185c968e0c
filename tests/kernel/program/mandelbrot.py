def count(x, y):
    # The compiler fuses the scaling of the coordinates into one rounding.
    fused = lambda k, step, start: F64.number(ffma(F64, bits64(k), bits64(step), bits64(start)))
    a, b, u, v, k = fused(float(x), 0.05, -2.2), fused(float(y), 0.075, -1.2), 0.0, 0.0, 0
    while k < 200 and u * u + v * v < 4:
        u, v, k = u * u - v * v + a, 2 * u * v + b, k + 1
    return k
