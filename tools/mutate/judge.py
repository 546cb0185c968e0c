"""Runs tests: once each without a mutant, to see which mutants it reaches, then for each mutant those that reach it."""
import concurrent.futures
import hashlib
import json
import mmap
import os
import shutil
import threading
import time

import schemata
import units as unit_module

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
        self.names, self.hashes = names, {}
        self.lock = threading.Lock()
        self.failures = {}      # (file, unit's name): how many mutants of the file it noticed
        self.reach_path = os.path.join(folder, "reach.json")

    def run(self, unit, place, limit, **variables):
        binary = os.path.join(self.folder, unit.preset)
        return unit_module.run(unit, os.path.join(self.folder, "scratch", place), binary, limit,
                               {f"LOCKSTEP_{name.upper()}": value for name, value in variables.items()})

    # ---- The map ----

    def map_reach(self, units, mutants, build_key):
        """Sets each unit's time and what it reaches; those that fail without a mutant are left out, with a word."""
        kept = load(self.reach_path)
        kept = kept["units"] if kept.get("build") == build_key else {}
        known, started = [], time.monotonic()
        keys = {u.name: unit_module.tests_hash(self.root, u, self.names, self.hashes) for u in units}
        numbers = {number: mutant.id for number, mutant in mutants}
        missing = [u for u in units if kept.get(u.name, {}).get("key") != keys[u.name] or not kept[u.name]["passed"]]

        def measure(pair):
            index, unit = pair
            passed, seconds, reached, text = self.measure(unit, index, numbers)
            with self.lock:
                kept[unit.name] = {"key": keys[unit.name], "passed": passed, "seconds": seconds, "reached": reached}
                if not passed:
                    print(f"left out, as it fails without a mutant: {unit.name}\n    " + "\n    ".join(text.splitlines()[-8:]), flush=True)
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            list(pool.map(measure, enumerate(missing)))
        save(self.reach_path, {"build": build_key, "units": kept})
        by_id = {mutant.id: number for number, mutant in mutants}
        for unit in units:
            row = kept[unit.name]
            if row["passed"]:
                unit.seconds, unit.reached = row["seconds"], {by_id[i] for i in row["reached"] if i in by_id}
                known.append(unit)
        print(f"{len(units)} units of tests, {len(missing)} run for the map in {time.monotonic() - started:.0f} s, "
              f"{len(units) - len(known)} left out", flush=True)
        return known

    def measure(self, unit, index, numbers):
        place = f"map{index}"
        scratch = os.path.join(self.folder, "scratch", place)
        for _ in range(2):      # a test that fails by chance gets a second one
            os.makedirs(scratch, exist_ok=True)
            table = os.path.join(scratch, "reached")
            with open(table, "wb") as file:
                file.truncate(schemata.MUTANTS_MAX)
            passed, seconds, _, text = self.run(unit, place, float(unit.properties.get("TIMEOUT", 600)), mutants_reached=table)
            with open(table, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
                reached = [numbers[n] for n in numbers if data[n]]
            shutil.rmtree(scratch, ignore_errors=True)
            if passed:
                break
        return passed, seconds, reached, text

    # ---- Mutants ----

    def decide(self, number, mutant, units, budget):
        """What became of a mutant: a row of the results."""
        reaching = [u for u in units if number in u.reached]
        row = {"outcome": "survived", "reached_by": len(reaching), "unit": None, "how": "", "seconds": 0}
        if not reaching:
            row["outcome"] = "not reached"
        with self.lock:
            reaching.sort(key=lambda u: (-self.failures.get((mutant.file, u.name), 0), u.seconds))
        place, start = f"mutant{number}", time.monotonic()
        for unit in reaching:
            if time.monotonic() - start > budget:
                row["outcome"] = "not decided"
                break
            passed, _, how, _ = self.run(unit, place, TIMES * unit.seconds + EXTRA, mutant=str(number))
            if not passed:
                row.update(outcome="noticed", unit=unit.name, how=how)
                with self.lock:
                    self.failures[mutant.file, unit.name] = self.failures.get((mutant.file, unit.name), 0) + 1
                break
        shutil.rmtree(os.path.join(self.folder, "scratch", place), ignore_errors=True)
        row["seconds"] = round(time.monotonic() - start, 1)
        return row

    def decide_all(self, mutants, units, budget, results, save_results, show):
        """`results` has rows by id, from earlier runs too; what is decided there is not run again."""
        for row, mutant in ((results.get(m.id), m) for _, m in mutants):
            if row and row["unit"]:
                self.failures[mutant.file, row["unit"]] = self.failures.get((mutant.file, row["unit"]), 0) + 1

        def one(pair):
            number, mutant = pair
            row = self.decide(number, mutant, units, budget)
            with self.lock:
                results[mutant.id] = row
                save_results()
                show(mutant, row)
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            futures = [pool.submit(one, pair) for pair in mutants if pair[1].id not in results]
            try:
                for future in concurrent.futures.as_completed(futures):
                    future.result()
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise


def key_of(*parts):
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()
