#!/usr/bin/env python3
"""Whether docs/results is what the papers' experiments give now, and the one command that takes new results.

    tests/results.py [NAME...]                          a quick part of each experiment, its first seed: below a minute of processor time
    tests/results.py --whole [NAME...]                  all of the small size
    tests/results.py --accept [--size paper] [NAME...] [-- OPTION...]
                                                        runs them, writes NAME-SIZE.md and .csv, sums up in README.md and draws.  It goes on where it was
                                                        stopped.  OPTIONs are those of `lockstep experiment`; with --on all run side by side
    tests/results.py --totals                           sums up and draws anew

A claim has moved when its mean is outside the interval that was accepted; where there is none, when it is another at all; and when its result is another.  Of some of
the seeds the mean is compared with the accepted mean of the same seeds, and may differ by half the interval."""
import argparse
import concurrent.futures
import csv
import glob
import json
import math
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
LOCKSTEP = os.path.abspath(os.environ.get("LOCKSTEP", os.path.join(ROOT, "build/release/lockstep")))
RESULTS = os.path.join(ROOT, "docs/results")
RUNS = os.path.join(ROOT, "build/results")
PAPERS = {"lock-instructions": 1, "bows": 2, "lock-bits": 3, "portable-barrier": 4, "channels": 5}
# Sets that are quick and on which whole claims rest.
QUICK = {"lock-instructions": ["queue", "nested"], "bows": ["contention", "fermi"], "lock-bits": ["schemes", "pitfalls"], "portable-barrier": ["recall", "cpu"],
         "channels": ["units", "alone"]}
NUMBERS = {"factor", "points", "ratio", "range", "atmost", "atleast"}
SAME = 1e-9     # a share: what another compiler's arithmetic may differ by in SQL
# From the worst to the best: a claim is as its worst part.
WORST = ["not met", "not met: stale reason", "not met: why", "unsure", "direction only", "not measured", "met"]


class Claim:
    """A row of a table NAME-SIZE.csv: a claim, or a part of one."""

    def __init__(self, row):
        self.key = row["claim"], row["part"]
        self.plan = row["role"], row["kind"], row["paper"]
        self.id, self.role, self.kind, self.result, self.without = row["claim"], row["role"], row["kind"], row["result"], row["without"]
        self.interval = (float(row["low"]), float(row["high"])) if row["low"] else None
        self.values = dict(value.split("=", 1) for value in re.split(r"; (?=\d+=)", row["values"])) if row["values"] else {}
        self.ours = row["ours"]

    def is_factor(self):
        return self.kind == "factor" and all(float(value) > 0 for value in self.values.values())

    def mean(self, seeds):
        """Of these seeds, of a factor in logarithms; None: it has no numbers."""
        try:
            values = [float(self.values[seed]) for seed in seeds]
        except ValueError:
            return None
        return sum(math.log(value) if self.is_factor() else value for value in values) / len(values) if self.kind in NUMBERS else None

    def shown(self):
        return f"{self.ours or '-'}{f' ({self.interval[0]:.6g} to {self.interval[1]:.6g})' if self.interval else ''}, {self.result}"


def read(path):
    with open(path, encoding="utf-8", newline="") as file:
        return {claim.key: claim for claim in map(Claim, csv.DictReader(line for line in file if not line.startswith("#")))}


def table(name, size="small"):
    return os.path.join(RESULTS, f"{name}-{size}.csv")


# ---- Running ----

def experiment(name, folder, *words, log=None):
    """Status 1 is of points without a result."""
    command = [LOCKSTEP, "experiment", name, "--output", folder, *words]
    done = subprocess.run(command, stdout=log or subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, cwd=ROOT)
    return done.returncode, done.stdout or ""


def processor_seconds(folder):
    total = 0
    for path in glob.glob(f"{folder}/results/*.end"):
        with open(path, encoding="utf-8") as file:
            total += json.load(file).get("cpu_seconds", 0)
    return total


