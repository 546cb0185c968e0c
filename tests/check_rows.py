#!/usr/bin/env python3
"""Every instruction of src/ptx/ops.def must be reached by some kernel of tests/kernel: names the rows that none does.

Decides as the parser does: the first row of the mnemonic whose words are all there and whose types hold the first type written."""
import os
import re
import sys

import run_kernels

SOURCE = os.path.join(run_kernels.ROOT, "src", "ptx")


def type_sets():
    with open(os.path.join(SOURCE, "type_sets.h"), encoding="utf-8") as file:
        text = file.read().replace("\\\n", " ")
    sets = {}
    for name, body in re.findall(r"#define TYPES_(\w+)\s+(.*)", text):
        sets[name] = body
    types = set(re.findall(r'TYPE\((\w+)', open(os.path.join(SOURCE, "types.def"), encoding="utf-8").read()))

    def expand(name, depth=0):
        found = set()
        for word in re.findall(r"\w+", sets.get(name, name)):
            word = word.removeprefix("TYPES_").removeprefix("TYPE_")
            if word in sets and word != name and depth < 8:
                found |= expand(word, depth + 1)
            elif word in types:
                found.add(word.lower())
        return found
    return {name: expand(name) for name in list(sets) + list(types)}


def rows():
    """(id, mnemonic, words, types, needs a second type), in order; the refused ones have no types."""
    sets = type_sets()
    with open(os.path.join(SOURCE, "ops.def"), encoding="utf-8") as file:
        text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)
    for kind, arguments in re.findall(r"^(LANE|WARP|CORE|REFUSED)\((.*)", text, re.M):
        name, spelling, *rest = [a.strip() for a in re.match(r'(\w+),\s*"([^"]+)",(.*)', arguments).groups()]
        fields = [f.strip() for f in rest[0].split(",")]
        words = spelling.split(".")
        if kind == "REFUSED":
            yield name, words[0], set(words[1:]), None, False
        else:
            yield name, words[0], set(words[1:]), sets.get(fields[3], set()), name.endswith("_mixed")


def instructions():
    """(mnemonic, words) of every instruction in the kernels."""
    found = set()
    for path in run_kernels.tests([]):
        if path.endswith(".ptx"):
            with open(path, encoding="utf-8") as file:
                text = re.sub(r"//.*|/\*.*?\*/", "", file.read())
            for spelling in re.findall(r"(?:^|[;{}:\s])([a-z]\w*(?:\.[A-Za-z]\w*(?:::\w+)*)*)(?=[\s;])", text):
                mnemonic, *words = spelling.split(".")
                found.add((mnemonic, tuple(words)))
    return found


def main():
    table, reached = list(rows()), set()
    known = {t for _, _, _, types, _ in table if types for t in types}
    for mnemonic, words in instructions():
        written = [w for w in words if w in known]
        for name, row_mnemonic, row_words, types, mixed in table:
            if row_mnemonic != mnemonic or not row_words <= set(words):
                continue
            if types is None or not types and not written or written and written[0] in types and (not mixed or len(written) > 1) or not types:
                reached.add(name)
                break
    missing = [name for name, _, _, types, _ in table if types is not None and name not in reached]
    for name in missing:
        print(f"ops.def: {name}: no kernel in tests/kernel reaches it")
    print(f"{len(reached)} passed, {len(missing)} failed")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
