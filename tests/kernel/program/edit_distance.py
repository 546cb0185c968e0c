@functools.lru_cache(None)
def distance(a, b):
    if not a or not b:
        return len(a) + len(b)
    return min(distance(a[1:], b) + 1, distance(a, b[1:]) + 1, distance(a[1:], b[1:]) + (a[0] != b[0]))


def of_thread(t, words):
    a, b = bytes(words[32 * t:32 * t + 16]), bytes(words[32 * t + 16:32 * t + 32])
    return distance(a[:t % 17], b[:t * 5 % 17])
