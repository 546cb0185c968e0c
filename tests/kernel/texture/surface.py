def load(memory, at, count):
    return int.from_bytes(bytes(memory[at:at + count]), "little")


def place(x, y, size, clamp, width=64, height=8):
    """Where an access of `size` bytes at byte x of row y goes, or None."""
    if not 0 <= x <= width - size or not 0 <= y < height:
        if not clamp:
            return None
        x, y = min(max(x, 0), width - size), min(max(y, 0), height - 1)
    return y * width + x


def loaded(memory, x, y, size, clamp, **of):
    at = place(x, y, size, clamp, **of)
    return 0 if at is None else load(memory, at, size)


def at_thread(t):
    return 4 * (t - 8), t // 4 - 1


def rows_of(t):
    """The 16 words that thread t writes."""
    x, y = at_thread(t)
    source = before.__dict__["in"]
    eight, sixteen = loaded(source, x & -8, y, 8, True), loaded(source, 2 * (x & -8), y, 16, True)
    column, slice_number = 4 * (t % 8), t // 8
    deep = 0 if slice_number == 3 else load(before.space, slice_number * 256 + t % 8 * 32 + column, 4)
    return [loaded(source, x, y, 4, False), loaded(source, x, y, 4, True), loaded(source, x, y, 4, True), loaded(source, x, y, 4, False),
            eight & 0xffffffff, eight >> 32] + [sixteen >> 32 * k & 0xffffffff for k in range(4)] + \
        [0, 0, deep, deep, load(before.row, min(slice_number, 1) * 32 + column, 4), loaded(before.row, x, 0, 4, False, height=1)]


def stored(memory, at, value, size):
    if at is not None:
        memory[at:at + size] = list(value.to_bytes(size, "little"))


def memories():
    row, plane, space = list(before.row), list(before.plane), list(before.space)
    source = before.__dict__["in"]
    for t in range(32):
        x, y = at_thread(t)
        word = loaded(source, x, y, 4, True)
        stored(row, place(x, 0, 4, False, height=1), t, 4)
        stored(plane, place(x, y, 2, False), word & 0xffff, 2)
    for t in range(8, 16):
        word = loaded(source, *at_thread(t), 4, True)
        stored(space, 64 + 4 * (t % 8), t, 4)
        stored(space, 512 + 32 + 4 * (t % 8), word >> 16 & 0xff, 2)
        stored(row, 32 + 4 * (t % 8), word >> 24, 1)
    stored(row, 60, load(row, 60, 4) + 32 * 3 & 0xffffffff, 4)
    stored(plane, 7 * 64 + 48, max([load(plane, 7 * 64 + 48, 8)] + [loaded(source, at_thread(t)[0] & -8, at_thread(t)[1], 8, True) for t in range(32)]), 8)
    least = min([s32(load(plane, 7 * 64 + 56, 4))] + [at_thread(t)[0] for t in range(32)])
    stored(plane, 7 * 64 + 56, least & 0xffffffff, 4)
    for t in range(32):
        x = at_thread(t)[0]
        if 0 <= x <= 60:
            stored(plane, 7 * 64 + x, load(plane, 7 * 64 + x, 4) | 1, 4)
    stored(space, 512, load(space, 512, 4) & 0xfffffffe, 4)
    return row, plane, space
