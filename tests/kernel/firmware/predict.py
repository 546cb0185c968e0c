"""A predictor of two bits."""


def wrong(branches):
    """How many branches it foresees wrongly, from strongly not taken on."""
    state = count = 0
    for taken in branches:
        count += (state >= 2) != bool(taken)
        state = min(state + 1, 3) if taken else max(state - 1, 0)
    return count
