#!/usr/bin/env python3
"""Random scripts of CUDA calls, of which `lockstep run --check races` must find just those pairs of accesses that nothing orders.

    LOCKSTEP=... CUDA_PROGRAMS=... tests/host/orders.py [--scripts N] [--first SEED] [--keep FILE]

tests/host/cuda/orders.c carries all scripts out in one process, and says what a line means.  The rules below are written from the CUDA documentation
(docs/races-host.md, "What orders two commands?"), as sets: each command has the set of all that is before it.  Bytes are bits of an integer.  Kernels have names of their
own; of copies and fills a script has each call once.  So a finding names its script and both sides; of two copies only how many there are is compared."""
import argparse
import collections
import itertools
import json
import os
import random
import re
import subprocess
import sys
import tempfile

LOCKSTEP = os.environ["LOCKSTEP"]
LEGACY, BLOCKING, FREE, OWN = 0, (1, 2), (3, 4), 5
STREAMS, EVENTS, PINNED = range(6), range(4), 1 << 15  # PINNED: the bit of its first byte
TO_DEVICE, TO_HOST, WITHIN = 1, 2, 3
COPIES = {"cudaMemcpy": (1, True), "cudaMemcpyAsync": (1, False), "cudaMemcpy2D": (2, True), "cudaMemcpy2DAsync": (2, False), "cudaMemcpyPeerAsync": (1, False),
          "cudaMemcpy3D": (3, True), "cudaMemcpy3DAsync": (3, False)}  # dimensions; whether the host waits
SAID = {"cudaMemcpy3D": "cudaMemcpy...", "cudaMemcpy3DAsync": "cudaMemcpy...Async"}  # of arrays, too
FILLS = {"cudaMemset": (1, LEGACY), "cudaMemsetAsync": (1, None), "cudaMemset2D": (2, LEGACY), "cudaMemset2DAsync": (2, None), "cudaMemset3DAsync": (3, None)}


def box(at, pitch, slice_, width, height, depth):
    row = (1 << width) - 1
    return sum(row << (at + z * slice_ + y * pitch) for z in range(depth) for y in range(height))


# ---- The reference: what is before what ----

class Commands:
    """`trusts`: a function of the host counts as a wait from the moment when it is given, since the program may wait for it."""

    def __init__(self, trusts=True):
        self.trusts = trusts
        self.host = frozenset()
        self.commands = []  # (what is before, [(words of a side, writes, bytes)])

    def command(self, before, accesses=()):
        before |= self.host
        self.commands.append((before, accesses))
        return before | {len(self.commands) - 1}

    def know_all(self):
        self.host = frozenset(range(len(self.commands)))

    def races(self):
        """Of each pair of sides, sorted: how often neither command is before the other."""
        return self.find()[0]

    def find(self):
        """And which bytes both access; and who accesses what."""
        found, shared = collections.Counter(), {}
        for (k, (before_ours, ours)), (n, (before_theirs, theirs)) in itertools.combinations(enumerate(self.commands), 2):
            if k in before_theirs or n in before_ours:  # a user event may be set behind what was enqueued later
                continue
            for (a, a_writes, a_bytes), (b, b_writes, b_bytes) in itertools.product(ours, theirs):
                if (a_writes or b_writes) and a_bytes & b_bytes:
                    found[tuple(sorted((a, b)))] += 1
                    shared[tuple(sorted((a, b)))] = a_bytes & b_bytes
        return found, shared

    def hidden(self):
        """Pairs of kernels of which a third access, by whatever kernel, has some byte, too: of each byte the check keeps who came last (docs/races-host.md)."""
        kernels = {side: bytes_ for _, sides in self.commands for side, _, bytes_ in sides if ": a " in side}
        return {pair for pair, bytes_ in self.find()[1].items() if any(side not in pair and theirs & bytes_ for side, theirs in kernels.items())}


