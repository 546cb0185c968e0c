"""Measures of how the sources hang together, and their ceilings. scripts/check-includes prints them and fails when one is broken.

A ceiling only falls. A commit that lowers a figure lowers its ceiling, so that the next commit cannot lose it again.
`raised` compares the ceilings with those of the commit before. Only `lines of src/` may rise: for a new capability, in a commit that says by how much.
"""

import ast
import os
import re
import subprocess

# figure: (limit, kind). "exact": a better figure must be written here. "most": no more than that. "least": no fewer.
CEILINGS = {
    "modules in the largest cycle of includes": (3, "exact"),
    "cycles of more than 3 modules": (0, "exact"),
    "includes of machine/ that point up": (0, "exact"),
    "includes of host/ that point up": (0, "exact"),
    "members of the largest struct": (35, "exact"),
    "files that test ->functional": (14, "exact"),
    "files that test ->firmware, outside its own": (0, "exact"),
    "lines of src/, asserts not counted": (186_500, "most"),
    "asserts for 1,000 functions of machine/, memory/, race/": (1129, "least"),
}

# The folders of a layer, from the bottom up; "." is its own files. Each may include those before it, and itself.
SUBLAYERS = {
    "machine": ["state", "core", "lsu", "runtime", "nodes", "control", "observe", "gpu", "progress"],
    "host": [".", "cuda", "opencl"],
}

# Structs whose members a vendor's interface prescribes.
PRESCRIBED = ("src/host/cuda/", "src/host/opencl/")
FIRMWARE = ("src/machine/gpu/firmware", "src/api/firmware", "src/check/firmware", "src/cli/firmware", "src/host/opencl/firmware")
ASSERTED = ("src/machine/", "src/memory/", "src/race/")

NOT_CODE = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.M)
STRUCT = re.compile(r"\bstruct\s+(\w+)?\s*(?:__attribute__\(\(.*?\)\)\s*)?\{")
ASSERT = re.compile(r"^\s*(?:assert|static_assert|_Static_assert)\s*\(")
# A whole assert, with its further lines; and the include that only asserts need, with the blank line before it.
ASSERTION = re.compile(r"^[ \t]*(?:assert|static_assert|_Static_assert)\s*\([^;]*;[^\n]*\n|^\n?#include <assert\.h>\n", re.M)
FUNCTION = re.compile(r"^(?!typedef|struct \w+ \{|union|enum|#|extern)\w[^;={}]*\)\s*\n?\{", re.M)


def includes_of(sources):
    """[(file, line, included file)], for includes of files in src/."""
    found = []
    for path, text in sources.items():
        for match in INCLUDE.finditer(text):
            name = "src/" + match.group(1)
            if name in sources:
                found.append((path, text.count("\n", 0, match.start()) + 1, name))
    return found


def module_of(path):
    """A header and the source beside it are one module."""
    return os.path.splitext(path)[0]


def cycles_of(includes):
    """The sets of modules that include each other, directly or not, the largest first (Tarjan's algorithm, without recursion)."""
    after = {}
    for path, _, name in includes:
        after.setdefault(module_of(path), set()).add(module_of(name))
        after.setdefault(module_of(name), set())
    order, low, stack, on_stack, cycles = {}, {}, [], set(), []
    for root in after:
        if root in order:
            continue
        walk = [(root, None)]
        while walk:
            module, left = walk.pop()
            if left is None:
                order[module] = low[module] = len(order)
                stack.append(module)
                on_stack.add(module)
                left = sorted(after[module])
            while left:
                other = left[-1]
                if other not in order:
                    walk += [(module, left), (other, None)]
                    break
                left.pop()
                if other in on_stack:
                    low[module] = min(low[module], low[other])
            else:
                if low[module] == order[module]:
                    at = stack.index(module)
                    cycles.append(set(stack[at:]))
                    on_stack.difference_update(stack[at:])
                    del stack[at:]
    return sorted((c for c in cycles if len(c) > 1), key=len, reverse=True)


def points_up(layer, includes):
    """[(file, line, included file)] against the order of the layer's folders."""
    rank = {name: k for k, name in enumerate(SUBLAYERS[layer])}

    def place(path):
        parts = path.split("/")[1:]
        return rank.get(parts[1] if len(parts) > 2 else ".") if parts[0] == layer else None

    return [i for i in includes if None not in (place(i[0]), place(i[2])) and place(i[2]) > place(i[0])]


