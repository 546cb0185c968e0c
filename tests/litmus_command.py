#!/usr/bin/env python3
"""What `lockstep litmus` says of the tests in tests/litmus.

    LOCKSTEP=build/release/lockstep tests/litmus_command.py [--runs N]

The verdict of the model is that of the literature, which each file's condition and comment have; no forbidden outcome shows on v100; what
hardware does not keep in order shows up at least once; a GPU that is weaker than the model, Fermi, is found out; no GPU shows what the
abstract machine of its fields cannot, nor another memory than docs/litmus.md says; and neither the number of jobs nor another run changes a
byte."""
import argparse
import glob
import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
FOLDER = os.path.join(HERE, "litmus")
LOCKSTEP = os.path.abspath(os.environ.get("LOCKSTEP", os.path.join(HERE, "../build/release/lockstep")))
# Allowed, and so frequent that they show in a few launches.
PROVOKED = ["mp-weak", "mp-relaxed", "mp-rel-acq-cta", "sb-weak", "lb-relaxed", "2+2w-relaxed", "s-relaxed", "lock-no-fences"]
# What is drawn for the launches is to show so many of the outcomes that v100 can show at all.
REACHED = 0.88
# Likewise where all ways to the L2 are as long: packets pass each other by jitter (docs/weak-memory.md).
JITTER = ["mp-relaxed", "sb-volatile", "lb-relaxed", "2+2w-relaxed"]
# Seen on Fermi's chips, whose L1 nothing invalidates, though the model forbids it (Alglave et al., ASPLOS 2015).
FERMI = ["corr-strong-weak", "mp-membar"]
# Other kinds of memory: L1s that membar does not empty and loads that pass; a directory.
MEMORIES = ["gtx480", "apu-2014"]
DOC = os.path.join(HERE, "../docs/litmus.md")


def run(paths, runs, *options):
    """The exit status, and the report as text."""
    run = subprocess.run([LOCKSTEP, "litmus", *paths, "--runs", str(runs), "--report", "json", *options], stdout=subprocess.PIPE, text=True)
    return run.returncode, run.stdout


def verdict_in_file(path):
    """Whether the comment says that the condition is allowed, forbidden or holds always."""
    with open(path, encoding="utf-8") as file:
        return re.search(r"The condition (?:is )?(allowed|forbidden|holds always)\.", file.read())[1]


def check_reach(gpu, test):
    """A line for each outcome that was seen although the abstract machine of the GPU's memory cannot reach it."""
    for outcome in test["outcomes"]:
        if outcome["count"] and outcome.get("can_be_shown") is False:
            yield f"{test['name']} on {gpu}: seen, though it cannot be shown: {outcome['values']}"


def check_stress(tests):
    """A line when too few of the outcomes that can be shown were seen; one that needs an L1 to drop its line between two loads was."""
    counts = [outcome["count"] for test in tests for outcome in test["outcomes"] if outcome["allowed"] and outcome.get("can_be_shown")]
    seen = sum(count > 0 for count in counts)
    if seen < REACHED * len(counts):
        yield f"{seen} of {len(counts)} outcomes that v100 can show were seen, expected {REACHED:.0%}"
    later = {"P1:r0": 0, "P1:r1": 1}
    if not any(test["name"] == "CoRR+weak" and o["values"] == later and o["count"] for test in tests for o in test["outcomes"]):
        yield "CoRR+weak: two loads with a store between them were not seen"


def check_memories():
    """A line for each GPU whose memory is not that of the table in the documentation."""
    rows = [[cell.strip() for cell in line.strip("|\n ").split("|")] for line in open(DOC, encoding="utf-8") if line.startswith("| `")]
    rows = {gpu: row[1:] for row in rows if set(row[1:]) <= {"yes", "no"} for gpu in re.findall("`(.*?)`", row[0])}
    listed = subprocess.run([LOCKSTEP, "gpus"], stdout=subprocess.PIPE, text=True).stdout
    gpus = re.findall(r"^(\S+)", listed, re.M)
    if not gpus or sorted(gpus) != sorted(rows):
        yield f"docs/litmus.md has other GPUs than `lockstep gpus`: {sorted(set(gpus) ^ set(rows))}"
    for gpu in rows:
        text = subprocess.run([LOCKSTEP, "litmus", "--reaches", "--gpu", gpu, "--report", "json"], stdout=subprocess.PIPE, text=True).stdout
        does = [(what["field"], what["does"]) for what in json.loads(text)["memory"]]
        if [("no", "yes")[yes] for field, yes in does if field] != rows[gpu]:
            yield f"{gpu}: docs/litmus.md has {rows[gpu]}, --reaches {does}"
        if any(yes for field, yes in does if not field):
            yield f"{gpu}: does what no field says: {does}"


def check_test(test):
    """A line for each thing that is wrong."""
    name = os.path.splitext(os.path.basename(test["file"]))[0]
    said = verdict_in_file(test["file"])
    if not test["agrees"]:
        yield f"{name}: the model does not agree with the condition"
    if said != ("holds always" if test["condition"].startswith("forall") else "allowed" if test["allowed"] else "forbidden"):
        yield f"{name}: the comment says {said}, the model does not"
    if test["forbidden"]:
        yield f"{name}: forbidden outcomes were seen {test['forbidden']} times"
    if name in PROVOKED and not test["seen"]:
        yield f"{name}: was not seen"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--runs", type=int, default=2048, help="of each test")
    arguments = parser.parse_args()
    wrong = []
    status, text = run([FOLDER], arguments.runs)
    report = json.loads(text)
    for test in report["tests"]:
        wrong += check_test(test)
        wrong += check_reach("v100", test)
    wrong += check_stress(report["tests"])
    wrong += check_memories()
    for gpu in MEMORIES:
        wrong += [line for test in json.loads(run([FOLDER], 1, "--gpu", gpu)[1])["tests"] for line in check_reach(gpu, test)]
    if status or report["refused"] or len(report["tests"]) != len(glob.glob(FOLDER + "/*.litmus")):
        wrong.append(f"exit status {status}, {report['refused']} refused, {len(report['tests'])} tests")
    for name in FERMI:
        status, text = run([f"{FOLDER}/{name}.litmus"], arguments.runs, "--gpu", "gtx480")
        if status != 1 or not json.loads(text)["tests"][0]["forbidden"]:
            wrong.append(f"{name} on gtx480: exit status {status}, the forbidden outcome was not seen")
    for name in JITTER:
        status, text = run([f"{FOLDER}/{name}.litmus"], arguments.runs, "--set", "crossbar.spread=0")
        if status or not json.loads(text)["tests"][0]["seen"]:
            wrong.append(f"{name}: was not seen by jitter alone")
    one = run([f"{FOLDER}/mp-weak.litmus"], 4096, "--seed", "5")
    if one != run([f"{FOLDER}/mp-weak.litmus"], 4096, "--seed", "5", "--jobs", "3"):
        wrong.append("--jobs 3 gives another report")
    if one == run([f"{FOLDER}/mp-weak.litmus"], 4096, "--seed", "6"):
        wrong.append("--seed 6 gives the same report")
    print("\n".join(wrong) or f"{len(report['tests'])} tests passed")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