class Reference(Commands):
    def __init__(self, trusts=True):
        super().__init__(trusts)
        self.streams = {s: frozenset() for s in STREAMS}
        self.events = {e: None for e in EVENTS}
        self.destroyed = frozenset()  # in blocking streams that are gone
        self.capturing = None  # streams to sets of nodes
        self.captured_events, self.nodes, self.newest_launch = {}, [], frozenset()

    def after_stream(self, s):
        """A legacy stream's commands come after all that is in blocking streams, and theirs after its."""
        others = [*BLOCKING, OWN] if s == LEGACY else [] if s in FREE else [LEGACY]
        return self.streams[s].union(self.destroyed if s == LEGACY else (), *(self.streams[o] for o in others))

    def enqueue(self, s, accesses=(), more=frozenset(), waits=False):
        if self.capturing is not None:
            self.nodes.append((self.capturing[s], accesses))
            self.capturing[s] = frozenset({len(self.nodes) - 1})
            return
        self.streams[s] = self.command(self.after_stream(s) | more, accesses)
        if waits:
            self.host |= self.streams[s]

    def record(self, event, s):
        if self.capturing is not None:
            self.captured_events[event] = self.capturing[s]
        else:
            self.enqueue(s)
            self.events[event] = self.streams[s]

    def wait(self, s, event):
        if self.capturing is not None:
            self.capturing[s] = self.capturing.get(s, frozenset()) | self.captured_events[event]
        else:
            self.enqueue(s, more=self.events[event] or frozenset())

    def finish(self, s):
        if s == LEGACY:
            self.enqueue(s, waits=True)
        self.host |= self.streams[s]

    def host_function(self, s):
        self.enqueue(s, waits=self.trusts)

    def know(self, *events):
        self.host = self.host.union(*(self.events[e] or () for e in events))

    def destroy(self, s):
        if s in BLOCKING:
            self.destroyed |= self.streams[s]
        self.streams[s] = frozenset()

    def begin_capture(self, s):
        self.capturing = {s: frozenset()}

    def end_capture(self):
        self.capturing = None

    def launch_graph(self, s):
        """A launch comes after the one before it of the same graph."""
        entry, known = self.command(self.after_stream(s) | self.newest_launch), []
        for before, accesses in self.nodes:
            known.append(self.command(entry.union(*(known[n] for n in before)), accesses))
        self.streams[s] = self.newest_launch = self.command(entry.union(*known))


# ---- Random scripts ----

class Drawing:
    """A script that is being drawn: its lines, and the calls of the reference, which may be made again."""

    def __init__(self, seed, first_kernel, reference):
        self.rng, self.kind, self.reference, self.lines = random.Random(seed), reference, reference(), [f"# {seed}"]
        self.kernels, self.calls, self.offsets = first_kernel, [], []

    def do(self, rule, *arguments, **more):
        self.calls.append((rule, arguments, more))
        rule(self.reference, *arguments, **more)

    def doubtful(self):
        """Races if functions of the host do not count: two kernels that have run at the same time are known not to be ordered by one."""
        reference = self.kind(trusts=False)
        for rule, arguments, more in self.calls:
            rule(reference, *arguments, **more)
        return reference.races()

    def say(self, *words):
        self.lines.append(" ".join(map(str, words)))

    def offset(self):
        """Often one that was used already."""
        if not self.offsets or self.rng.random() < 0.6:
            self.offsets.append(self.rng.randrange(0, 256))
        return self.rng.choice(self.offsets)

    def words(self):
        """Of a kernel: the first byte, how many words, and from each to the next."""
        return self.offset() // 4 * 4, self.rng.choice([0, 1, 1, 2, 8]), self.rng.choice([4, 8, 16, 20, 32])

    def place(self, dimensions, width, height, depth):
        """Rows, and slices, that are as close as they may be or have gaps."""
        pitch = width + self.rng.choice([0, 0, 4, 16]) if dimensions > 1 else width
        slice_ = pitch * (height + self.rng.choice([0, 1])) if dimensions > 2 else pitch * height
        return self.offset(), pitch, slice_

    def size(self, dimensions):
        return self.rng.choice([1, 4, 7, 16]), self.rng.choice([1, 2, 3]) if dimensions > 1 else 1, self.rng.choice([1, 2, 3]) if dimensions > 2 else 1


