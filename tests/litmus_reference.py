#!/usr/bin/env python3
"""Random litmus tests, whose allowed outcomes `lockstep litmus` and a second implementation of the memory model must find alike.

    LOCKSTEP=build/release/lockstep tests/litmus_reference.py [--tests N] [--first SEED] [--runs N] [--keep FOLDER]

The reference below is written from the axioms as the paper has them (Lustig, Sahasrabuddhe, Giroux, A Formal Analysis of the NVIDIA PTX Memory
Consistency Model, ASPLOS 2019), by sets of pairs: base causality without program order alone, causality by observation and then base causality or
program order of a location, coherence as every permutation of a location's writes, cut down to what is to be related.  src/litmus has them as the
ISA does since PTX 7.5.  No outcome that is seen on v100 may be forbidden."""
import argparse
import itertools
import json
import os
import random
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
LOCKSTEP = os.path.abspath(os.environ.get("LOCKSTEP", os.path.join(HERE, "../build/release/lockstep")))
LOCATIONS = "xy"


# ---- Random tests: a thread is ((cta, gpu), instructions), an instruction a tuple (kind, order, scope, location, value, operation) ----

def random_instruction(rng, loads, value, locations):
    kind = rng.choices(["ld", "st", "atom", "fence"], [4, 4, 2, 2])[0]
    scope, location = rng.choice(["cta", "gpu", "gpu", "sys"]), rng.choice(LOCATIONS[:locations])
    orders = {"ld": ["weak", "weak", "relaxed", "acquire"], "st": ["weak", "weak", "relaxed", "release"],
              "atom": ["relaxed", "acquire", "release", "acq_rel"], "fence": ["sc", "acq_rel"]}
    operation = rng.choice(["add", "exch", "cas"])
    if kind == "st" and loads and rng.random() < 0.3:
        value = f"r{rng.randrange(loads)}"
    return kind, rng.choice(orders[kind]), scope, location, value, operation


def random_test(seed):
    """One of at most four writes to a location: the reference tries all their orders."""
    rng = random.Random(seed)
    while True:
        threads = draw_test(rng)
        writes = [i[3] for _, code in threads for i in code if i[0] in ("st", "atom")]
        if all(writes.count(l) <= 4 for l in LOCATIONS):
            return threads


def draw_test(rng):
    threads, value, locations = [], 0, rng.choice([1, 2, 2])
    for _ in range(rng.choice([2, 2, 3])):
        code = []
        for _ in range(rng.choice([2, 2, 3])):
            value += 1
            code.append(random_instruction(rng, sum(i[0] in ("ld", "atom") for i in code), value, locations))
        threads.append(((rng.choice([0, 0, 1, 2]), rng.choice([0, 0, 0, 1])), code))
    for place in {place for place, _ in threads}:
        if sum(p == place for p, _ in threads) > 1 and rng.random() < 0.4:
            for p, code in threads:
                if p == place:
                    code.insert(rng.randrange(len(code) + 1), ("bar", "", "", "", 0, ""))
    return threads


def cell(i, register):
    kind, order, scope, location, value, operation = i
    strong = order if order == "weak" else f"{order}.{scope}"
    return {"ld": f"ld.{strong} r{register}, {location}", "st": f"st.{strong} {location}, {value}", "fence": f"fence.{strong}", "bar": "bar.cta.sync 0",
            "atom": f"atom.{strong}.{operation} r{register}, {location}, {'0, ' if operation == 'cas' else ''}{value}"}[kind]


def text_of(threads, name):
    columns = []
    for _, code in threads:
        registers = itertools.accumulate([0] + [i[0] in ("ld", "atom") for i in code])
        columns.append([cell(i, r) for i, r in zip(code, registers)])
    head = " | ".join(f"P{t}@cta {place[0]},gpu {place[1]}" for t, (place, _) in enumerate(threads))
    rows = [" | ".join(row) + " ;" for row in itertools.zip_longest(*columns, fillvalue="")]
    return "\n".join([f"PTX {name}", "{ x=0; y=0; }", head + " ;", *rows, "locations [x; y;]", "exists (x == 0)", ""])


# ---- The reference ----

