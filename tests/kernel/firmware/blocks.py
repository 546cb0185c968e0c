"""A cache of lines whose least recently used way is replaced."""

# Of k = 1 to 11 the first block goes on to the third, the fifth, the second, and to the fourth by way of the second.
ORDER = [0] + [block for k in range(1, 11) for block in [1] + {1: [3], 2: [5], 3: [2], 0: [2, 4]}[k % 4]] + [1, 6]


def misses(sets, ways):
    held, count = [[] for _ in range(sets)], 0
    for block in ORDER:
        lines = held[(block + 1) % sets]
        count += block not in lines
        lines[:] = [b for b in lines if b != block][-(ways - 1):] if ways > 1 else []
        lines.append(block)
    return count
