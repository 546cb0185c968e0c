#!/usr/bin/env python3
"""Compares cycle counts with those of tests/timing/cycles.txt, so that a change of timing is seen and must be meant.

    tests/timing.py [--accept] [KERNEL-PATTERN...]

Kernels of bench/ and tests/kernel/, small ones, under three GPU models and the schedulers gto and lrr; the quickest of them under all
models of gpus/.  --accept writes the file anew (of all kernels); commit it with the change that made it necessary, and say there why the cycles are better now."""
import argparse
import concurrent.futures
import fnmatch
import json
import os
import subprocess
import sys

import run_kernels

ROOT = os.path.dirname(run_kernels.HERE)
FILE = os.path.join(run_kernels.HERE, "timing", "cycles.txt")
GPUS = ["gtx480", "quadro-2011", "v100"]
OTHER_GPUS = sorted({name[:-len(".cfg")] for name in os.listdir(os.path.join(ROOT, "gpus")) if name.endswith(".cfg")} - set(GPUS))
SCHEDULERS = ["gto", "lrr"]

# Smaller launches of bench/: each exercises what the name says.
BENCH = {
    "bench/fma": "fma.ptx --grid 64 --block 256 --arg buf:out:f32:16384:zero --arg f32:0.5 --arg f32:1.0 --arg s32:16",
    "bench/vecadd": "vecadd.ptx --grid 256 --block 256 --arg buf:a:f32:65536:random=1,0,4 --arg buf:b:f32:65536:random=2,0,4 "
                    "--arg buf:c:f32:65536:zero --arg s32:65536",
    "bench/hashtab": "hashtab.ptx --kernel hash_insert --grid 8 --block 256 --arg buf:keys:u32:4096:random=12345 --arg s32:4096 "
                     "--arg buf:locks:u32:128:zero --arg buf:heads:s32:128:fill=-1 --arg buf:pool:u32:8192:zero --arg u32:127 --arg s32:2048",
}
# Launched as their tests say.
KERNELS = ["atomic/contention", "barrier/reduction", "call/fibonacci", "lock/spin_safe", "lock/ticket", "memory/shared_static", "program/bitonic",
           "program/histogram", "program/look_back", "program/math_double", "program/matmul", "program/stencil", "program/transpose"]
# What the other GPUs run too: arithmetic, streaming, barriers, shared memory, atomics, divergence, transposition.
QUICK = ["bench/fma", "bench/vecadd", "barrier/reduction", "memory/shared_static", "program/histogram", "program/look_back:small", "program/stencil",
         "program/transpose:words"]


def commands():
    """(name, words of `lockstep kernel`) of every launch."""
    for name, words in BENCH.items():
        file, *rest = words.split()
        yield name, [os.path.join(ROOT, "bench", file), *rest]
    for name in KERNELS:
        test = run_kernels.Test(os.path.join(run_kernels.KERNELS, name + ".ptx"))
        for launch in test.launches:
            yield f"{name}:{launch.name}" if launch.name else name, [test.path, *launch.options]


def cycles(words, gpu, scheduler):
    """The cycles of a run, or a text: why there are none."""
    command = [run_kernels.LOCKSTEP, "kernel", *words, "--gpu", gpu, "--scheduler", scheduler, "--report", "json"]
    run = subprocess.run(command, capture_output=True, text=True, check=False, cwd=os.path.dirname(words[0]))
    if run.returncode:
        return run.stderr.strip() or f"exit status {run.returncode}"
    return json.loads(run.stdout)["launches"][0]["cycles"]


def measure(patterns):
    """{(kernel, GPU): [cycles per scheduler]}, in order."""
    wanted = [(name, words) for name, words in commands() if not patterns or any(fnmatch.fnmatch(name, p) for p in patterns)]
    rows = [(name, gpu, words) for name, words in wanted for gpu in GPUS + (OTHER_GPUS if name in QUICK else [])]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        futures = [[pool.submit(cycles, words, gpu, scheduler) for scheduler in SCHEDULERS] for _, gpu, words in rows]
        return {(name, gpu): [future.result() for future in row] for (name, gpu, _), row in zip(rows, futures)}


def read():
    with open(FILE, encoding="utf-8") as file:
        lines = [line.split() for line in file if line.strip() and line[0] != "#"]
    return {(name, gpu): [int(number) for number in numbers] for name, gpu, *numbers in lines}


def write(measured):
    with open(FILE, "w", encoding="utf-8") as file:
        file.write("# Cycles, by tests/timing.py; `make accept` renews them.\n")
        file.write(f"# {'kernel':<26} {'GPU':<12}" + "".join(f"{s:>10}" for s in SCHEDULERS) + "\n")
        for (name, gpu), numbers in measured.items():
            file.write(f"{name:<28} {gpu:<12}" + "".join(f"{n:>10}" for n in numbers) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--accept", action="store_true", help="take what comes out as expected")
    parser.add_argument("patterns", nargs="*")
    arguments = parser.parse_args()
    measured = measure([] if arguments.accept else arguments.patterns)
    broken = [f"{name} {gpu}: {n}" for (name, gpu), row in measured.items() for n in row if not isinstance(n, int)]
    if broken:
        print("\n".join(broken))
        return 1
    if arguments.accept:
        write(measured)
        return 0
    expected, failed = read(), 0
    for (name, gpu), row in measured.items():
        was = expected.get((name, gpu), [None] * len(row))
        for scheduler, now, before in zip(SCHEDULERS, row, was):
            if now != before:
                failed += 1
                change = f" ({100 * (now - before) / before:+.2f} %)" if before else ""
                print(f"{name} {gpu} {scheduler}: {now} cycles, expected {before}{change}")
    gone = [] if arguments.patterns else sorted(set(expected) - set(measured))
    for name, gpu in gone:
        print(f"{name} {gpu}: in {os.path.relpath(FILE, ROOT)}, but no longer run")
    failed += len(gone)
    if failed:
        print("if the change of timing is meant, `make accept` renews tests/timing/cycles.txt")
    print(f"{sum(len(row) for row in measured.values()) + len(gone) - failed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
