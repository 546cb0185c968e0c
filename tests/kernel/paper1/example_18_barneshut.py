"""The tree that bodies make by their keys, in whichever order they are inserted."""


def tree_of(bodies, keys, bit=31):
    """A body, None, or the pair of trees of a cell: who has bit `bit` of the key, and who does not."""
    if len(bodies) < 2:
        return bodies[0] if bodies else None
    return tuple(tree_of([b for b in bodies if keys[b] >> bit & 1 == side], keys, bit - 1) for side in (0, 1))


def read_tree(child, bodies, at=0):
    """The same from memory: `child` has two words of each cell, -1 nobody, below `bodies` a body, else bodies + cell."""
    def subtree(word):
        return None if word == -1 else word if word < bodies else read_tree(child, bodies, word - bodies)
    return subtree(child[2 * at]), subtree(child[2 * at + 1])


def cells_of(tree):
    return 1 + sum(map(cells_of, tree)) if isinstance(tree, tuple) else 0