# ---- Comparing ----

def has_moved(was, now):
    """What is wrong with the claim now; None: nothing."""
    seeds = sorted(now.values)
    if not now.values or not was.values:
        return None if was.result == now.result and bool(was.values) == bool(now.values) else "has no value"
    if set(seeds) - set(was.values):
        return "has other seeds"
    before, after = was.mean(seeds), now.mean(seeds)
    if before is None or after is None:
        if any(was.values[seed] != now.values[seed] for seed in seeds):
            return "is another"
    elif len(seeds) == len(was.values) and was.interval:
        low, high = map(math.log, was.interval) if was.is_factor() else was.interval
        if not low <= after <= high:
            return "is outside the interval"
    else:
        low, high = was.interval or (0, 0)
        half = 0 if not was.interval else (math.log(high / low) if was.is_factor() else high - low) / 2
        if abs(after - before) > half + SAME * max(1, abs(before)):
            return "is another" if not was.interval else "differs by more than half the interval"
    return "has another result" if len(seeds) == len(was.values) and was.result != now.result else None


def compare(name, accepted, seen):
    """Prints what has moved, and returns how many."""
    wrong = 0
    for key, now in seen.items():
        why = has_moved(accepted[key], now) if key in accepted else None
        if why:
            wrong += 1
            print(f"{name}: {' '.join(key).strip()} {why}: {accepted[key].shown()}; now {now.shown()}")
    return wrong


def compare_plans(name, accepted, planned):
    """Likewise of claims that are new, claimed otherwise, or gone."""
    wrong = 0
    for key in sorted(accepted.keys() | planned.keys()):
        was, now = (claims[key].plan if key in claims else "not there" for claims in (accepted, planned))
        if was != now:
            wrong += 1
            print(f"{name}: {' '.join(key).strip()} is claimed otherwise: {was}; now {now}")
    return wrong


def check(name, whole):
    if not os.path.exists(table(name)):
        print(f"{name}: not accepted yet")  # which the totals say, too
        return 0
    accepted = read(table(name))
    with tempfile.TemporaryDirectory(prefix="lockstep-results-") as folder:
        chosen = [] if whole else ["--seeds", "1", *(word for part in QUICK[name] for word in ("--only", part))]
        status, output = experiment(name, folder, "-j", "2", *chosen)
        if status:
            print(output)
            return 1
        seen = read(f"{folder}/claims.csv")
        experiment(name, f"{folder}/plan", "--collect")    # without results: what is claimed
        wrong = compare(name, accepted, seen) + compare_plans(name, accepted, read(f"{folder}/plan/claims.csv"))
        print(f"{name}: {len(seen)} of {len(accepted)} claims compared, {wrong} moved; {processor_seconds(folder):.1f} s of processor time")
        return wrong + (not seen)


# ---- Accepting ----

def accept(name, size, options):
    folder = os.path.join(RUNS, f"{name}-{size}")
    os.makedirs(folder, exist_ok=True)
    with open(f"{folder}.log", "w", encoding="utf-8") as log:
        status, _ = experiment(name, folder, "--size", size, *options, log=log)
    with open(f"{folder}.log", encoding="utf-8") as log:
        output = log.read()
    if status or "are not the pinned ones" in output:
        print(f"{name}: not accepted, exit status {status}; {os.path.relpath(folder, ROOT)}.log ends with\n{output[-2000:]}")
        return 1
    for ending in "md", "csv":
        with open(f"{folder}/claims.{ending}", encoding="utf-8", newline="") as source, \
                open(f"{RESULTS}/{name}-{size}.{ending}", "w", encoding="utf-8", newline="") as target:
            target.write(source.read())
    print(f"{name}, {size}: {len(read(table(name, size)))} claims accepted, {processor_seconds(folder) / 60:.1f} minutes of processor time", flush=True)
    return 0


# ---- Totals ----

