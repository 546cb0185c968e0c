#!/usr/bin/env python3
"""The rule of the race check (src/race/rule.h) against the axioms of the memory model (src/litmus), by litmus tests.

    LOCKSTEP=build/release/lockstep tests/litmus_rule.py [--runs N] [--random N] [--first SEED] [--keep FOLDER] [FOLDER]

`lockstep litmus --races` plays each test with --check races=all, and finds the races of all executions that the axioms allow: two conflicting
accesses that causality does not order, and that are not morally strong.

    no false alarm   each pair of instructions of which the check has found a race is a race by the axioms
    no miss          where two threads have a race at a location by the axioms, the check has found one of theirs there

The check keeps the last accesses of a thread alone, so it need not find each pair.  What it cannot find is in REASONS, by file, what it finds
wrongly in FALSE_ALARMS.  With a FOLDER, its tests are played in place of tests/litmus, and differences are only told.  With --random, so many
random tests are played; of these only a false alarm fails, as some outcomes are too rare to be reached."""
import argparse
import json
import os
import random
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
FOLDER = os.path.join(HERE, "litmus")
LOCKSTEP = os.path.abspath(os.environ.get("LOCKSTEP", os.path.join(HERE, "../build/release/lockstep")))
UNPLAYED = "not played: the model alone judges it"
GPUS = "the scope .gpu leaves out the threads of another GPU, but all are on one here"
# Why the check finds no race where the axioms allow one.
REASONS = {
    "barrier-loaded-number": UNPLAYED,
    "barrier-quorum-fewer": UNPLAYED,
    "mp-rel-acq-gpus": GPUS,
    "race-failed-cas": "a compare-and-swap that finds another value counts as a read",
    "race-observed-last": "what a thread did to a location before the write that is read counts as observed, too: coherence keeps these in order",
}
# Why it finds one where the axioms allow none, in functional mode; and in timing mode alone, where it need not show.
FALSE_ALARMS = {
    "race-release-hidden": "a store of another thread hides what was released by the location before, also where the releasing thread writes it again",
    "race-sc-read-before": "the order of two fence.sc is known where one thread has read what the other wrote, not where it has not",
}
TIMING = {
    "race-acquire-later": "of two writes that come at a time, the one that issues later counts as the one that is read",
}


def play(folder, mode, runs, seed):
    command = [LOCKSTEP, "litmus", folder, "--races", "--mode", mode, "--runs", str(runs), "--seed", str(seed), "--report", "json"]
    return json.loads(subprocess.run(command, stdout=subprocess.PIPE, text=True).stdout)


def name_of(race):
    location, *pair = race
    return f"{location}: " + ", ".join(f"P{thread} line {line}" for thread, line in pair)


class Test:
    """A test as it was played in some modes."""

    def __init__(self, report):
        self.path = report["file"]
        self.name = os.path.splitext(os.path.basename(self.path))[0]
        self.played, self.open = report["played"], report.get("cut", False)
        self.allowed, self.found, self.found_in = set(), set(), {}

    def add(self, report, mode):
        for race in report["races"]:
            pair = race["location"], *((access["thread"], access["line"]) for access in race["accesses"])
            if race["allowed"]:
                self.allowed.add(pair)
            if race["found"]:
                self.found.add(pair)
                self.found_in.setdefault(mode, set()).add(pair)

    def false_alarms(self, mode=None):
        """The model does not follow all loops to their ends: then there may be more races."""
        return set() if self.open else (self.found_in.get(mode, set()) if mode else self.found) - self.allowed

    def missed(self):
        """Those of which the check has found none of the same threads and location."""
        def where(race):
            return race[0], race[1][0], race[2][0]
        found = {where(pair) for pair in self.found & self.allowed}
        return {pair for pair in self.allowed if where(pair) not in found}


def play_all(folder, modes, runs, seed):
    tests = {}
    for mode in modes:
        for report in play(folder, mode, runs, seed)["tests"]:
            tests.setdefault(report["file"], Test(report)).add(report, mode)
    return list(tests.values())


def check_committed(tests):
    """A line for each thing that is wrong."""
    for test in tests:
        missed, reason = test.missed(), REASONS.get(test.name)
        exact, why = test.false_alarms("functional"), FALSE_ALARMS.get(test.name)
        for pair in sorted(test.false_alarms() if not why and test.name not in TIMING else exact if not why else []):
            yield f"{test.name}: the check has found a race that the axioms do not allow: {name_of(pair)}"
        if why and not exact:
            yield f"{test.name}: agrees, though it is listed: {why}"
        if missed and not reason:
            yield f"{test.name}: the check has not found {'; '.join(map(name_of, sorted(missed)))}"
        if reason and not missed:
            yield f"{test.name}: agrees, though it is listed: {reason}"
    for name in sorted({*REASONS, *FALSE_ALARMS, *TIMING} - {test.name for test in tests}):
        yield f"{name}: is listed, and not there"


# ---- Random tests: messages by strong writes and atomics, fences, barriers, and accesses behind what was read ----