class Event:
    def __init__(self, number, thread, place, kind, order="weak", scope="sys", location=None, value=0, operation="", nth=0):
        self.number, self.thread, self.place, self.kind, self.order, self.scope = number, thread, place, kind, order, scope
        self.location, self.value, self.operation, self.nth = location, value, operation, nth
        self.is_memory = kind in "RW"
        self.strong = kind == "F" or (self.is_memory and order != "weak")

    def includes(self, other):
        return self.scope == "sys" or (self.place[1] == other.place[1] and (self.scope == "gpu" or self.place == other.place))


def events_of(threads):
    """All events, those of initial values first; and the pairs (read, write) of atomics."""
    events = [Event(k, None, None, "W", location=l) for k, l in enumerate(LOCATIONS)]
    atomics = []
    for t, (place, code) in enumerate(threads):
        for kind, order, scope, location, value, operation in code:
            kinds = {"ld": "R", "st": "W", "atom": "RW", "fence": "F", "bar": "B"}[kind]
            nth = sum(e.thread == t and e.kind == "B" for e in events)
            for k in kinds:
                events.append(Event(len(events), t, place, k, order, scope, location if k in "RW" else None, value, operation, nth))
            if kind == "atom":
                atomics.append((events[-2], events[-1]))
    return events, atomics


def closure(pairs):
    pairs = set(pairs)
    while True:
        more = {(a, d) for a, b in pairs for c, d in pairs if b is c} - pairs
        if not more:
            return pairs
        pairs |= more


def acyclic(pairs):
    return all(a is not b for a, b in closure(pairs))


def join(left, right):
    return {(a, d) for a, b in left for c, d in right if b is c}


class Model:
    """What does not depend on reads-from."""

    def __init__(self, threads):
        self.events, self.atomics = events_of(threads)
        mine = [e for e in self.events if e.thread is not None]
        self.reads = [e for e in mine if e.kind == "R"]
        self.writes = [e for e in self.events if e.kind == "W"]
        self.po = {(a, b) for a in mine for b in mine if a.thread == b.thread and a.number < b.number}
        self.po_loc = {(a, b) for a, b in self.po if a.location and a.location == b.location}
        self.ms = {(a, b) for a in mine for b in mine if a is not b and self.is_morally_strong(a, b)}
        self.bars = {(a, b) for a in mine for b in mine if a.kind == b.kind == "B" and a.thread != b.thread and a.place == b.place and a.nth == b.nth}
        self.fences = [e for e in mine if e.kind == "F" and e.order == "sc"]

    def is_morally_strong(self, a, b):
        if "B" in (a.kind, b.kind) or (a.is_memory and b.is_memory and a.location != b.location):
            return False
        return a.thread == b.thread or (a.strong and b.strong and a.includes(b) and b.includes(a))

    def releases(self, write):
        """The first operations of release patterns that end there."""
        if not write.strong:
            return
        for a in self.events:
            if (a is write or (a, write) in self.po_loc) and a.kind == "W" and a.order in ("release", "acq_rel"):
                yield a
            if a.kind == "F" and (a, write) in self.po:
                yield a

    def acquires(self, read):
        if not read.strong:
            return
        for a in self.events:
            if (a is read or (read, a) in self.po_loc) and a.kind == "R" and a.order in ("acquire", "acq_rel"):
                yield a
            if a.kind == "F" and (read, a) in self.po:
                yield a

    def orders_of_fences(self):
        for order in itertools.permutations(self.fences):
            yield {(a, b) for a, b in itertools.combinations(order, 2) if (a, b) in self.ms}

    def causality(self, rf, fence_order):
        """Base causality and causality, or None when Fence-SC is broken."""
        strong_rf = rf & self.ms
        observed = set(strong_rf)
        while True:
            more = join(join(observed, self.atomics), strong_rf) - observed
            if not more:
                break
            observed |= more
        sync = {(a, b) for w, r in observed for a in self.releases(w) for b in self.acquires(r) if (a, b) in self.ms}
        step = sync | fence_order | self.bars
        step |= join(self.po, step)
        step |= join(step, self.po)
        base = closure(step)
        if any(a in self.fences and b in self.fences and (a, b) in self.ms and (a, b) not in fence_order for a, b in base):
            return None
        return base | join(observed, base | self.po_loc)

    def outcomes(self, threads):
        for sources in itertools.product(*[[w for w in self.writes if w.location == r.location] for r in self.reads]):
            rf = {(w, r) for w, r in zip(sources, self.reads)}
            values = self.values(threads, dict(zip(self.reads, sources)))
            for fence_order in self.orders_of_fences() if values else []:
                cause = self.causality(rf, fence_order)
                if cause is not None and not any((r, w) in cause for w, r in rf):
                    yield from self.ends(rf, cause, values)

    def ends(self, rf, cause, values):
        """Each location by itself: the axioms that are left speak of one."""
        last = []
        for location in LOCATIONS:
            writes = [e for e in self.writes if e.location == location]
            last.append({v for order in itertools.permutations(writes[1:]) for v in self.last_values((writes[0], *order), rf, cause, values)})
        registers = tuple(values[e] for e in self.reads)
        for ends in itertools.product(*last):
            yield registers + ends

    def last_values(self, order, rf, cause, values):
        pairs = set(itertools.combinations(order, 2))
        if any((b, a) in cause for a, b in pairs):
            return
        co = closure({(a, b) for a, b in pairs if (a, b) in self.ms or (a, b) in cause or a.thread is None})
        fr = {(r, b) for w, r in rf for a, b in co if a is w}
        mine = {(w, r) for w, r in rf if w in order}
        if any((a, b) in fr & self.ms and (b, c) in co & self.ms for a, c in self.atomics for b in order):
            return
        if any((w, r) in cause for r, w in fr):
            return
        if not acyclic((self.ms & (mine | co | fr)) | {(a, b) for a, b in self.po_loc if a.location == order[0].location}):
            return
        yield from (values[e] for e in order if not any(a is e for a, _ in co))

    def values(self, threads, source):
        """By event; None when a value would come out of thin air."""
        values, pending = {e: 0 for e in self.events if e.thread is None}, [e for e in self.events if e.is_memory and e.thread is not None]
        while pending:
            left = [e for e in pending if not self.find_value(e, source, values)]
            if len(left) == len(pending):
                return None
            pending = left
        return values

    def find_value(self, e, source, values):
        if e.kind == "R":
            needed = [source[e]]
        else:
            own = [e.value] if isinstance(e.value, int) else [[r for r in self.reads if r.thread == e.thread][int(e.value[1:])]]
            # exch needs no value of its read
            needed = own + [r for r, w in self.atomics if w is e and e.operation != "exch"]
        if any(isinstance(n, Event) and n not in values for n in needed):
            return False
        known = [values[n] if isinstance(n, Event) else n for n in needed]
        if len(known) == 2:
            values[e] = known[0] + known[1] if e.operation == "add" else known[0] if known[1] == 0 else known[1]
        else:
            values[e] = known[0]
        return True


