#!/usr/bin/env python3
"""Whether litmus tests with loops end: what `lockstep litmus` says of the programs of tests/progress.py must be what that file works out from the
definitions of the progress models.  tests/progress.py holds the search of `lockstep kernel --schedules` to the same.

    LOCKSTEP=build/release/lockstep tests/litmus_progress.py [--programs N]"""
import argparse
import itertools
import json
import os
import subprocess
import sys
import tempfile

import progress

LOCKSTEP = os.path.abspath(os.environ.get("LOCKSTEP", os.path.join(os.path.dirname(os.path.abspath(__file__)), "../build/release/lockstep")))


def column(thread):
    """The lines of a thread; its labels are the numbers of instructions."""
    for number, i in enumerate(thread):
        yield f"L{number}:"
        if i.check is None:
            yield f"st.relaxed.gpu m{i.place}, {i.value}"
            continue
        yield f"ld.relaxed.gpu r0, m{i.place}" if i.value is None else f"atom.relaxed.gpu.exch r0, m{i.place}, {i.value}"
        yield f"beq r0, {i.check}, L{i.target}"
    yield f"L{len(thread)}:"


def text_of(program, name):
    places = " | ".join(f"P{t}@cta {t},gpu 0" for t in range(len(program)))
    rows = [" | ".join(row) + " ;" for row in itertools.zip_longest(*map(column, program), fillvalue="")]
    return "\n".join([f"PTX {name}", "{ m0=0; m1=0; }", places + " ;", *rows, "exists (0 == 0)", ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--programs", type=int, default=150)
    arguments = parser.parse_args()
    programs = {name: progress.Program(map(progress.read_thread, threads)) for name, threads in progress.IDIOMS.items()}
    drawn = [(name, program) for name, program in progress.drawn_programs() if program.warps == 1]
    programs.update(drawn[:: max(1, len(drawn) // arguments.programs)])
    with tempfile.TemporaryDirectory() as folder:
        for name, program in programs.items():
            with open(os.path.join(folder, name + ".litmus"), "w", encoding="utf-8") as file:
                file.write(text_of(program, name))
        run = subprocess.run([LOCKSTEP, "litmus", folder, "--runs", "1", "--report", "json"], stdout=subprocess.PIPE, text=True)
        tests = {test["name"]: test for test in json.loads(run.stdout)["tests"]}
    failed = 0
    for name, program in programs.items():
        expected = progress.expected(program)
        # The report leaves out what always finishes: nothing in the test goes back.
        said = tests[name].get("progress", dict.fromkeys(expected, "always finishes")) if name in tests else "refused"
        if said != expected:
            failed += 1
            print(f"FAILED {name}: {said}, expected {expected}\n{text_of(program, name)}")
    print(f"{len(programs) - failed} passed, {failed} failed")
    return 1 if failed or run.returncode else 0


if __name__ == "__main__":
    sys.exit(main())
