#!/usr/bin/env python3
"""Wrong options of the workloads: one clear line on stderr, nothing on stdout, exit status 2.  No OpenCL device is needed.

    workloads/test_options.py PROGRAM..."""
import subprocess
import sys

WRONG = [
    (["--nonsense", "1"], "unknown option '--nonsense'"),
    (["nonsense"], "unknown option 'nonsense'"),
    (["--size", "large"], "--size large: expected small or paper"),
    (["--size"], "--size: expected a value"),
    (["--seed", "-1"], "--seed -1: expected a number"),
    (["--seed", "1x"], "--seed 1x: expected a number"),
    (["--seed", "99999999999999999999"], "--seed 99999999999999999999: expected a number"),
]


def run(program, *options):
    return subprocess.run([program, *options], capture_output=True, text=True, timeout=60)


def mistakes(program):
    """What is wrong with this program, a line each."""
    name = program.rsplit("/", 1)[-1]
    help_run = run(program, "--help")
    lines = help_run.stdout.splitlines()
    if help_run.returncode or help_run.stderr or not lines or not lines[0].startswith(name + ": "):
        yield f"{name} --help: exit status {help_run.returncode}, {lines[:1]}"
    own = [line.split()[0] for line in lines[1:]]
    for options, expected in WRONG + [([option, "many"], f"{option} many: expected") for option in own]:
        result = run(program, *options)
        line = f"{name}: {expected}"
        if result.returncode != 2 or result.stdout or result.stderr.count("\n") != 1 or not result.stderr.startswith(line):
            yield f"{name} {' '.join(options)}: exit status {result.returncode}, {result.stderr!r}, expected {line!r}"


def main():
    wrong = [line for program in sys.argv[1:] for line in mistakes(program)]
    print("\n".join(wrong) if wrong else f"{len(sys.argv) - 1} programs")
    return bool(wrong) or len(sys.argv) == 1


if __name__ == "__main__":
    sys.exit(main())
