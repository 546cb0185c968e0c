"""The stores and loads of around.ptx, in its order: space, where a store begins, its bytes; where each load begins, its bytes."""

PLAN = [
    ("global", 16, 4, [(12, 4), (16, 4), (20, 4), (8, 8), (16, 8), (14, 2), (16, 2), (18, 2), (20, 2), (15, 1), (16, 1), (19, 1), (20, 1)]),
    ("global", 273, 1, [(272, 1), (273, 1), (274, 1), (272, 2), (274, 2), (272, 4), (268, 4), (276, 4)]),
    ("global", 536, 8, [(528, 8), (536, 8), (544, 8), (532, 4), (536, 4), (540, 4), (544, 4), (535, 1), (543, 1), (544, 1)]),
    ("global", 784, 16, [(776, 8), (784, 8), (792, 8), (800, 8), (796, 4), (780, 4), (799, 1), (800, 1), (783, 1)]),
    ("global", 1150, 2, [(1148, 2), (1150, 2), (1152, 2), (1144, 8), (1152, 8), (1151, 1), (1152, 1)]),
    ("local", 16, 4, [(12, 4), (16, 4), (20, 4), (16, 8), (14, 2), (18, 2), (19, 1), (20, 1), (15, 1)]),
    ("local", 40, 8, [(32, 8), (40, 8), (44, 4), (36, 4), (47, 1)]),
]
STORED = [0xf1 + k for k in range(8)] + [0xe1 + k for k in range(8)]


def run():
    """What each load reads, and what global memory holds at the end."""
    memory, read = {"global": [k & 255 for k in range(4096)], "local": [0xe1 + k % 8 for k in range(48)]}, []
    for space, first, count, loads in PLAN:
        memory[space][first:first + count] = STORED[:count]
        read += [int.from_bytes(bytes(memory[space][begin:begin + size]), "little") for begin, size in loads]
    return read, memory["global"]
