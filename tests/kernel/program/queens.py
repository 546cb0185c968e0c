def place(columns):
    n = 8
    if len(columns) == n:
        return 1
    row = len(columns)
    return sum(place(columns + [c]) for c in range(n) if all(c != d and abs(c - d) != row - r for r, d in enumerate(columns)))


def queens(k):
    first, second = divmod(k, 8)
    return 0 if abs(first - second) < 2 else place([first, second])