# ---- Comparing ----

def play(folder, runs):
    command = [LOCKSTEP, "litmus", folder, "--runs", str(runs), "--report", "json"]
    return json.loads(subprocess.run(command, stdout=subprocess.PIPE, text=True).stdout)["tests"]


def compare(test, threads):
    """Why the two do not agree, or None."""
    ours = {tuple(o["values"].values()) for o in test["outcomes"] if o["allowed"]}
    reference = set(Model(threads).outcomes(threads))
    if ours != reference:
        return f"only Lockstep allows {sorted(ours - reference)[:3]}, only the reference {sorted(reference - ours)[:3]}"
    return f"forbidden outcomes were seen {test['forbidden']} times" if test["forbidden"] else None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tests", type=int, default=150)
    parser.add_argument("--first", type=int, default=1, help="seed of the first")
    parser.add_argument("--runs", type=int, default=512)
    parser.add_argument("--keep", help="folder for the tests")
    arguments = parser.parse_args()
    seeds, failed, outcomes = range(arguments.first, arguments.first + arguments.tests), 0, 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.keep or temporary
        os.makedirs(folder, exist_ok=True)
        for seed in seeds:
            with open(os.path.join(folder, f"{seed:08}.litmus"), "w", encoding="utf-8") as file:
                file.write(text_of(random_test(seed), f"random{seed}"))
        results = {test["name"]: test for test in play(folder, arguments.runs)}
    for seed in seeds:
        threads = random_test(seed)
        test = results.get(f"random{seed}")
        why = compare(test, threads) if test else "was refused"
        outcomes += sum(o["allowed"] for o in test["outcomes"]) if test else 0
        if why:
            failed += 1
            print(f"FAILED {seed}: {why}\n{text_of(threads, seed)}")
    print(f"{arguments.tests - failed} passed, {failed} failed, {outcomes} allowed outcomes")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
