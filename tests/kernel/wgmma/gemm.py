"""What gemm.ptx must give: each instruction's 16 products are summed in f32 in the order of k, and then added."""
import array


def to_f32(values):
    return array.array("f", values).tolist()


def element(tiles, tile, line, k):
    """Of tiles of 64 x 64, K-major, 128 bytes swizzled."""
    at = line * 128 + k * 2
    return tiles[tile * 4096 + (at ^ (at >> 7 & 7) << 4) // 2]


def gemm(a, b, steps):
    result = [[0.0] * 64 for _ in range(64)]
    for step in range(steps):
        right = [[element(b, step, n, k) for n in range(64)] for k in range(64)]
        for line in range(64):
            for first in range(0, 64, 16):
                row = [0.0] * 64
                for k in range(first, first + 16):
                    x = element(a, step, line, k)
                    row = to_f32([s + x * y for s, y in zip(row, right[k])])
                result[line] = to_f32([d + s for d, s in zip(result[line], row)])
    return [value for line in result for value in line]
