#!/usr/bin/env python3
"""Counts the outcomes of the litmus kernels in tests/kernel/litmus over many seeded runs.

    tests/litmus.py [--runs N] [--gpu NAME]... [-j JOBS] [NAME-PATTERN...]

A launch plays 512 instances of a test; an instance has a pair of words of its own in two of four lines, its two roles sit in different
groups (or warps), and the seed decides places, waits, the roles, the warp scheduler, the divergence model, and whether the ways from a
core to the slices of the L2 differ, or every packet's does (--weak).  Where they are all as long, accesses that do not use the L1 take effect in
the order in which cores send them, so no relaxed form is ever weak and no missing fence seen.  The first comment of a kernel says
which outcome is weak, and what is to become of it by the memory model of the PTX ISA (section 8):

    forbidden               must never appear; `forbidden except NAME`: may appear on that GPU, which has no coherence
    allowed                 may appear; counted
    provoked                allowed, and must appear at least once on every GPU: the machine is weak where hardware is"""
import argparse
import concurrent.futures
import itertools
import os
import re
import sys

import run_kernels

FOLDER = os.path.join(run_kernels.KERNELS, "litmus")
SCHEDULERS = ["lrr", "gto", "random", "gto-strict"]
DIVERGENCE = ["stack", "independent"]
# The ways to the L2.  With crossbar.spread of 1500 cycles, longer than a visit to the L2 and a little wait, weak outcomes are most frequent.
WAYS = [["--set", "crossbar.spread=1500"], ["--weak"], ["--set", "crossbar.spread=600"], []]


# One run in four has coherent L1s, in which nothing forbidden may appear either.  The other ways to be weak stay seen often enough.
COHERENCE = [[], ["--coherence", "moesi"]]


def policies(seed):
    """Both divergence models within two seeds, all of both and of the schedulers in pairs within eight, three of the ways within four, with every way within 32."""
    return COHERENCE[seed % 4 == 3] + ["--scheduler", SCHEDULERS[seed % 4], "--divergence", DIVERGENCE[(seed + seed // 4) % 2]] + WAYS[(seed // 2 + seed // 8) % 4]


class Litmus:
    def __init__(self, path):
        self.name = os.path.splitext(os.path.basename(path))[0]
        with open(path, encoding="utf-8") as file:
            text = file.read()
        self.weak = re.search(r"^// weak outcome: (.*)$", text, re.M)[1]
        self.status = re.search(r"^// status: (.*)$", text, re.M)[1]
        self.test = run_kernels.Test(path)
        self.instances = int(re.search(r"buf:result:s32:(\d+)", text)[1]) // 2

    def command(self, gpu, seed):
        launch = self.test.launches[0]
        command = self.test.command(launch, ["--gpu", gpu, "--seed", str(seed)] + policies(seed))
        command[command.index("u32:1")] = f"u32:{seed}"
        return command

    def expected(self, gpu, weak):
        """Null when `weak` weak outcomes are as they should be."""
        if self.status.startswith("forbidden") and weak and not self.status.endswith(f"except {gpu}"):
            return "the forbidden outcome appeared"
        if self.status == "provoked" and not weak:
            return "the weak outcome did not appear"
        return None


def run_once(path, gpu, seed):
    """Counts of (r0, r1) in one launch, or a text: why there are none."""
    litmus = Litmus(path)
    run = run_kernels.Run(litmus.command(gpu, seed))
    if not run.report or run.outcome != "completed":
        return f"{run.outcome if run.report else run.stderr.strip()[:300] or 'timed out'}: {' '.join(run.command)}"
    counts = {}
    values = run.dumps()["result"]
    for outcome in zip(values[0::2], values[1::2]):
        counts[outcome] = counts.get(outcome, 0) + 1
    return counts


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--runs", type=int, default=2048, help="instances of every test on every GPU")
    parser.add_argument("--gpu", action="append", help="default: gtx480 and v100")
    parser.add_argument("-j", "--jobs", type=int, default=2)
    parser.add_argument("patterns", nargs="*", metavar="NAME-PATTERN")
    arguments = parser.parse_args()
    paths = [p for p in run_kernels.tests(["litmus/"]) if not arguments.patterns or any(re.search(q, p) for q in arguments.patterns)]
    passed = failed = 0
    print(f"{'test':<22}{'gpu':<9}{'runs':>8}{'weak':>8}   {'by the ISA':<24}outcomes r0,r1")
    with concurrent.futures.ProcessPoolExecutor(arguments.jobs) as pool:
        for path, gpu in itertools.product(paths, arguments.gpu or ["gtx480", "v100"]):
            litmus = Litmus(path)
            seeds = range(1, 1 + -(-arguments.runs // litmus.instances))
            results = list(pool.map(run_once, itertools.repeat(path), itertools.repeat(gpu), seeds))
            counts = {}
            for result in results:
                for outcome, count in result.items() if isinstance(result, dict) else ():
                    counts[outcome] = counts.get(outcome, 0) + count
            weak = sum(n for (r0, r1), n in counts.items() if eval(litmus.weak, {"r0": r0, "r1": r1}))
            problem = next((r for r in results if isinstance(r, str)), None) or litmus.expected(gpu, weak)
            shown = "  ".join(f"{r0},{r1}: {n}" for (r0, r1), n in sorted(counts.items()))
            print(f"{litmus.name:<22}{gpu:<9}{sum(counts.values()):>8}{weak:>8}   {litmus.status:<24}{shown}", flush=True)
            if problem:
                print(f"FAILED {litmus.name} on {gpu}: {problem}", flush=True)
            passed, failed = passed + (not problem), failed + bool(problem)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
