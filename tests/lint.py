#!/usr/bin/env python3
"""`lockstep lint` on every PTX kernel of tests/kernel and tests/lint, against tests/lint/expect.txt: FILE:LINE CAUSE of each spin loop,
what is said of it, and the lines that are named; and on the pairs of lint_pairs.py.

    tests/lint.py            compares; exit status 1 and the lines that differ
    tests/lint.py --accept   rewrites the file, for review

Whatever is listed as `simt` or `alias` must be a loop that can block a warp under the reconvergence stack: most of these kernels hang there
(their .expect says so).  Loops that do not synchronise must not be listed at all."""
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

import golden
import lint_pairs
import run_kernels

BLOCKS = ("simt", "alias")
EXPECTED = os.path.join(run_kernels.ROOT, "tests", "lint", "expect.txt")


def lint(path, *options):
    return subprocess.run([run_kernels.LOCKSTEP, "lint", path, *options], capture_output=True, text=True, cwd=run_kernels.ROOT, timeout=60)


def lines_of(path):
    """The listing of one file; the exit status must agree with it."""
    run = lint(path, "--report", "json")
    if run.returncode not in (0, 3):
        return [f"{path}: {run.stderr.strip() or run.returncode}"]
    report = json.loads(run.stdout)
    causes = [finding["cause"] for finding in report["findings"]]
    if (run.returncode == 3) != any(cause in BLOCKS for cause in causes):
        return [f"{path}: exit status {run.returncode} with {causes}"]
    return [line for finding in report["findings"] for line in listing(path, finding)]


def listing(path, finding):
    """A loop: where it is and what can come of it; then what is said, and the lines that belong to it."""
    place = finding["lines"][0]
    yield f"{path}: {os.path.basename(place['file'])}:{place['line']} {finding['cause']}"
    yield "    " + re.sub(r"[^ ]*/([^ /]+:\d+)", r"\1", finding["message"])
    for line in finding["lines"]:
        yield f"    {os.path.basename(line['file'])}:{line['line']}: {line['role']}"


def check_sarif():
    """A SARIF log has the same findings with their levels; a file that is not there is one line and exit status 2."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "lint.sarif")
        lint("tests/kernel/hang/lock_order.ptx", "--findings", path)
        with open(path, encoding="utf-8") as file:
            results = json.load(file)["runs"][0]["results"]
    wrong = [] if [r["level"] for r in results] == ["warning", "warning", "note"] else [f"SARIF levels: {results}"]
    missing = lint("tests/lint/missing.ptx")
    if missing.returncode != 2 or missing.stderr.count("\n") != 1:
        wrong.append(f"missing file: {missing.returncode} {missing.stderr}")
    return wrong


def check_pairs():
    """Each kernel of lint_pairs.py has one loop, and it is one that can block a warp or not."""
    text, kernels = lint_pairs.module()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "pairs.ptx")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        run = lint(path, "--report", "json")
    if run.returncode != 3:
        return [f"pairs: {run.returncode} {run.stderr}"]
    found = [(finding["lines"][0]["line"], finding["cause"]) for finding in json.loads(run.stdout)["findings"]]
    wrong = []
    for rule, first, last, blocks in kernels:
        causes = [cause for line, cause in found if first <= line <= last]
        if len(causes) != 1 or (causes[0] in BLOCKS) != blocks:
            wrong.append(f"pairs: {rule}: {'can' if blocks else 'cannot'} block, seen {causes}")
    return wrong


def main():
    paths = sorted(glob.glob("tests/kernel/*/*.ptx", root_dir=run_kernels.ROOT) + glob.glob("tests/lint/*.ptx", root_dir=run_kernels.ROOT))
    seen = [line for path in paths for line in lines_of(path)]
    wrong = golden.differences(EXPECTED, seen, context=0)
    if wrong is None:
        return 0
    wrong += check_sarif() + check_pairs()
    print("\n".join(wrong) or f"{len(paths)} files, {sum(not line.startswith(' ') for line in seen)} spin loops as expected")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
