#!/usr/bin/env python3
"""The microbenchmarks of workloads/silicon under `lockstep run`: every row of --list has its kernels; a figure is what the model's field says that
it is, also when the field says something else; wrong options are one line and status 2.

    tests/silicon.py PROGRAM"""
import csv
import os
import subprocess
import sys
import tempfile

LOCKSTEP = os.environ.get("LOCKSTEP", "build/release/lockstep")

# What is wrong, and how its line begins.
WRONG = [
    (["--nonsense"], "unknown option '--nonsense'"),
    (["--threads"], "--threads: expected a value"),
    (["--threads", "0"], "--threads 0: expected a number from 1 to 1024"),
    (["--threads", "1,"], "--threads 1,: expected a number from 1 to 1024"),
    (["--threads", "1x"], "--threads 1x: expected numbers with commas between"),
    (["--groups", "1y"], "--groups 1y: expected numbers with commas between, half, or Nx for N times the cores"),
    (["--primitive", "atomicadd"], "--primitive atomicadd: there is no primitive 'atomicadd'"),
    (["--type", "int,lon"], "--type int,lon: there is no type 'lon'"),
    (["--primitive", "syncthreads", "--type", "double"], "--primitive syncthreads --type double: none has such a type"),
    (["--repeat", "100"], "--repeat 100: expected a number from 1 to 99"),
]

# A primitive of v100's, a field, two values of it, and the cycles of an operation with each, by docs/timing.md.
FIGURES = [
    (["--primitive", "shfl_up_sync", "--type", "int", "--threads", "32"], "latency.shuffle", {25: 25, 31: 31}),
    (["--primitive", "ffma_chain", "--threads", "32"], "latency.fp_mad", {4: 4, 9: 9}),
    (["--primitive", "ffma_rate", "--threads", "32"], "interval.fp_mad", {2: 2, 5: 5}),
    (["--primitive", "syncthreads", "--threads", "64"], "barrier.latency", {20: 24, 50: 54}),
    (["--primitive", "chase_shared", "--threads", "1"], "shared.latency", {19: 20, 39: 40}),
    # The L1 still has the chain when its loop is timed.
    (["--primitive", "chase_l1", "--threads", "1", "--footprint", "8192", "--drain"], "l1.latency", {28: 29, 50: 51}),
    # Three lanes add to one word, one after another: only a loop that waits for its answers sees that.
    (["--primitive", "atomicadd_scalar_v2", "--type", "ull", "--threads", "3", "--drain"], "atomic.interval", {10: 30, 40: 120}),
]


def run(*words):
    return subprocess.run(words, capture_output=True, text=True, timeout=60)


def rows(program, gpu, options, *of_run):
    result = run(LOCKSTEP, "run", "--gpu", gpu, *of_run, "--output", "/dev/null", program, "--groups", "1", "--iterations", "2", "--repeat", "1", *options)
    if result.returncode:
        sys.exit(f"{' '.join(options)}: status {result.returncode}: {result.stderr}")
    return list(csv.DictReader(result.stdout.splitlines()))


def wrong_options(program):
    for options, expected in WRONG:
        result = run(program, *options)
        if result.returncode != 2 or result.stdout or result.stderr.count("\n") != 1 or not result.stderr.startswith(f"silicon: {expected}"):
            yield f"{' '.join(options)}: status {result.returncode}, {result.stderr!r}, expected {expected!r}"


def every_row(program):
    listed = [line.split() for line in run(program, "--list").stdout.splitlines()]
    types = {"int", "ull", "float", "double", "vec"}
    expected = {(words[0], word) for words in listed for word in words[1:] if word in types}
    seen = {(row["primitive"].split(":")[0], row["type"]) for row in rows(program, "v100", ["--threads", "3", "--footprint", "4096"])}
    if seen != expected or len(seen) < 80:
        yield f"--list and the table differ: {sorted(seen ^ expected)}"


def figures(program):
    for options, field, values in FIGURES:
        for value, expected in values.items():
            row, = rows(program, "v100", options, "--set", f"{field}={value}")
            if abs(float(row["cycles_per_op"]) - expected) > 0.05:
                yield f"{' '.join(options)} with {field}={value}: {row['cycles_per_op']} cycles, expected {expected}"


def points(program):
    """--points measures the rows of a file in their order, leaves out those of other primitives, and refuses bad ones."""
    text = ("# a comment\ngpu,primitive,stride_words,type,blocks,threads_per_block,cycles_per_op\n"
            "x,syncthreads,,int,1,64,5\nx,of_others,,int,1,64,5\nx,chase_l2:65536,32,ull,1,1\nx,shfl_sync,,int,1,32,")
    for end, status, expected in [("\n", 0, "syncthreads,,int,1,64 chase_l2:65536,32,ull,1,1 shfl_sync,,int,1,32"),
                                  ("\nx,syncthreads,,int,1,0\n", 2, ":7: expected gpu,primitive[:bytes],stride,type,groups,threads"),
                                  ("\nx,syncthreads,,int\n", 2, ":7: expected six columns"), ("\nx,chase_l2:256,32,ull,1,1\n", 2, ":7: a chain has two nodes at least")]:
        with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
            file.write(text + end)
            file.flush()
            result = run(LOCKSTEP, "run", "--gpu", "v100", "--output", "/dev/null", program, "--points", file.name, "--gpu", "y", "--iterations", "1", "--repeat", "1")
        rows_of = " ".join(line[2:].rsplit(",", 2)[0] for line in result.stdout.splitlines()[1:])
        if result.returncode != status or (rows_of != expected if not status else not result.stderr.endswith(expected + "\n")):
            yield f"--points with {end!r}: status {result.returncode}, {rows_of!r}, {result.stderr!r}, expected {expected!r}"


def main():
    program = sys.argv[1]
    wrong = [line for check in (wrong_options, every_row, figures, points) for line in check(program)]
    print("\n".join(wrong) if wrong else "all as expected")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
