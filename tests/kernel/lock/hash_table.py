def well_formed(keys, heads, pool, mask):
    """Every key hangs once in the chain of its bucket, and nothing else does."""
    seen = [False] * len(keys)
    for bucket, at in enumerate(heads):
        while at != -1:
            if not 0 <= at < len(keys) or seen[at] or pool[2 * at] != keys[at] or (u32(keys[at] * 2654435769) >> 12) & mask != bucket:
                return False
            seen[at] = True
            at = s32(pool[2 * at + 1])
    return all(seen)
