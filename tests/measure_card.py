#!/usr/bin/env python3
"""scripts/measure-card under `lockstep run`: its table has a header, whole rows, and says what was not reached; without a driver and with wrong words it
says so in one line, with status 2.

    LOCKSTEP=build/release/lockstep tests/measure_card.py PROGRAM      PROGRAM: build/release/workloads/silicon"""
import csv
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
LOCKSTEP = os.path.abspath(os.environ.get("LOCKSTEP", os.path.join(HERE, "../build/release/lockstep")))
SCRIPT = os.path.join(HERE, "../scripts/measure-card")


def measure(programs, *words, under=()):
    return subprocess.run([*under, sys.executable, SCRIPT, "--programs", programs, *words], capture_output=True, text=True, check=False, timeout=100)


def check_table(path):
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    heads = [re.match(r"# (.*?):", line)[1] for line in lines if line[0] == "#"]
    assert heads == ["date", "card", "driver", "clocks", "power limit", "at the end"], heads
    assert "# card: NVIDIA GeForce GTX 480 (Lockstep)" in lines and "# driver: Lockstep" in lines, lines[:5]
    rows = list(csv.DictReader(line for line in lines if line[0] != "#"))
    assert rows and all(row["pass"] == "coarse" and None not in row.values() and float(row["cycles_per_op"]) >= 0 for row in rows), rows
    return {(row["set"], row["primitive"]) for row in rows}


def main():
    programs = os.path.dirname(os.path.abspath(sys.argv[1]))
    under = [LOCKSTEP, "run", "--gpu", "gtx480"]
    with tempfile.TemporaryDirectory() as folder:
        table = os.path.join(folder, "card.csv")
        run = measure(programs, "--output", table, "--sets", "fences,rates", "--minutes", "1", under=under)
        assert run.returncode == 0 and re.search(r"coarse fences: 3 of 3\n", run.stdout) and "not reached" not in run.stdout, run
        found = check_table(table)
        assert ("fences", "threadfence_array") in found and ("rates", "fadd_rate") in found and {kind for kind, _ in found} == {"fences", "rates"}, found

        run = measure(programs, "--output", table, "--minutes", "0", under=under)
        assert run.returncode == 0 and "coarse atomics: 0 of 9; not reached: atomicadd_array_v2 " in run.stdout and "0 rows in" in run.stdout, run

        for words, line in [(["--sets", "fences,nonsense"], "measure-card: --sets: there is no set 'nonsense', expected some of waits, "),
                            (["--programs", folder], "measure-card: .*/silicon is not there: `make` builds it")]:
            run = measure(programs, *words)
            assert run.returncode == 2 and not run.stdout and re.fullmatch(line + ".*\n", run.stderr), run
        run = measure(programs, "--output", table, "--minutes", "0")
        if run.returncode: # there is no card
            assert run.returncode == 2 and not run.stdout and re.fullmatch("measure-card: silicon: there is no libcuda.*\n", run.stderr), run
    print("measure-card: as expected")


if __name__ == "__main__":
    main()
