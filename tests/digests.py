"""Short digests of whole reports: whether anything that a kernel's run says differs from what was accepted, not whether it is right.

tests/reports/FOLDER.txt has the accepted ones of tests/kernel/FOLDER.  A line without indentation names a test and its launch; each line
below it is a run:

    CONFIGURATION CYCLES WARP-INSTRUCTIONS DIGEST

CONFIGURATION is what the run chose, without what changes nothing: the GPU, the divergence model, `functional` where it is not timing, the
scheduler where it is not lrr, and kind=name of each other policy that is not the usual one.  The number of threads is not in it, since the
report does not depend on it.  DIGEST is in three parts: 4 digits for outcome, occupancy and those counters that are not 0, 3 for the dumped
buffers, 3 for findings and printed text (`---` where there are none).  Host time, paths and
the configuration have no part in it, and a new counter, field or policy changes no line."""
import collections
import hashlib
import json
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
FOLDER = os.path.join(HERE, "reports")
NO_NAME = ("gpu", "divergence", "scheduler", "mode")      # options whose values say what they are
ACCEPT = "if that is meant: tests/run_kernels.py --accept ={}, and read the diff"
# What a launch says besides its counters; `progress` and the tables of a profile where they were asked for.
FACTS = ("kernel", "grid", "block", "outcome", "cycles", "warp_instructions", "thread_instructions", "registers_per_thread", "shared_bytes",
         "occupancy", "progress", "lines", "locks", "barriers", "fences")

# Counters that follow from what the digest has: how often each instruction was issued, and on which cores.
FOLLOWS = re.compile(r"sm__(ops_|cores_used)")

Row = collections.namedtuple("Row", "cycles instructions digest")


def hexadecimal(value, digits):
    text = value if isinstance(value, str) else json.dumps(value, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:digits]


def row(report, printed, folder):
    """The row of a report and of what was printed beside it; `folder` is the kernel's, which messages may name."""
    launches = report["launches"]
    facts = [{**{f: l[f] for f in FACTS if f in l}, "counters": {n: v for n, v in l["counters"].items() if v and not FOLLOWS.match(n)}} for l in launches]
    said = [json.dumps(report["findings"], sort_keys=True).replace(folder + "/", ""), printed.replace(folder + "/", "")]
    digest = hexadecimal(facts, 4) + hexadecimal(report["buffers"], 3) + (hexadecimal(said, 3) if report["findings"] or printed else "---")
    return Row(sum(l["cycles"] for l in launches), sum(l["warp_instructions"] for l in launches), digest)


def key(options, usual):
    """The configuration as a line has it.  `options` are those of the command, in order; `usual` has the choices that change nothing."""
    words = []
    for option, value in zip((o.removeprefix("--") for o in options[::2]), options[1::2]):
        if option != "threads" and value not in (usual.get(option), "timing"):
            words.append(value if option in NO_NAME else f"{option}={value}")
    return " ".join(words)


def heading(test, launch):
    """Of a test `FOLDER/NAME`, in the file of its folder."""
    return " ".join([test.partition("/")[2], launch]).rstrip()


# ---- Files ----

def path_of(folder):
    return os.path.join(FOLDER, folder + ".txt")


def read(folder):
    """{heading: {key: row}} of the accepted reports."""
    found, runs = {}, None
    try:
        with open(path_of(folder), encoding="utf-8") as file:
            for line in file:
                if line.startswith("  "):
                    configuration, cycles, instructions, digest = re.fullmatch(r"  (.*) (\d+) (\d+) (\S+)\n", line).groups()
                    runs[configuration] = Row(int(cycles), int(instructions), digest)
                else:
                    runs = found.setdefault(line.rstrip("\n"), {})
    except FileNotFoundError:
        pass
    return found


def write(folder, found):
    if not found:
        os.unlink(path_of(folder))
        return
    with open(path_of(folder) + ".new", "w", encoding="utf-8") as file:
        for name, runs in sorted(found.items()):
            file.write(name + "\n")
            file.writelines(f"  {k} {r.cycles} {r.instructions} {r.digest}\n" for k, r in sorted(runs.items()))
    os.replace(path_of(folder) + ".new", path_of(folder))


# ---- Comparing ----

def differs(accepted, seen):
    """Why the row of a run is not what it was, in words; None when it is."""
    if accepted is None:
        return "no report of this run has been accepted"
    if accepted == seen:
        return None
    before, after = accepted.digest, seen.digest
    parts = [name for name, a, b in (("outcome and counters", 0, 4), ("buffers", 4, 7), ("findings and text", 7, 10)) if before[a:b] != after[a:b]]
    return (f"the report is not the accepted one, in {', '.join(parts)}: cycles {changed(accepted.cycles, seen.cycles)}, "
            f"warp instructions {changed(accepted.instructions, seen.instructions)}")


def changed(before, after):
    return f"{before} -> {after}" if before != after else f"{before} as before"


def accept(seen, names):
    """Takes {test: {heading: {key: row}}} as the accepted reports of these tests, and prints what is new.  `names` are all tests that there
    are: lines of others go away."""
    for folder in sorted({name.partition("/")[0] for name in seen} | left_over(names)):
        before, after = read(folder), {}
        for name, runs in before.items():
            test = f"{folder}/{name.partition(' ')[0]}"
            if test in names and test not in seen:
                after[name] = runs
        for test in seen:
            if test.startswith(folder + "/"):
                after.update(seen[test])
        if after != before:
            write(folder, after)
            print(summary(folder, before, after))


def left_over(names):
    """Folders that have accepted reports of tests that there are not."""
    files = os.listdir(FOLDER) if os.path.isdir(FOLDER) else []
    return {folder for folder, _, _ in (file.partition(".txt") for file in files)
            if any(f"{folder}/{name.partition(' ')[0]}" not in names for name in read(folder))}


def summary(folder, before, after):
    old, new = ({(h, k): r for h, runs in of.items() for k, r in runs.items()} for of in (before, after))
    both = old.keys() & new.keys()
    different = [k for k in both if old[k] != new[k]]
    cycles = [sum(of[k].cycles for k in both) for of in (old, new)]
    return (f"{os.path.relpath(path_of(folder), os.path.dirname(HERE))}: {len(new.keys() - old.keys())} runs more, {len(old.keys() - new.keys())} fewer, "
            f"{len(different)} of {len(both)} differ; cycles {cycles[0]} -> {cycles[1]}")
