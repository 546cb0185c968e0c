"""Runs tests: once each without a mutant, to see which mutants it reaches, then for each mutant those that reach it."""
import concurrent.futures
import hashlib
import json
import mmap
import os
import random
import re
import shutil
import threading
import time

import schemata
import units

TIMES = 5       # a unit that takes longer than its time without a mutant, so many times, and
EXTRA = 5       # so many seconds more, has noticed


def save(path, value):
    with open(path + ".new", "w", encoding="utf-8") as file:
        json.dump(value, file, indent=1)
    os.replace(path + ".new", path)


def load(path):
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except (OSError, ValueError):
        return {}


class Judge:
    def __init__(self, folder, jobs, names, root):
        self.folder, self.jobs, self.root = folder, jobs, root
        self.cache, self.compiles = os.path.join(folder, "cache"), True     # of the OpenCL driver
        self.names, self.hashes = names, {}
        self.lock = threading.Lock()
        self.failures = {}      # (file or its folder, unit's name): how many mutants there it noticed

    def warm(self, place):
        """What earlier runs compiled: the OpenCL driver's cache, for mutants that have no part in compiling."""
        if os.path.isdir(self.cache):
            shutil.copytree(self.cache, os.path.join(self.folder, "scratch", place, "cache"), dirs_exist_ok=True)

    def keep_warm(self, place):
        made = os.path.join(self.folder, "scratch", place, "cache")
        with self.lock:
            if os.path.isdir(made):
                shutil.copytree(made, self.cache, dirs_exist_ok=True)

    def run(self, unit, place, limit, **variables):
        binary = schemata.binary_folder(self.folder, unit.preset)
        return units.run(unit, os.path.join(self.folder, "scratch", place), binary, limit,
                               {f"LOCKSTEP_{name.upper()}": value for name, value in variables.items()})

    # ---- The map ----

    def map_reach(self, found, mutants, build_key):
        """Sets each unit's time and what it reaches; those that fail without a mutant are left out, with a word."""
        path = os.path.join(self.folder, "reach", build_key[:16] + ".json")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        kept = load(path)
        kept = kept["units"] if kept.get("build") == build_key else {}
        known, started = [], time.monotonic()
        for unit in found:
            unit.key = units.tests_hash(self.root, unit, self.names, self.hashes)
        numbers = {number: mutant.id for number, mutant in mutants}
        self.compiles = any(compiles(mutant) for _, mutant in mutants)
        missing = [u for u in found if kept.get(u.name, {}).get("key") != u.key or not kept[u.name]["passed"]]

        def measure(pair):
            index, unit = pair
            passed, seconds, reached, text = self.measure(unit, index, numbers)
            if units.stopping.is_set():
                return
            with self.lock:
                kept[unit.name] = {"key": unit.key, "passed": passed, "seconds": seconds, "reached": reached}
                if index % 50 == 49:
                    save(path, {"build": build_key, "units": kept})
                if not passed:
                    print(f"left out, as it fails without a mutant: {unit.name}\n    " + "\n    ".join(text.splitlines()[-8:]), flush=True)
        try:
            self.for_all(measure, enumerate(missing))
        finally:
            save(path, {"build": build_key, "units": kept})
        by_id = {mutant.id: number for number, mutant in mutants}
        for unit in found:
            row = kept[unit.name]
            if row["passed"]:
                unit.seconds, unit.reached = row["seconds"], {by_id[i] for i in row["reached"] if i in by_id}
                known.append(unit)
        print(f"{len(found)} units of tests, {len(missing)} run for the map in {time.monotonic() - started:.0f} s, "
              f"{len(found) - len(known)} left out", flush=True)
        return known

    def measure(self, unit, index, numbers):
        place = f"map{index}"
        scratch = os.path.join(self.folder, "scratch", place)
        for _ in range(2):      # a test that fails by chance gets a second one
            os.makedirs(scratch, exist_ok=True)
            table = os.path.join(scratch, "reached")
            with open(table, "wb") as file:
                file.truncate(schemata.MUTANTS_MAX)
            if not self.compiles:
                self.warm(place)
            passed, seconds, _, text = self.run(unit, place, float(unit.properties.get("TIMEOUT", 600)), mutants_reached=table)
            with open(table, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
                reached = [numbers[n] for n in numbers if data[n]]
            if passed:
                self.keep_warm(place)
            shutil.rmtree(scratch, ignore_errors=True)
            if passed or units.stopping.is_set():
                break
        return passed, seconds, reached, text

    # ---- Mutants ----

    def decide(self, number, mutant, known, earlier, budget):
        """What became of a mutant: a row of the results.  Units that it passed earlier, and that are the same, are not run again."""
        reaching = [u for u in known if number in u.reached]
        passed_by = set(earlier["passed"]) if earlier else set()
        row = {"outcome": "survived" if reaching else "not reached", "reached_by": len(reaching), "unit": None, "how": "", "seconds": 0}
        with self.lock:
            reaching = likeliest_first(reaching, mutant.file, self.failures)
        place, start = f"mutant{number}", time.monotonic()
        if not compiles(mutant):
            self.warm(place)
        for unit in reaching:
            if unit.key in passed_by:
                continue
            if time.monotonic() - start > budget:
                row["outcome"] = "not decided"
                break
            passed, how = self.passes_with(unit, place, number)
            if not passed:
                row.update(outcome="noticed", unit=unit.name, how=how)
                self.count_failure(mutant, unit.name)
                break
            passed_by.add(unit.key)
        shutil.rmtree(os.path.join(self.folder, "scratch", place), ignore_errors=True)
        row.update(seconds=round(time.monotonic() - start, 1), passed=[] if row["unit"] else sorted(passed_by))
        return row

    def passes_with(self, unit, place, number):
        """Whether it passes with the mutant, and why it was ended if it was; one that fails by chance gets a second try, as without a mutant."""
        for _ in range(2):
            passed, _, how, _ = self.run(unit, place, TIMES * unit.seconds + EXTRA, mutant=str(number))
            if passed or how:
                break
        return passed, how

    def count_failure(self, mutant, unit_name):
        with self.lock:
            for place in (mutant.file, os.path.dirname(mutant.file)):
                self.failures[place, unit_name] = self.failures.get((place, unit_name), 0) + 1

    def decide_all(self, mutants, known, budget, results, save_results, show):
        """`results` has rows by id, from earlier runs too: what was noticed stays so, what survived meets the tests that it has not met."""
        for _, mutant in mutants:
            row = results.get(mutant.id)
            if row and row["unit"]:
                self.count_failure(mutant, row["unit"])

        def one(pair):
            number, mutant = pair
            row = self.decide(number, mutant, known, results.get(mutant.id), budget)
            if units.stopping.is_set():
                return
            with self.lock:
                results[mutant.id] = row
                save_results()
                show(mutant, row)
        self.for_all(one, [pair for pair in in_any_order(mutants) if results.get(pair[1].id, {}).get("outcome") != "noticed"])

    def for_all(self, function, items):
        """Calls it on each, several at once; the first exception, or the user's interrupt, ends the tests that run."""
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            futures = [pool.submit(function, item) for item in items]
            try:
                for future in concurrent.futures.as_completed(futures):
                    future.result()
            except BaseException:
                units.stopping.set()
                pool.shutdown(wait=False, cancel_futures=True)
                raise


def compiles(mutant):
    return mutant.file.startswith("src/compile/")


def words_of(text):
    return {word.rstrip("s") for word in re.split(r"[^a-z0-9]+", text.lower()) if word}


def group_of(name):
    """Units that test much the same: kernels of a folder, methods of a script, tests with the same first word; each unit test is its own."""
    name = name.partition("/")[2]
    if name.endswith("_test"):
        return name
    return name.rpartition("/")[0] or name.partition(":")[0].partition("_")[0]


def likeliest_first(reaching, file, failures):
    """The order in which units meet a mutant of `file`: first those that noticed most in the file, then those that share words with its path, then
    those that noticed most in its folder.  Of the rest one of each group in turn, the quickest of it first: when the budget ends, the tests that
    have run are of all kinds, and not the quickest of one kind."""
    turn, taken = {}, {}
    for unit in sorted(reaching, key=lambda u: u.seconds):
        group = group_of(unit.name)
        turn[unit.name] = taken[group] = taken.get(group, -1) + 1
    folder, words = os.path.dirname(file), words_of(os.path.splitext(file)[0]) - {"src"}
    return sorted(reaching, key=lambda u: (-failures.get((file, u.name), 0), -len(words & words_of(u.name)),
                                           -failures.get((folder, u.name), 0), turn[u.name], u.seconds))


def in_any_order(mutants):
    """Always the same, and not by file: what an interrupted run has decided is a sample, too."""
    return random.Random(len(mutants)).sample(mutants, len(mutants))


def key_of(*parts):
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()
