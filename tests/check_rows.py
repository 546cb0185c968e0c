#!/usr/bin/env python3
"""Every instruction of src/ptx/ops.def must be reached by some kernel of tests/kernel: names the rows that none does.

Decides as the parser does: of the rows of the mnemonic whose words are all there and whose types hold the first type written, the first with the most
words, as a row does not take the words of another one."""
import os
import re
import sys

import run_kernels

VECTORS = {"v2", "v4", "v8"}
SOURCE = os.path.join(run_kernels.ROOT, "src", "ptx")


def read(name):
    with open(os.path.join(SOURCE, name), encoding="utf-8") as file:
        return re.sub(r"/\*.*?\*/", "", file.read().replace("\\\n", " "), flags=re.S)


def type_sets():
    """Names of types, as written, by the name of their set."""
    text = dict(re.findall(r'TYPE\((\w+), *"(\w+)"', read("types.def")))
    sets = {}
    for name, body in re.findall(r"#define FOR_(\w+)\(X, \.\.\.\)(.*)", read("type_sets.h")):
        sets[name] = {text[t] for t in re.findall(r"\bX\((\w+),", body) if t in text}
        sets[name] |= set().union(*(sets[s] for s in re.findall(r"\bFOR_(\w+)\(", body)))
    return sets


def rows():
    """(id, mnemonic, words, types, how many types may be written, whether vectors may), in order; the refused ones have None for types."""
    sets = type_sets()
    for kind, arguments in re.findall(r"^(LANE|WARP|CORE|REFUSED)\((.*)", read("ops.def"), re.M):
        name, spelling, rest = re.match(r'(\w+),\s*"([^"]+)",(.*)', arguments).groups()
        mnemonic, *words = spelling.split(".")
        fields = [f.strip() for f in rest.split(",")]
        most = 1 if kind == "REFUSED" else 3 if "TYPE3" in fields[0] or "VIDEO" in fields[0] else 2 if "TYPE2" in fields[0] else 1
        yield name, mnemonic, set(words), None if kind == "REFUSED" else sets[fields[3]], most, "VECTOR" in fields[0]


def instructions():
    """(mnemonic, words) of every instruction in the kernels."""
    found = set()
    for path in run_kernels.tests([]):
        if path.endswith(".ptx"):
            with open(path, encoding="utf-8") as file:
                text = re.sub(r"//.*|/\*.*?\*/", "", file.read())
            for spelling in re.findall(r"(?:^|[;{}:\s])([a-z]\w*(?:\.\w+(?:::\w+)*)*)(?=[\s;])", text):
                mnemonic, *words = spelling.split(".")
                found.add((mnemonic, tuple(words)))
    return found


def main():
    table, reached = list(rows()), set()
    known = set().union(*(types for *_, types, _, _ in table if types))
    for mnemonic, words in instructions():
        best = (None, set())
        for name, row_mnemonic, row_words, types, most, vectors in table:
            written = [w for w in words if w in known and w not in row_words]
            fits = types is None or not types or bool(written) and written[0] in types and len(written) <= most
            fits = fits and (vectors or types is None or not VECTORS & set(words))
            if row_mnemonic == mnemonic and row_words <= set(words) and fits and (not best[0] or len(row_words) > len(best[1])):
                best = (name, row_words)
        reached |= {best[0]} if best[0] else set()
    missing = [name for name, *_, types, _, _ in table if types is not None and name not in reached]
    for name in missing:
        print(f"ops.def: {name}: no kernel in tests/kernel reaches it")
    print(f"{len(reached)} passed, {len(missing)} failed")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