def unknown_sublayers(sources):
    for layer, names in SUBLAYERS.items():
        found = {p.split("/")[2] if p.count("/") > 2 else "." for p in sources if p.startswith(f"src/{layer}/")}
        for folder in sorted(found - set(names)):
            yield f"src/{layer}/{folder} is not in SUBLAYERS of scripts/structure.py"


def members_of(text, at):
    """How many members a struct has whose `{` ends at `at`: declarators outside of braces and parentheses within it."""
    members, braces, parentheses = 0, 1, 0
    while braces and at < len(text):
        c = text[at]
        braces += (c == "{") - (c == "}")
        parentheses += (c == "(") - (c == ")")
        members += c in ";," and braces == 1 and parentheses == 0
        at += 1
    return members


def largest_struct(code):
    """(members, name, file)"""
    return max((members_of(text, m.end()), m.group(1) or "(no name)", path) for path, text in code.items() if not path.startswith(PRESCRIBED) for m in STRUCT.finditer(text))


def testing(code, member, own=()):
    return [path for path, text in code.items() if not path.startswith(own) and re.search(rf"->{member}\b", text)]


def measures(sources):
    """{figure: (value, what shows it)} of the sources, {path: text}."""
    code = {path: NOT_CODE.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text) for path, text in sources.items()}
    includes = includes_of(sources)
    cycles = cycles_of(includes)
    members, name, file = largest_struct(code)
    functional, firmware = testing(code, "functional"), testing(code, "firmware", FIRMWARE)
    asserts, functions = 0, 0
    for path, text in code.items():
        if path.startswith(ASSERTED):
            asserts += sum(bool(ASSERT.match(line)) for line in text.split("\n"))
            functions += len(FUNCTION.findall(text))
    found = {
        "modules in the largest cycle of includes": (len(cycles[0]) if cycles else 1, sorted(cycles[0]) if cycles else []),
        "cycles of more than 3 modules": (sum(len(c) > 3 for c in cycles), [" ".join(sorted(c)) for c in cycles if len(c) > 3]),
        "members of the largest struct": (members, [f"struct {name}, {file}"]),
        "files that test ->functional": (len(functional), functional),
        "files that test ->firmware, outside its own": (len(firmware), firmware),
        "lines of src/, asserts not counted": (sum(ASSERTION.sub("", text).count("\n") for text in code.values()), []),
        "asserts for 1,000 functions of machine/, memory/, race/": (1000 * asserts // functions, []),
    }
    for layer in SUBLAYERS:
        up = points_up(layer, includes)
        found[f"includes of {layer}/ that point up"] = (len(up), [f"{path}:{line} includes {name}" for path, line, name in up])
    return found


def breaches(found):
    """A line for each figure that is not as CEILINGS has it."""
    for figure, (limit, kind) in CEILINGS.items():
        value, shown = found[figure]
        if (value < limit) if kind == "least" else (value > limit):
            yield f"{figure}: {value:,}, {'at least' if kind == 'least' else 'at most'} {limit:,}; scripts/check-includes --table shows which"
        elif kind == "exact" and value < limit:
            yield f"{figure}: {value:,}, better than {limit:,}: write that into CEILINGS of scripts/structure.py"


def ceilings_of(text):
    for node in ast.parse(text).body:
        if isinstance(node, ast.Assign) and node.targets[0].id == "CEILINGS":
            return ast.literal_eval(node.value)
    return {}


def raised():
    """A line for each ceiling that is worse than in the last commit, or in that before it."""
    for commit in ("HEAD", "HEAD^"):
        shown = subprocess.run(["git", "show", f"{commit}:scripts/structure.py"], capture_output=True, text=True)
        before = ceilings_of(shown.stdout) if shown.returncode == 0 else {}
        for figure, (limit, kind) in CEILINGS.items():
            was = before.get(figure, (limit, kind))[0]
            if kind != "most" and (limit < was if kind == "least" else limit > was):
                yield f"scripts/structure.py: {figure}: {limit:,} is worse than the {was:,} of {commit}"


def print_table(found, whole):
    for figure, (limit, kind) in CEILINGS.items():
        value, shown = found[figure]
        print(f"{figure:58} {value:>9,}  {'at least' if kind == 'least' else 'at most'} {limit:,}")
        for line in shown if whole else []:
            print("    " + line.removeprefix("src/"))
