def product(a, b, tiles):
    """The sum of products of tiles of 16 x 16 words; `tiles` has their numbers in a and in b."""
    return [sum(a[256 * i + 16 * row + x] * b[256 * k + 16 * x + column] for i, k in tiles for x in range(16)) & 0xffffffff
            for row in range(16) for column in range(16)]


def right(a, b, tiles=8):
    """Work-group g multiplies `tiles` tiles from g * tiles on."""
    return [v for g in range(len(a) // 2048) for v in product(a, b, [(g * tiles + k, k) for k in range(tiles)])]
