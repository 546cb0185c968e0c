#!/usr/bin/env python3
"""Graphs of workloads/graph.h: what each class is said to be, computed here from the edges alone, and readers of good and bad files.

    tests/graphs.py GRAPH_PRINT"""
import collections
import hashlib
import os
import subprocess
import sys
import tempfile

PROGRAM = sys.argv[1] if len(sys.argv) == 2 else sys.exit(__doc__)
wrong = []


def check(right, what):
    if not right:
        wrong.append(what)


def run(*options):
    return subprocess.run([PROGRAM, *options], capture_output=True, text=True, timeout=60)


class Graph:
    def __init__(self, text, seed=1, turn=0):
        self.text = text
        result = run("--graph", text, "--seed", str(seed), "--turn", str(turn))
        check(result.returncode == 0, f"{text}: {result.stderr}")
        lines = [tuple(map(int, line.split())) for line in result.stdout.splitlines()]
        self.vertices, count, self.symmetric = lines[0] if lines else (1, 0, 0)
        self.list, self.hash = lines[1:], hashlib.sha256(result.stdout.encode()).hexdigest()[:16]
        self.edges = {(a, b): w for a, b, w in self.list}
        self.to = collections.defaultdict(list)
        for a, b, _ in self.list:
            self.to[a].append(b)
        check(len(self.list) == count and self.list == sorted(self.list), f"{text}: rows that do not ascend")
        check(len(self.edges) == count and all(a != b for a, b in self.edges), f"{text}: an edge twice, or to itself")
        reverses = all(self.edges.get((b, a)) == w for a, b, w in self.list)
        check(self.symmetric == reverses, f"{text}: symmetric is {self.symmetric}, reverses are {reverses}")

    def degrees(self):
        return [len(self.to[v]) for v in range(self.vertices)]

    def levels(self, start):
        level, queue = {start: 0}, collections.deque([start])
        while queue:
            v = queue.popleft()
            for u in self.to[v]:
                if u not in level:
                    level[u] = level[v] + 1
                    queue.append(u)
        return level


def grid(width, height):
    """Its edges, both ways."""
    pairs = set()
    for y in range(height):
        for x in range(width):
            v = y * width + x
            pairs |= {(v, v + 1)} if x + 1 < width else set()
            pairs |= {(v, v + width)} if y + 1 < height else set()
    return pairs | {(b, a) for a, b in pairs}


def drawn(text, seed=1):
    g = Graph(text, seed)
    check(g.symmetric == 1, f"{text}: not symmetric")
    weights = [w for _, _, w in g.list]
    check(1 <= min(weights) <= 20 and 980 <= max(weights) <= 1000, f"{text}: weights from {min(weights)} to {max(weights)}")
    check(450 < sum(weights) / len(weights) < 550, f"{text}: mean weight {sum(weights) / len(weights)}")
    check(drawn_hash(text, seed) == g.hash, f"{text}: another time it is another graph")
    return g


def drawn_hash(text, seed):
    return Graph(text, seed).hash


