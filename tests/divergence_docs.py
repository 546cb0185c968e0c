#!/usr/bin/env python3
"""Runs the commands of PAGES, docs/divergence*.md, and compares what they print with the pages.

    tests/divergence_docs.py            compares; exit status 1 and the lines that differ
    tests/divergence_docs.py --accept   writes what they print into the pages, for review

A command is an indented line `$ lockstep ...`; what stands indented below it, up to the next line that is not, is what it prints before the report."""
import difflib
import os
import re
import subprocess
import sys

import run_kernels

PAGES = ["docs/divergence.md", "docs/divergence-locks.md"]
INDENT = "    "
COMMAND = INDENT + "$ lockstep "


def drawings(command):
    """What the command, which may go on through a pipe, prints before its report, without the empty lines at the end."""
    lockstep = os.path.abspath(run_kernels.LOCKSTEP)
    run = subprocess.run(["bash", "-c", f"'{lockstep}' {command}"], capture_output=True, text=True, cwd=run_kernels.ROOT, timeout=60)
    if run.stderr:
        return [run.stderr.strip()]
    return re.split(r"^GPU ", run.stdout, maxsplit=1, flags=re.M)[0].rstrip("\n").split("\n")


def page_as_it_should_be(lines):
    """The page's lines with what the commands print now; and how many there are."""
    made, at, commands = [], 0, 0
    while at < len(lines):
        made.append(lines[at])
        at += 1
        if not made[-1].startswith(COMMAND):
            continue
        commands += 1
        made += [(INDENT + line).rstrip() for line in drawings(made[-1].removeprefix(COMMAND))]
        while at < len(lines) and (lines[at].startswith(INDENT) or not lines[at]):
            at += 1
        made.append("")
    return made, commands


def main():
    wrong, count = [], 0
    for page in PAGES:
        path = os.path.join(run_kernels.ROOT, page)
        with open(path, encoding="utf-8") as file:
            lines = file.read().split("\n")
        made, commands = page_as_it_should_be(lines)
        if "--accept" in sys.argv:
            with open(path, "w", encoding="utf-8") as file:
                file.write("\n".join(made))
            continue
        wrong += list(difflib.unified_diff(lines, made, page, "now", lineterm="", n=0))
        wrong += [] if commands else [f"{page}: no command"]
        count += commands
    if "--accept" in sys.argv:
        return 0
    print("\n".join(wrong) or f"{count} commands print what the pages say")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