class Script(Drawing):
    def __init__(self, seed, first_kernel):
        super().__init__(seed, first_kernel, Reference)
        self.copies, self.fills = list(COPIES), list(FILLS)
        self.rng.shuffle(self.copies)
        self.rng.shuffle(self.fills)
        self.few = self.rng.sample(STREAMS, self.rng.choice([2, 3, 3, 4]))
        for _ in range(self.rng.randrange(6, 18)):
            self.step()
        if self.rng.random() < 0.4:
            self.capture()
        self.say(".")

    def step(self):
        rng, r, s = self.rng, self.reference, self.rng.choice(self.few)
        what = rng.choices("kcfrwsetdqphxz", [9, 3, 2, 4, 4, 1, 1, 1.5, 0.3, 0.7, 0.7, 0.5, 0.8, 1.5])[0]
        events = [e for e in EVENTS if r.events[e] is not None]
        if what in "kcf":
            self.access(what, s)
        elif what == "r":
            event = rng.choice(EVENTS)
            self.say("r", event, s)
            self.do(Reference.record, event, s)
        elif what == "w" and (events or rng.random() < 0.1):
            event = rng.choice(events or EVENTS)
            self.say("w", s, event)
            self.do(Reference.wait, s, event)
        elif what == "s" or (what == "q" and s != LEGACY):
            self.say(what, s)
            self.do(Reference.finish, s)
        elif what in "ep" and events:
            event = rng.choice(events)
            self.say(what, event)
            self.do(Reference.know, event)
        elif what == "t" and events:
            pair = rng.choices(events, k=2) if len(events) == 1 else rng.sample(events, 2)
            self.say("t", *pair)
            self.do(Reference.know, *pair)
        elif what == "d":
            self.say("d")
            self.do(Reference.know_all)
        elif what == "h":
            self.say("h", s)
            self.do(Reference.host_function, s)
        elif what == "x" and s not in (LEGACY, OWN):
            self.say("x", s)
            self.do(Reference.destroy, s)
        elif what == "z" and self.kernels:
            self.say("z")

    def access(self, what, s, asynchronous=False):
        if what == "k":
            self.launch(s)
        elif what == "c" and self.copies and not (asynchronous and COPIES[self.copies[-1]][1]):
            self.copy(self.copies.pop(), s)
        elif what == "f" and self.fills and not (asynchronous and FILLS[self.fills[-1]][1] == LEGACY):
            self.fill(self.fills.pop(), s)

    def launch(self, s):
        read, write = self.words(), self.words()
        accesses = [(f"k{self.kernels}: a {word}", word == "store", box(at, step, 0, 4, count, 1))
                    for word, (at, count, step) in (("load", read), ("store", write))]
        self.say("k", s, self.kernels, *read, *write)
        self.kernels += 1
        self.do(Reference.enqueue, s, accesses)

    def copy(self, call, s):
        dimensions, waits = COPIES[call]
        kind = WITHIN if "Peer" in call else self.rng.choice([TO_DEVICE, TO_HOST, WITHIN, WITHIN])
        size = self.size(dimensions)
        to, source = self.place(dimensions, *size), self.place(dimensions, *size)
        s = LEGACY if waits else s
        self.say("c", call, s, kind, *to, *source, *size)
        call = SAID.get(call, call)
        self.do(Reference.enqueue, s, [(f"{call}, which reads", False, box(*source, *size) << (PINNED if kind == TO_DEVICE else 0)),
                                   (f"{call}, which writes", True, box(*to, *size) << (PINNED if kind == TO_HOST else 0))], waits=waits)

    def fill(self, call, s):
        dimensions, fixed = FILLS[call]
        size = self.size(dimensions)
        to = self.place(dimensions, *size)
        s = s if fixed is None else fixed
        self.say("f", call, s, *to, *size)
        at, pitch, slice_ = to
        for z in range(size[2]):  # which are fills of two dimensions
            self.do(Reference.enqueue, s, [(f"{call.replace('3', '2')}, which writes", True, box(at + z * slice_, pitch, 0, *size[:2], 1))])

    def capture(self):
        """A graph by one stream, which another joins and perhaps a third, launched once or twice."""
        rng, r = self.rng, self.reference
        origin, *others = rng.sample([*BLOCKING, *FREE], 3)
        self.say("b", origin)
        self.do(Reference.begin_capture, origin)
        for _ in range(rng.randrange(4, 14)):
            s = rng.choice(list(r.capturing))
            waiting = rng.choice([origin, *others])
            if rng.random() < 0.5:
                self.access(rng.choice("kkkcf"), s, asynchronous=True)
            elif rng.random() < 0.5:
                event = rng.choice(EVENTS)
                self.say("r", event, s)
                self.do(Reference.record, event, s)
            elif r.captured_events:
                event = rng.choice(list(r.captured_events))
                self.say("w", waiting, event)
                self.do(Reference.wait, waiting, event)
                self.access("k", waiting)
        for s in [s for s in r.capturing if s != origin]:  # all join
            self.say("r", 0, s)
            self.do(Reference.record, 0, s)
            self.say("w", origin, 0)
            self.do(Reference.wait, origin, 0)
        self.say("n", origin)
        self.do(Reference.end_capture)
        for _ in range(rng.choice([1, 2])):
            s = rng.choice(STREAMS)
            self.say("g", s)
            self.do(Reference.launch_graph, s)
            self.access(rng.choice("kkc"), rng.choice(STREAMS))


