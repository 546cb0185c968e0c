#!/usr/bin/env python3
"""JSON from outside: real reports and timelines in which one member at a time is of another type, negative, huge, null or missing.

    tests/hostile_results.py READER      READER: the program of tests/hostile_results.c, which changes and reads them in one process

A sample goes through the command: exit status 0 or 2, and then one line that names the member."""
import json
import os
import re
import subprocess
import sys
import tempfile

import run_kernels

LOCK = "tests/kernel/lock/spin_safe.ptx --grid 3 --block 32 --arg buf:lock:s32:4:fill=-1 --arg buf:count:u32:4:zero --arg u32:0 --dump lock"
BARRIER = "tests/kernel/barrier/reduction.ptx --grid 1 --block 96 --arg buf:out:u32:384:zero"
FENCE = "tests/kernel/fence/waits.ptx"
HANG = "tests/kernel/hang/lost_release.ptx --grid 2 --block 1 --arg buf:lock:u32:1:zero"
SEARCH = "tests/kernel/hang/chain.ptx --grid 2 --arg buf:flags:u32:3:zero --mode functional --dispatch obe --schedules 1000"
failures = []


def lockstep(*words):
    return subprocess.run([run_kernels.LOCKSTEP, *words], capture_output=True, text=True, cwd=run_kernels.ROOT, timeout=60)


def fence_words():
    """As its test launches it."""
    with open(os.path.join(run_kernels.ROOT, FENCE), encoding="utf-8") as file:
        return f"{FENCE} {re.search('^// launch[^:]*: (.*)$', file.read(), re.M).group(1)}"


def make_reports(folder):
    """Of every kind: lines, locks, barriers, fences, samples; findings; a search of schedules; what is suppressed; a timeline."""
    names = {}
    suppressions = os.path.join(folder, "all.supp")
    with open(suppressions, "w", encoding="utf-8") as file:
        file.write("{\n\tname: all\n\tkind: *\n}\n")
    trace = os.path.join(folder, "trace.json")
    for name, words in {"lock": f"{LOCK} --profile --samples 1000 --trace {trace}", "barrier": f"{BARRIER} --profile", "fence": f"{fence_words()} --profile", "hang": HANG,
                        "search": SEARCH, "suppressed": f"{HANG} --suppressions {suppressions}"}.items():
        names[name] = os.path.join(folder, f"{name}.json")
        made = lockstep("kernel", *words.split(), "--report", "json", "--output", names[name])
        assert made.returncode in (0, 3) and os.path.exists(names[name]), f"{words}: {made.stderr}"
    with open(names["lock"], encoding="utf-8") as file:
        report = json.load(file)
    for member in ("lines", "locks", "samples"):
        assert report["launches"][0][member], member
    report["program"] = {"words": ["a"], "status": 0}   # as of `lockstep run`
    report["notes"] = ["a note"]
    with open(names["lock"], "w", encoding="utf-8") as file:
        json.dump(report, file)
    return [*names.values(), trace], report


def check_command(report, folder):
    """The messages, word for word, and what is no JSON."""
    file = os.path.join(folder, "changed.json")
    worst = report["launches"][0]["locks"][0]["worst"]
    lines = {
        ("launches[0].locks[0].worst.group", "expected three numbers, got a string"): lambda: worst.update(group="0,0,0"),
        ("launches[0].locks[0].worst.thread", "expected three numbers, got a list of 2"): lambda: worst.update(thread=[0, 0]),
        ("launches[0].locks[0].worst.thread[1]", "expected a whole number from 0 to 4294967295, got -1"): lambda: worst.update(thread=[0, -1, 0]),
        ("launches[0].cycles", "expected a whole number from 0 to 18446744073709551614, got 1e+30"): lambda: report["launches"][0].update(cycles=1e30),
        ("launches", "expected a list, got an object"): lambda: report.update(launches={}),
        ("configuration[\"core.warp_size\"]", "expected a whole number from 0 to 18446744073709551614, got null"): lambda: report["configuration"].update({"core.warp_size": None}),
    }
    for (path, said), change in lines.items():
        whole = json.dumps(report)
        change()
        check_refused(file, json.dumps(report), f"{file}: {path}: {said}")
        report.clear()
        report.update(json.loads(whole))
        worst = report["launches"][0]["locks"][0]["worst"]
    check_refused(file, '{"schema": "lockstep-report/1", "launches": [{"cycles": 99999999999999999999999}]}',
                  f"{file}: launches[0].cycles: expected a whole number from 0 to 18446744073709551614, got 18446744073709551615")
    expected = "expected a report that --report json has written"
    for text, where in {"": "1:1", "null": "1:1", "[]": "1:1", "7": "1:1", "{} {}": "1:4", '{"schema": "lockstep-report/1"': "1:31",
                        '{"a": 1e}': "1:*", '{"a": nan}': "1:*", "[" * 100: "1:*", '{"schema": "lockstep-report/1"}\0{': "1:*"}.items():
        check_refused(file, text, f"{file}:{where}: * {expected}")


def check_refused(file, text, expected):
    with open(file, "w", encoding="utf-8") as out:
        out.write(text)
    pattern = ".*".join(map(re.escape, expected.split("*"))) + "\n"
    for words in (("report", file), ("compare", file, file)):
        done = lockstep(*words)
        if done.returncode != 2 or done.stdout or not re.fullmatch(pattern, done.stderr):
            failures.append(f"{words[0]} of {text[:60]!r}: status {done.returncode}, {done.stderr!r}, expected {expected!r}")


def main():
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as folder:
        files, report = make_reports(folder)
        done = subprocess.run([sys.argv[1], *files], capture_output=True, text=True, timeout=600, env={**os.environ, "TMPDIR": folder})
        print(done.stdout, end="")
        if done.returncode:
            failures.append(f"{sys.argv[1]}: status {done.returncode}\n{done.stderr[:4000]}")
        check_command(report, folder)
    for failure in failures:
        print(failure)
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