class Writer:
    def __init__(self, seed):
        rng = self.random = random.Random(seed)
        self.threads = rng.choice([2, 2, 3, 3])
        self.ctas = [0] * self.threads if rng.random() < 0.35 else [rng.choice([0, 1, 2]) for _ in range(self.threads)]
        self.scopes = rng.choice([["gpu"], ["cta"], ["cta", "gpu"], ["gpu", "sys"]])
        self.flags = rng.choice([["f"], ["f"], ["f", "g"]])
        self.last, self.writes = 0, []  # writes: of flags, (thread, flag, value)
        plan = [[self.step(thread) for _ in range(rng.choice([2, 3, 3, 4]))] for thread in range(self.threads)]
        self.code = [self.cells(thread, steps) for thread, steps in enumerate(plan)]
        if rng.random() < 0.3:
            self.meet()

    def value(self):
        self.last += 1
        return self.last

    def scope(self):
        return self.random.choice(self.scopes)

    def step(self, thread):
        rng = self.random
        kind = rng.choices(["data", "store", "atomic", "fence", "guard"], [5, 4, 2, 2, 4])[0]
        flag, value = rng.choice(self.flags), self.value()
        if kind in ("store", "atomic"):
            self.writes.append((thread, flag, value))
        return kind, flag, value

    def guard(self, thread, flag, register, often):
        """Mostly goes on if one of the others' values was read."""
        others = [value for by, at, value in self.writes if by != thread and at == flag]
        return [f"bne r{register}, {self.random.choice(others)}, END"] if others and self.random.random() < often else []

    def cells(self, thread, steps):
        rng, cells = self.random, []
        for register, (kind, flag, value) in enumerate(steps):
            if kind == "data":
                location = rng.choice(["x", "x", "x", "x", flag])
                cells.append(rng.choice([f"ld.weak r{register}, {location}", f"st.weak {location}, {value}"]))
            elif kind == "store":
                cells.append(f"st.{rng.choice(['relaxed', 'relaxed', 'release'])}.{self.scope()} {flag}, {value}")
            elif kind == "atomic":
                order, operation = rng.choice(["relaxed", "acquire", "release", "acq_rel"]), rng.choice(["exch", "add"])
                cells.append(f"atom.{order}.{self.scope()}.{operation} r{register}, {flag}, {value}")
                cells += self.guard(thread, flag, register, 0.6)
            elif kind == "fence":
                cells.append(f"fence.{rng.choice(['sc', 'acq_rel'])}.{self.scope()}")
            else:
                cells.append(f"ld.{rng.choice(['relaxed', 'relaxed', 'acquire'])}.{self.scope()} r{register}, {flag}")
                cells += self.guard(thread, flag, register, 0.85)
        return cells

    def meet(self):
        """Threads of a CTA meet at a barrier, before any branch."""
        for thread, cells in enumerate(self.code):
            first = next((k for k, cell in enumerate(cells) if cell.startswith("bne")), len(cells))
            if self.ctas.count(self.ctas[thread]) > 1:
                cells.insert(self.random.randrange(first + 1), "bar.cta.sync 0")

    def text(self, name):
        columns = [cells + ["END:"] for cells in self.code]
        rows = [[column[k] if k < len(column) else "" for column in columns] for k in range(max(map(len, columns)))]
        head = " | ".join(f"P{thread}@cta {cta},gpu 0" for thread, cta in enumerate(self.ctas))
        return "\n".join([f"PTX {name}", "{ x=0; f=0; g=0; }", head + " ;", *(" | ".join(row) + " ;" for row in rows), "exists (x == 0)", ""])


def check_random(arguments):
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.keep or temporary
        os.makedirs(folder, exist_ok=True)
        for seed in range(arguments.first, arguments.first + arguments.random):
            with open(os.path.join(folder, f"{seed:08}.litmus"), "w", encoding="utf-8") as file:
                file.write(Writer(seed).text(f"random{seed}"))
        tests = play_all(folder, ["functional"], 256, 0)  # turns that another seed draws take seven times as long
        show(f"{len(tests)} random tests", tests)
        for test in tests:
            for pair in sorted(test.false_alarms()):
                with open(test.path, encoding="utf-8") as file:
                    yield f"random test {test.name}: the check has found a race that the axioms do not allow: {name_of(pair)}\n{file.read()}"


def show(what, tests):
    allowed, found = sum(len(test.allowed) for test in tests), sum(len(test.found & test.allowed) for test in tests)
    print(f"{what}: {sum(bool(test.allowed) for test in tests)} with races, {allowed} pairs, of which {found} were found; "
          f"missed between two threads: {sum(bool(test.missed()) for test in tests)} tests; false: {sum(bool(test.false_alarms()) for test in tests)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--runs", type=int, default=512, help="of each test in each mode")
    parser.add_argument("--random", type=int, default=100, help="random tests")
    parser.add_argument("--first", type=int, default=1, help="seed of the first")
    parser.add_argument("--keep", help="folder for the random tests")
    parser.add_argument("folder", nargs="?", default=FOLDER)
    arguments = parser.parse_args()
    tests = play_all(arguments.folder, ["functional", "timing"], arguments.runs, 0)
    show(f"{len(tests)} tests", tests)
    wrong = list(check_committed(tests)) if arguments.folder == FOLDER else []
    for test in tests if arguments.folder != FOLDER else []:
        for pair in sorted(test.false_alarms() | test.missed()):
            print(f"{test.path}: {'missed' if pair in test.allowed else 'FALSE'}: {name_of(pair)}")
    wrong += check_random(arguments) if arguments.random else []
    print("\n".join(wrong) or "all agree")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