def classes():
    g = drawn("ecology:40x30")
    check(set(g.edges) == grid(40, 30) and g.vertices == 1200, "ecology: not the grid")
    check(max(g.levels(0).values()) == 68, "ecology: diameter")

    g = drawn("road:40x30")
    degrees, levels = g.degrees(), g.levels(0)
    check(g.vertices == 1200 and set(g.edges) <= grid(40, 30), "road: not of the grid")
    check(len(levels) == 1200, "road: not connected")
    check(len(g.list) == 2 * (1199 + 240), f"road: {len(g.list)} edges")
    check(min(degrees) == 1 and max(degrees) <= 4, f"road: degrees {min(degrees)} to {max(degrees)}")
    check(max(levels.values()) > 68, "road: diameter")

    g = drawn("circuit:1600")
    degrees = g.degrees()
    check(all(abs(a % 40 - b % 40) <= 4 and abs(a // 40 - b // 40) <= 4 for a, b in g.edges), "circuit: a wire too long")
    check(3.6 < sum(degrees) / 1600 < 4.0, f"circuit: degree {sum(degrees) / 1600}")
    check(sum((a, b) in g.edges for a, b in grid(40, 40)) > 0.77 * len(grid(40, 40)), "circuit: too little of the grid")
    check(max(len(g.levels(v)) for v in range(8)) > 1500, "circuit: in pieces")
    check(20 <= max(g.levels(0).values()) <= 80, "circuit: diameter")
    check(Graph("circuit:37").vertices == 37, "circuit: of no square")

    g = drawn("power:20000,8")
    degrees = g.degrees()
    check(len(g.list) == 2 * (10 + 19995 * 4), f"power: {len(g.list)} edges")
    check(min(degrees) == 4 and len(g.levels(0)) == 20000, "power: degree, or not connected")
    for k in 8, 16, 32:  # of preferential attachment: m(m + 1) / (k(k + 1)) of the vertices have degree k or more
        share, expected = sum(d >= k for d in degrees) / 20000, 20 / (k * (k + 1))
        check(0.85 < share / expected < 1.15, f"power: {share} have degree {k}, expected {expected}")
    check(max(degrees) > 200 and max(g.levels(19999).values()) < 9, f"power: degree {max(degrees)}, diameter")

    g = drawn("uniform:5000,8")
    degrees = g.degrees()
    spread = sum((d - 8) ** 2 for d in degrees) / 5000
    check(len(g.list) == 40000 and 7 < spread < 9, f"uniform: {len(g.list)} edges, variance of degrees {spread}, as Poisson's expected")
    ends = sum(v for v, _ in g.edges) / 40000
    check(2400 < ends < 2600, f"uniform: mean end {ends}")
    check(len(Graph("uniform:101,49").list) == 101 * 49 // 2 * 2, "uniform: dense")


# As computed where this was written; another machine or compiler must give the same.
HASHES = {
    "road:12x10": "586715e7d2ae8022",
    "circuit:120": "d0cc7199c6c1a50f",
    "ecology:12x10": "ad396f77a719f049",
    "power:120,6": "ae3d04dadf01f72c",
    "uniform:120,5": "3793ca7d4b260462",
}


def determinism():
    for text, pinned in HASHES.items():
        first = drawn_hash(text, 1)
        check(first == pinned, f"{text}: {first}, pinned is {pinned}")
        check(text.startswith("eco") or {e[:2] for e in Graph(text, 2).list} != {e[:2] for e in Graph(text, 1).list}, f"{text}: seed 2 is as 1")


GOOD = [
    ("a.gr", "c a comment\n\np sp 3 4\na 1 2 7\nc more\na 2 3 9\r\na 1 2 5\na 3 3 1\n", (3, [(0, 1, 5), (1, 2, 9)])),
    ("b.gr", "p sp 1 0", (1, [])),
    ("a.mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n% a comment\n3 3 3\n2 1\n3 3\n\n3 2\n", (3, [(0, 1, 1), (1, 0, 1), (1, 2, 1), (2, 1, 1)])),
    ("b.mtx", "%%matrixmarket MATRIX Coordinate Integer General\n2 2 2\n1 2 8\n2 1 3\n", (2, [(0, 1, 8), (1, 0, 3)])),
    ("c.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 -1.5e3\n", (2, [(0, 1, 1)])),
]
HEAD = "%%MatrixMarket matrix coordinate "
BAD = [
    ("a.gr", "c only\n", "2:1: expected 'p sp VERTICES ARCS'"),
    ("a.gr", "a 1 2 3\n", "1:1: expected 'p sp VERTICES ARCS', not 'a'"),
    ("a.gr", "p max 3 4\n", "1:3: expected 'sp', not 'max'"),
    ("a.gr", "p sp 0 4\n", "1:6: expected how many vertices, from 1 to 2147483646, not '0'"),
    ("a.gr", "p sp 3 -4\n", "1:8: expected how many arcs, from 0 to 2147483647, not '-4'"),
    ("a.gr", "p sp 3 4 5\n", "1:10: expected the end of the line, not '5'"),
    ("a.gr", "p sp 3 1\na 1 4 7\n", "2:5: expected a vertex, from 1 to 3, not '4'"),
    ("a.gr", "p sp 3 1\na 1 2\n", "2:6: expected a weight, from 0 to 4294967295"),
    ("a.gr", "p sp 3 1\na 1 2 4294967296\n", "2:7: expected a weight, from 0 to 4294967295, not '4294967296'"),
    ("a.gr", "p sp 3 1\na 1 2 3x\n", "2:7: expected a weight, from 0 to 4294967295, not '3x'"),
    ("a.gr", "p sp 3 1\ne 1 2\n", "2:1: expected 'a FROM TO WEIGHT', not 'e'"),
    ("a.gr", "p sp 3 2\na 1 2 3\n", "3:1: expected 2 arcs, the file has 1"),
    ("a.gr", "p sp 3 1\na 1 2 3\na 1 2 3\n", "3:1: expected the end after 1 arcs, not 'a'"),
    ("a.gr", "p sp 3 1\na 1 2 \0003\n", "2:7: expected a weight, from 0 to 4294967295, not '?3'"),
    ("a.mtx", "", "1:1: expected '%%MatrixMarket'"),
    ("a.mtx", "3 3 1\n", "1:1: expected '%%MatrixMarket', not '3'"),
    ("a.mtx", "%%MatrixMarket matrix array real general\n", "1:23: expected 'coordinate', not 'array'"),
    ("a.mtx", HEAD + "complex general\n", "1:34: expected 'pattern', 'integer' or 'real', not 'complex'"),
    ("a.mtx", HEAD + "real hermitian\n", "1:39: expected 'general' or 'symmetric', not 'hermitian'"),
    ("a.mtx", HEAD + "real general\n% nothing\n", "3:1: expected 'ROWS COLUMNS ENTRIES'"),
    ("a.mtx", HEAD + "real general\n3 4 1\n", "2:3: expected as many columns as rows, from 3 to 3, not '4'"),
    ("a.mtx", HEAD + "pattern symmetric\n3 3 1\n1 2\n", "3:3: expected a column, from 1 to 1, not '2'"),
    ("a.mtx", HEAD + "pattern general\n3 3 1\n1 2 9\n", "3:5: expected the end of the line, not '9'"),
    ("a.mtx", HEAD + "integer general\n3 3 1\n1 2 -9\n", "3:5: expected a weight, from 0 to 4294967295, not '-9'"),
    ("a.mtx", HEAD + "real general\n3 3 1\n1 2 x\n", "3:5: expected a real number, not 'x'"),
    ("a.mtx", HEAD + "real general\n3 3 1\n1 2\n", "3:4: expected a real number"),
    ("a.mtx", HEAD + "real general\n3 3 2\n1 2 1\n", "4:1: expected 2 entries, the file has 1"),
    ("a.mtx", HEAD + "real general\n3 3 0\n1 2 1\n", "3:1: expected the end after 0 entries, not '1'"),
]
TEXTS = [
    ("road", "expected road:WxH"), ("road:3", "expected road:WxH"), ("road:0x3", "expected road:WxH"), ("road:3x3 ", "expected road:WxH"),
    ("road:99999x99999", "expected at most 2^28 vertices"), ("circuit:4000000000", "expected road:WxH"), ("power:10,3", "expected an even degree"),
    ("power:10,10", "expected an even degree, below"), ("uniform:10,5", "expected a degree below half"), ("uniform:2000000000,9", "expected fewer edges"),
]


def files(folder):
    for name, content, (vertices, edges) in GOOD:
        path = os.path.join(folder, name)
        with open(path, "w", newline="") as file:
            file.write(content)
        g = Graph(path)
        check((g.vertices, g.list) == (vertices, edges), f"{content!r}: {g.vertices}, {g.list}")
    path = os.path.join(folder, "b.mtx")
    check(Graph(path, turn=1).list == [(0, 1, 3), (1, 0, 3)], "symmetrised: the lesser weight")
    check(Graph(path, turn=2).list == [(0, 1, 3), (1, 0, 8)], "turned round")
    for name, content, expected in BAD:
        path = os.path.join(folder, name)
        with open(path, "w", newline="") as file:
            file.write(content)
        result = run("--graph", path)
        line = f"graph_print: {path}:{expected}\n"
        check((result.returncode, result.stdout, result.stderr) == (2, "", line), f"{content!r}: {result.returncode}, {result.stderr!r}, expected {line!r}")
    result = run("--graph", os.path.join(folder, "none.gr"))
    check(result.returncode == 2 and result.stderr.endswith("none.gr: No such file or directory\n"), f"none.gr: {result.stderr!r}")
    for text, expected in TEXTS:
        result = run("--graph", text)
        check(result.returncode == 2 and result.stderr.startswith(f"graph_print: --graph {text}: {expected}"), f"{text}: {result.stderr!r}")


classes()
determinism()
with tempfile.TemporaryDirectory() as temporary:
    files(temporary)
print("\n".join(wrong) if wrong else f"{len(HASHES)} classes, {len(GOOD) + len(BAD)} files")
sys.exit(bool(wrong))
