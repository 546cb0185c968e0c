def product(a, b, tiles, side=16):
    """The sum of products of square tiles; `tiles` has their numbers in a and in b."""
    return [sum(a[side * (side * i + row) + x] * b[side * (side * k + x) + column] for i, k in tiles for x in range(side)) & 0xffffffff
            for row in range(side) for column in range(side)]


def right(a, b, tiles=8, side=16):
    """Work-group g multiplies `tiles` tiles from g * tiles on."""
    return [v for g in range(len(a) // 8 // side ** 2) for v in product(a, b, [(g * tiles + k, k) for k in range(tiles)], side)]