FIRST, LAST = "<!-- totals: tests/results.py --totals -->\n", "<!-- end of totals -->\n"
COLUMNS = ["met", "direction only", "not met: why", "not met", "not met: stale reason", "unsure", "not measured"]


def by_claim(name):
    """The parts of each claim: those of the paper's size where they were measured, else of the small one."""
    parts = {}
    for size in "small", "paper":
        if os.path.exists(table(name, size)):
            for key, claim in read(table(name, size)).items():
                if key not in parts or claim.result != "not measured":
                    parts[key] = claim
    claims = {}
    for claim in parts.values():
        claims.setdefault(claim.id, []).append(claim)
    return claims


def count(claims):
    row = dict.fromkeys(COLUMNS, 0)
    row.update({"definitions": 0, "without": 0, "fitted met": 0, "fitted": 0})
    for parts in claims.values():
        result = min((part.result for part in parts), key=WORST.index)
        if any(part.role == "fitted" for part in parts):
            row["fitted"] += 1
            row["fitted met"] += result == "met"
            continue
        row[result] += 1
        if result == "met":
            row["definitions"] += all(part.role == "definition" for part in parts)
            row["without"] += all(part.without for part in parts)
    return row


def totals():
    """The lines of README.md between FIRST and LAST."""
    head = ["paper", "claims", *COLUMNS, "of the met: definitions", "of the met: also without the mechanism", "fitted", "of them met"]
    lines = ["| " + " | ".join(head) + " |\n", "|" + "---|" * len(head) + "\n"]
    sums = {}
    for name, paper in PAPERS.items():
        claims = by_claim(name)
        if not claims:
            lines.append(f"| {paper}, `{name}` | not run |" + " |" * (len(head) - 2) + "\n")
            continue
        row = {"claims": len(claims), **count(claims)}
        sums = {key: sums.get(key, 0) + value for key, value in row.items()}
        lines.append(line_of(f"{paper}, `{name}`", row))
    if sums:
        lines.append(line_of("all of these", sums))
    met = f"**{sums.get('met', 0)} of {sums.get('claims', 0)} claims are met and not fitted.**\n\n"
    return met + "".join(lines)


def line_of(name, row):
    cells = [row["claims"], *(row[column] for column in COLUMNS), row["definitions"], row["without"], row["fitted"], row["fitted met"]]
    return f"| {name} | " + " | ".join(map(str, cells)) + " |\n"


def readme():
    """What is before the totals, the totals, what is behind."""
    with open(f"{RESULTS}/README.md", encoding="utf-8") as file:
        before, rest = file.read().split(FIRST)
    there, behind = rest.split(LAST)
    return before + FIRST, there, LAST + behind


def write_totals():
    before, _, behind = readme()
    with open(f"{RESULTS}/README.md", "w", encoding="utf-8") as file:
        file.write(before + totals() + behind)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--whole", action="store_true")
    parser.add_argument("--accept", action="store_true")
    parser.add_argument("--size", choices=["small", "paper"], default="small")
    parser.add_argument("--totals", action="store_true")
    words = sys.argv[1:]
    options = words[words.index("--") + 1:] if "--" in words else []
    o = parser.parse_args(words[:words.index("--")] if "--" in words else words)
    names = o.names or list(PAPERS)
    if set(names) - set(PAPERS):
        parser.error(f"expected of {', '.join(PAPERS)}")
    wrong = 0
    if o.accept:
        with concurrent.futures.ThreadPoolExecutor(len(names) if "--on" in options else 1) as pool:
            wrong = sum(pool.map(lambda name: accept(name, o.size, options), names))
    if o.accept or o.totals:
        write_totals()
        print(totals(), end="")
        wrong += subprocess.run([sys.executable, f"{HERE}/paper_pictures.py", "--accept"], check=False).returncode
    else:
        wrong = sum(check(name, o.whole) for name in names)
        if readme()[1] != totals():
            wrong += 1
            print("docs/results/README.md: the totals are not those of the tables; tests/results.py --totals writes them")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
