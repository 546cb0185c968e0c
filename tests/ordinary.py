#!/usr/bin/env python3
"""The kernels of workloads/ordinary under `lockstep run`, and the experiment `ordinary`: every kernel of --list computes what it must, some in timing mode; wrong options
are one line and status 2; every row of reference.csv has a source and is a point of the experiment, and the experiment has no point without a row; two cards of the small
size are run, and compared.

    tests/ordinary.py PROGRAM"""
import csv
import os
import re
import sqlite3
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FOLDER = os.path.join(ROOT, "experiments", "ordinary")
LOCKSTEP = os.environ.get("LOCKSTEP", "build/release/lockstep")
CARDS = {"rtx2070s", "a100", "rtx4090", "h200", "gtx1650s", "t4g", "a100-1g"}
SURE = {"card", "sibling", "scaled", "derived"}
RUN = ["rtx2070s", "rtx4090"]

# What is wrong, and how its line begins.
WRONG = [
    (["--nonsense", "1"], "--nonsense 1: expected --list"),
    (["--kernel"], "--kernel : expected --list"),
    (["--kernel", "sum"], "--kernel sum: expected a kernel that --list names"),
    (["--n", "12x"], "--n 12x: expected a number from"),
    (["--threads", "0"], "--threads 0: expected a number from 32 to 1024"),
    (["--base", "1"], "--base 1: expected a number from 32 to 1048576"),
    (["--size", "large"], "--size large: expected --list"),
]

# The least sizes that a kernel's groups can divide.
SIZES = {"transpose": 256, "matmul": 256, "nbody": 256, "convolution": 256, "scan": 2048, "bitonic": 2048, "radix": 16384}

# Whose groups wait for each other, or race for what they find: they run in timing mode.
IN_TIME = {"bfs", "radix_sort"}


def run(*words, timeout=300):
    return subprocess.run(words, capture_output=True, text=True, timeout=timeout)


def wrong_options(program):
    for options, expected in WRONG:
        result = run(program, *options)
        if result.returncode != 2 or result.stdout or result.stderr.count("\n") != 1 or not result.stderr.startswith(f"ordinary: {expected}"):
            yield f"{' '.join(options)}: status {result.returncode}, {result.stderr!r}, expected {expected!r}"


def every_kernel(program):
    for line in run(program, "--list").stdout.splitlines():
        name = line.split()[0]
        size = SIZES.get(name.split("_")[0], 5000)
        mode = "timing" if name in IN_TIME else "functional"
        result = run(LOCKSTEP, "run", "--gpu", "v100", "--mode", mode, "--output", "/dev/null", program, "--kernel", name, "--n", str(size), "--warm", "0")
        if result.returncode or not result.stdout.endswith(",right\n"):
            yield f"{name}: status {result.returncode}: {result.stdout}{result.stderr}"


def reference():
    with open(os.path.join(FOLDER, "reference.csv"), encoding="utf-8") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def points():
    """Cards and variations of the experiment's sets; a variation of one card alone ends in its name."""
    with open(os.path.join(FOLDER, "experiment.cfg"), encoding="utf-8") as file:
        text = file.read()
    found = set()
    for card, variations in re.findall(r'programs = \["ordinary-([a-z0-9-]+)"\][^}]*variations = \[([^\]]*)\]', text):
        found |= {(card, name.removesuffix(f" {card}")) for name in re.findall(r'"([^"]+)"', variations)}
    return found


def rows_have_sources(_):
    rows = reference()
    named = [(row["card"], row["point"]) for row in rows]
    for row in rows:
        name = f"{row['card']}, {row['point']}"
        if row["card"] not in CARDS or row["sure"] not in SURE or not row["title"] or not row["url"] or not row["size"] or row["run"] not in ("same", "shorter", "rate"):
            yield f"reference.csv: {name}: without a card, a size or a source"
        if not float(row["low"] or row["figure"]) <= float(row["figure"]) <= float(row["high"] or row["figure"]):
            yield f"reference.csv: {name}: the figure is outside of its range"
    if len(set(named)) != len(named):
        yield "reference.csv: a row is there twice"
    if set(named) != points():
        yield f"reference.csv and experiment.cfg differ: {sorted(set(named) ^ points())}"


def experiment_runs(_):
    with tempfile.TemporaryDirectory() as folder:
        chosen = [word for card in RUN for word in ("--only", card)]
        result = run(LOCKSTEP, "experiment", FOLDER, "-j", "2", "--output", folder, *chosen)
        if result.returncode:
            yield f"lockstep experiment: status {result.returncode}: {result.stdout}{result.stderr}"
            return
        database = sqlite3.connect(os.path.join(folder, "results.sqlite"))
        counts = database.execute("SELECT count(*) FROM compared").fetchone()[0], database.execute("SELECT count(DISTINCT point) FROM entries").fetchone()[0]
        if counts[0] != counts[1] or counts[0] < 3:
            yield f"{counts[0]} rows are compared, of {counts[1]} points"


def main():
    program = sys.argv[1]
    wrong = [line for check in (wrong_options, every_kernel, rows_have_sources, experiment_runs) for line in check(program)]
    print("\n".join(wrong) if wrong else "all as expected")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
