#!/usr/bin/env python3
"""The table of causes in docs/hangs.md against src/check/causes.def: the same causes in the same order, with the same words; each has a section there,
or a page of its own, and a kernel that is expected to hang by it.  Likewise the causes of faults, in docs/faults.md against
src/machine/core/faults.def: each with a kernel, but for those that need several kernels."""
import os
import re
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
NAMELESS = {"unknown"}  # no cause: said of it in "Confirmed"
TOGETHER = {"other"}  # tests/unit/concurrent_test.c, drop_test.c


def read(*path):
    with open(os.path.join(ROOT, *path), encoding="utf-8") as file:
        return file.read()


def rows():
    """(name, what happens) of each row."""
    found = re.findall(r'^CAUSE\(\w+, "([^"]+)", \w+, "([^"]*)"', read("src", "check", "causes.def"), re.M)
    return [row for row in found if row[0] not in NAMELESS]


def documented(text):
    section = text[text.index("\n## The causes\n"):]
    table = section[section.index("| cause |"):]
    return re.findall(r"^\| `([a-z-]+)` \| (.*?) \|", table[: table.index("\n\n")], re.M)


def expected():
    """All causes that some kernel is expected to hang by: in its .expect file, in the golden findings, or under `lockstep run`."""
    found = set(re.findall(r"^    ([a-z-]+), (?:proved|suspected)", read("tests", "findings", "expect.txt"), re.M))
    found |= set(re.findall(r'": \("([a-z-]+)"', read("tests", "host", "stalled.py")))
    for folder, _, names in os.walk(os.path.join(ROOT, "tests", "kernel")):
        for name in names:
            if name.endswith(".expect"):
                found |= set(re.findall(r"^ *finding ~([a-z-]+):", read(folder, name), re.M))
    return found


def fault_rows():
    """(cause, kind, what happened) of each row."""
    return re.findall(r'^FAULT\((\w+), (\w+), "([^"]*)"\)', read("src", "machine", "core", "faults.def"), re.M)


def documented_faults():
    text = read("docs", "faults.md")
    section = text[text.index("\n## Causes of faults\n"):]
    section = section[: section.index("\n## Bad accesses\n")]
    return re.findall(r"^\| `([a-z]+)` \| ([a-z]+) \| (.*?) \|$", section, re.M)


def wrong_faults(tested):
    table, docs = fault_rows(), documented_faults()
    wrong = [f"docs/faults.md: {a} in the table of faults, {b} in faults.def" for a, b in zip(docs, table) if a != b]
    if len(docs) != len(table):
        wrong.append(f"docs/faults.md: {len(docs)} causes of faults in the table, {len(table)} in faults.def")
    return wrong + [f"tests/kernel: no kernel is expected to fault by '{cause}'" for cause, *_ in table
                    if cause not in tested and cause not in TOGETHER]


def main():
    table, docs, tested = rows(), read("docs", "hangs.md"), expected()
    wrong = [f"docs/hangs.md: {a} in the table, {b} in causes.def" for a, b in zip(documented(docs), table) if a != b]
    if len(table) != len(documented(docs)):
        wrong.append(f"docs/hangs.md: {len(documented(docs))} causes in the table, {len(table)} in causes.def")
    wrong += [f"docs/hangs.md: no section '### {name}', nor a link to its page" for name, words in table
              if f"\n### {name}\n" not in docs and "](" not in words]
    wrong += [f"tests/kernel: no kernel is expected to hang by '{name}'" for name, _ in table if name not in tested]
    wrong += wrong_faults(tested)
    for line in wrong:
        print(line)
    print(f"{len(table)} causes of hangs, {len(fault_rows())} of faults, {len(wrong)} failed")
    return 1 if wrong or not table else 0


if __name__ == "__main__":
    sys.exit(main())
