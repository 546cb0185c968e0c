def bellman_ford(edges):
    best = [1000000] * 200
    best[0] = 0
    for _ in range(200):
        for a, b, w in edges:
            if best[a] < 1000000:
                best[b] = min(best[b], best[a] + w)
    return best
