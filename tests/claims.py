#!/usr/bin/env python3
"""Checks what the papers say of programs and chips against what the machine does: tests/claims/claims.txt, one claim a line.

    tests/claims.py [-j JOBS] [CLAIM-PATTERN...]        for instance P4-0*

A line has four fields between bars: the claim's name (its paper and number), where the paper says it, what the paper says, and how to see it:

    outcome GPU,GPU... KERNEL[:LAUNCH] [OPTION...]      the outcome on each of them, with a reconvergence stack unless an option names another
                                                        divergence model; of a hang also our cause.  KERNEL is one of tests/kernel/, launched as
                                                        its own comment says
    outcome GPU,GPU... xf_barrier GROUPS THREADS        the same of tests/claims/xf_barrier.ptx; `all` is every chip of paper 4
    always EXPRESSION GPU,GPU... KERNEL[:LAUNCH] [OPTION...]
                                                        the same, and whether a Python expression (no spaces) holds for the buffers: yes or no
    bounds GPU W L                                      most work-groups with which the barrier of all completes, for groups of 1 and W
                                                        threads with 1 and L bytes of local memory: 1 1, 1 L, W 1, W L (paper 4, 5.1).  The
                                                        occupancy that the report gives must be this number, so many groups must
                                                        complete, and one more must hang by occupancy

For each claim a line says what was expected, what was seen, and whether that is the same."""
import argparse
import concurrent.futures
import fnmatch
import os
import sys

import run_kernels

FOLDER = os.path.join(run_kernels.HERE, "claims")
TABLE = os.path.join(FOLDER, "claims.txt")
BARRIER = os.path.join(FOLDER, "xf_barrier.ptx")
CHIPS = ["gtx980", "quadro-k5200", "iris-6100", "hd-5500", "radeon-r9", "radeon-r7", "mali-t628-4", "mali-t628-2"]
MARK = 100      # that xf_barrier.ptx adds to a group's number


def launch(path, options):
    limit = [] if "--max-cycles" in options else ["--max-cycles", run_kernels.MAX_CYCLES]
    return run_kernels.Run([run_kernels.LOCKSTEP, "kernel", path, *options, *limit, "--report", "json"])


def outcome(run):
    """`completed`, `hang simt` ...; what went wrong where there is no report."""
    if not run.report:
        return "timed out" if run.timed_out else run.stderr.strip()[:200] or f"exit status {run.status}"
    return " ".join([run.outcome, *(f["cause"] for f in run.report["findings"])])


def barrier(gpu, groups, threads, local, mode):
    """The barrier of so many work-groups: its outcome and its run."""
    buffers = [word for name in ("flags", "marks", "seen") for word in ("--arg", f"buf:{name}:u32:{groups}:zero")]
    run = launch(BARRIER, ["--gpu", gpu, "--grid", str(groups), "--block", str(threads), "--shared", str(local), "--mode", mode, *buffers, "--dump", "seen"])
    if outcome(run) == "completed" and run.dumps()["seen"] != [MARK + (k + 1) % groups for k in range(groups)]:
        return "completed, but not as a barrier", run
    return outcome(run), run


def golden(gpu, name, options):
    """A kernel of tests/kernel/, as it says itself."""
    name, _, wanted = name.partition(":")
    path = os.path.join(run_kernels.KERNELS, name)
    test = run_kernels.Test(path + next(end for end in (".ptx", ".cu", ".cl") if os.path.exists(path + end)))
    chosen = next(l for l in test.launches if l.name == wanted)
    return run_kernels.Run(test.command(chosen, ["--gpu", gpu, "--divergence", "stack", *options]))


def gpus_of(words):
    return CHIPS if words == "all" else words.split(",")


def see_outcome(words):
    """One outcome when it is the same everywhere; else one for each GPU."""
    gpus, kernel, *options = words
    if kernel == "xf_barrier":
        groups, threads = map(int, options)
        seen = {gpu: barrier(gpu, groups, threads, 1, "timing")[0] for gpu in gpus_of(gpus)}
    else:
        seen = {gpu: outcome(golden(gpu, kernel, options)) for gpu in gpus_of(gpus)}
    return together(seen)


def see_always(words):
    expression, gpus, kernel, *options = words

    def holds(gpu):
        run = golden(gpu, kernel, options)
        if outcome(run) != "completed":
            return outcome(run)
        return "yes" if eval(expression, {}, run.dumps()) else "no"
    return together({gpu: holds(gpu) for gpu in gpus_of(gpus)})


def together(seen):
    values = set(seen.values())
    return values.pop() if len(values) == 1 else ", ".join(f"{gpu}: {value}" for gpu, value in seen.items())


def see_bounds(words):
    gpu, width, local = words[0], int(words[1]), int(words[2])
    return " ".join(bound(gpu, threads, bytes_) for threads in (1, width) for bytes_ in (1, local))


def bound(gpu, threads, local):
    """The occupancy in the report, when a barrier of so many groups completes and one of one more hangs.  The functional mode is as exact about
    places for groups, and ten times as fast with hundreds of groups of one thread."""
    mode = "functional" if threads == 1 else "timing"
    alone, run = barrier(gpu, 1, threads, local, mode)
    if alone != "completed":
        return alone
    groups = run.report["launches"][0]["occupancy"]["groups"]
    full, more = (barrier(gpu, n, threads, local, mode)[0] for n in (groups, groups + 1))
    return str(groups) if (full, more) == ("completed", "hang occupancy") else f"{groups} ({full}; {groups + 1}: {more})"


SEE = {"outcome": see_outcome, "always": see_always, "bounds": see_bounds}


def claims(patterns):
    with open(TABLE, encoding="utf-8") as file:
        rows = [[field.strip() for field in line.split("|")] for line in file if line.strip() and line[0] != "#"]
    return [row for row in rows if not patterns or any(fnmatch.fnmatch(row[0], p) for p in patterns)]


def see(row):
    kind, *words = row[3].split()
    return SEE[kind](words)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-j", "--jobs", type=int, default=2)
    parser.add_argument("patterns", nargs="*", metavar="CLAIM-PATTERN")
    arguments = parser.parse_args()
    rows = claims(arguments.patterns)
    met = 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for (name, where, expected, how), seen in zip(rows, pool.map(see, rows)):
            met += seen == expected
            print(f"{name}  {'met' if seen == expected else 'NOT MET':<8} expected {expected}; seen {seen}  ({where}; {how})", flush=True)
    print(f"{met} met, {len(rows) - met} not met")
    return met != len(rows) or not rows


if __name__ == "__main__":
    sys.exit(main())
