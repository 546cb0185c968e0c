#!/usr/bin/env python3
"""What is said of every hang of tests/kernel: the whole finding, word for word, against tests/findings/expect.txt.

    tests/findings.py            compares; exit status 1 and the lines that differ
    tests/findings.py --accept   rewrites the file, for review

run_kernels.py asks for a cause and some words under every configuration.  Here each kernel of FOLDERS is run in three, with lanes on a stack,
one by one, and in functional mode, and all is compared that could name the wrong thread, line, address or number.  Left out are paths, counts
that are a matter of timing, and what to do about the cause, which tests/unit/causes_test.c has.  Kernels that complete are not listed."""
import concurrent.futures
import glob
import json
import os
import re
import subprocess
import sys

import golden
import run_kernels

EXPECTED = os.path.join(run_kernels.ROOT, "tests", "findings", "expect.txt")
FOLDERS = (("hang", "ptx"), ("verdict", "ptx"), ("lock", "ptx"), ("paper1", "ptx"), ("lock_bits", "cl"), ("hang", "cl"),
           ("setmaxnreg", "ptx"))
CONFIGURATIONS = {
    "stack": run_kernels.Configuration(gpu="gtx480", divergence="stack", scheduler="gto", mode="timing", seed=1),
    "independent": run_kernels.Configuration(gpu="v100", divergence="independent", scheduler="gto", mode="timing", seed=1),
    "functional": run_kernels.Configuration(gpu="gtx480", divergence="stack", scheduler="lrr", mode="functional", seed=1),
}


def place(file, line):
    return f"{os.path.basename(file)}:{line}"


def thread(t):
    return "".join(f"({','.join(map(str, t[k]))})" for k in ("group", "thread"))


def words(finding):
    """The lines of one finding."""
    parts = finding.get("verdict", {"what": finding["message"]})
    shown = " ".join(parts[name] for name in ("what", "who", "checked") if name in parts)
    sure = "confirmed" if finding.get("confirmed") else "not confirmed"
    yield f"    {finding.get('cause', finding['kind'])}, {finding.get('certainty')}, {sure}"
    yield "    " + shown
    for line in finding.get("lines", []):
        yield f"        {place(line['file'], line['line'])}: {line.get('role', '')}"
    for t in finding.get("threads", []):
        yield f"        {thread(t)}: {t['state']}"
    for address in finding.get("addresses", []):
        yield f"        {address}"


def run(path, launch, configuration):
    expectation = run_kernels.Expectation(os.path.splitext(path)[0] + ".expect")
    if any(configuration.matches(condition, launch) for condition, _ in expectation.skips):
        return []
    options = [*run_kernels.TURNS, "--max-cycles", run_kernels.MAX_CYCLES, *configuration.options(launch), *launch.options]
    command = [run_kernels.LOCKSTEP, "kernel", path, "--report", "json", *options]
    done = subprocess.run(command, capture_output=True, text=True, cwd=os.path.dirname(path), timeout=run_kernels.TIMEOUT, check=False)
    if done.returncode != run_kernels.EXIT_STATUS["hang"]:
        return []
    lines = [line for finding in json.loads(done.stdout)["findings"] for line in words(finding)]
    lines = [re.sub(r"[^ ]*/([^ /]+\.(?:ptx|cu|cl))\b", r"\1", line) for line in lines]
    lines = [re.sub(r"\bin turn (?=\d+)", "in cycle ", line) for line in lines]
    return [re.sub(r"\bcycle \d+|\b\d+ (?=cycles|loads got|warp instructions)", lambda m: re.sub(r"\d+", "N", m[0]), line) for line in lines]


def listing(path, launch, found):
    """Of one launch: what the configurations have in common is listed once."""
    name = os.path.relpath(os.path.splitext(path)[0], run_kernels.KERNELS) + (" " + launch.name if launch.name else "")
    for k, lines in enumerate(found):
        if lines and lines not in found[:k]:
            same = [other for other, others in zip(CONFIGURATIONS, found) if others == lines]
            yield f"{name}, {', '.join(same)}"
            yield from lines


def main():
    paths = sorted(p for folder, kind in FOLDERS for p in glob.glob(f"{run_kernels.KERNELS}/{folder}/*.{kind}"))
    launches = [(p, launch) for p in paths for launch in run_kernels.launches_of(p)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = list(pool.map(lambda job: run(*job), [(*l, c) for l in launches for c in CONFIGURATIONS.values()]))
    count = len(CONFIGURATIONS)
    seen = [line for k, l in enumerate(launches) for line in listing(*l, found[count * k:count * (k + 1)])]
    wrong = golden.differences(EXPECTED, seen, context=1)
    if wrong is None:
        return 0
    print("\n".join(wrong) or f"{sum(map(bool, found))} hangs as expected")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