# ---- What is found ----

SIDE = re.compile(r"kernel (\w+: a \w+)|([\w.]+, which \w+) there|the host, which has (changed)")
OF_LAUNCHES = re.compile(r"of launch \d+ \((\w+)\): (a \w+).*?; group \S+ thread \S+: (a \w+)")


def sides_of(finding):
    """The two sides as the reference calls them."""
    text = finding["message"].split(": ", 1)[1].split(": neither is")[0]
    within = OF_LAUNCHES.search(text)
    if within:
        sides = f"{within[1]}: {within[2]}", f"{finding['kernel']}: {within[3]}"
    else:
        sides = [match[1] or match[2] or match[3] for match in map(SIDE.match, text.split("; "))]
    return tuple(sorted(sides))


def write(path, scripts):
    with open(path, "w", encoding="utf-8") as file:
        print("kernels", scripts[-1].kernels, file=file)
        file.writelines(line + "\n" for script in scripts for line in script.lines)


def found_by(program, scripts, mode, folder):
    """Of each pair of sides how often it was found."""
    text, report = os.path.join(folder, "script"), os.path.join(folder, "report.json")
    write(text, scripts)
    words = [LOCKSTEP, "run", "--gpu", "gtx480", "--mode", mode, "--check", "races", "--report", "json", "--output", report, program, text]
    run = subprocess.run(words, capture_output=True, text=True, timeout=250, check=False)
    if run.returncode or run.stdout != "passed\n":
        sys.exit(f"{' '.join(words)}: exit status {run.returncode}: {run.stderr[-2000:]}")
    found = collections.Counter()
    with open(report, encoding="utf-8") as file:
        for finding in json.load(file)["findings"]:
            found[sides_of(finding)] += finding["count"]
    return found


def compare(scripts, found):
    """Mistakes, a line each."""
    expected, doubtful, hidden = collections.Counter(), collections.Counter(), set()
    for script in scripts:
        hidden |= script.reference.hidden()
        expected.update(script.reference.races())
        doubtful.update(script.doubtful())
    for sides in sorted(expected | found):
        kernels = sum(": a " in side for side in sides)
        if kernels == 2 and (found[sides] and doubtful[sides] or expected[sides] and sides in hidden):
            continue
        if kernels and bool(expected[sides]) != bool(found[sides]):
            yield f"{'; '.join(sides)}: {'not found' if expected[sides] else 'found, but ordered or apart'}"
        elif not kernels and expected[sides] != found[sides]:
            yield f"{'; '.join(sides)}: found {found[sides]} times in all scripts, not {expected[sides]}"


def main(program, kind):
    parser = argparse.ArgumentParser()
    parser.add_argument("--scripts", type=int, default=300)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--keep", help="a file for the scripts")
    a = parser.parse_args()
    scripts = []
    for seed in range(a.first, a.first + a.scripts):
        scripts.append(kind(seed, scripts[-1].kernels if scripts else 0))
    if a.keep:
        write(a.keep, scripts)
    for mode in "functional", "timing":
        with tempfile.TemporaryDirectory() as folder:
            found = found_by(program, scripts, mode, folder)
        mistakes = list(compare(scripts, found))
        if mistakes:
            sys.exit("\n".join([*mistakes[:20], f"{len(mistakes)} mistakes in {mode} mode"]))
        print(f"{mode} mode: {len(scripts)} scripts, {len(found)} pairs of accesses that nothing orders")


if __name__ == "__main__":
    main(os.path.join(os.environ["CUDA_PROGRAMS"], "orders"), Script)
