#!/usr/bin/env python3
"""Runs the kernels of tests/kernel under every divergence model, scheduler, mode and number of threads, and compares what comes out.

    tests/run_kernels.py [--quick|--full] [--gpu NAME...] [--accept] [--list] [-j JOBS] [NAME-PATTERN...|=NAME...]

NAME.ptx, NAME.cl or NAME.cu (a .cu beside a .ptx is only its source) starts with comment lines that say how to launch it,

    // launch: --grid 2 --block 64 --arg buf:data:u32:64:zero --dump data
    // launch big: --grid 90 --block 64 --arg buf:data:u32:64:zero --dump data

in the options of `lockstep kernel`; `file=` is relative to the kernel's folder; a second launch has a name.  An option that names the
GPU, scheduler, divergence model, mode or threads takes that choice out of the matrix.

NAME.expect says what must come out.  Lines compare exactly; `~` before a text makes it a glob.  `#` begins a comment.

    outcome completed               completed (when left out) hang fault limit, or a choice: limit|hang; the exit status follows from it
    exit 2                          where it does not: refused before the launch
    data = 1 2 3                    the whole dump        data[0] = 128     data[4:8] = 1 2 3 4
    sum(data) = 10                  likewise sorted(data), max(data) ... any Python expression over the dumps
    data := [3 * x for x in input]  Python over the buffers as they were before the launch and tests/reference.py
    data[i] := 3 * i                the same for every index
    check len(set(data)) == 64      Python over the dumps; the buffers before the launch are before.NAME
    let pairs = [...]               a name for the lines below; NAME.py beside the kernel may define more
    table out over a, b in pairs:   rows of an output buffer, one row per line that follows, a value per element of `pairs`;
        add.u32 | a + b             text before the bar only names the row
    finding ~*misaligned*           one of the findings ("cause: message"), in small or capital letters; a run without findings is expected
                                    to have none
    unconfirmed WHY                 the cause of a hang need not be confirmed by a run without it, as it must be otherwise; of the causes WISHED
                                    it is enough that the kernel would go on
    printed ~*hello*                text that the kernel or the simulator printed; printed = "a\\nb\\n": all of it
    counter NAME >= 3               or = <=; Python, also over the other counters: smsp__inst_executed - 7
    ignore data                     what became of a buffer does not matter
    under --divergence stack:       until the next `under`: lines that replace those above with the same left side; several options
                                    narrow it, `, ` separates alternatives, `--launch NAME` picks a launch; `under anything:` ends it
    skip under --gpu v100: reason   not run

One timing configuration of each launch that --threads varies must give the same report, byte for byte, for one thread and for several; with --full
each must for 1, 2 and 3 threads.

The whole report of each run of --quick is compared, by a digest, with the one that was accepted (tests/digests.py).  Not so with --full,
--gpu, --seeds and --no-digests, which is for builds whose reports are others, and for kernels that are compiled when they run."""
import argparse
import concurrent.futures
import fnmatch
import functools
import itertools
import json
import math
import os
import random
import re
import shlex
import struct
import subprocess
import sys
import tempfile
import zlib

import digests
import invariants
import reference

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
KERNELS = os.path.join(HERE, "kernel")
LOCKSTEP = os.environ.get("LOCKSTEP", os.path.join(ROOT, "build", "release", "lockstep"))
TIMEOUT = float(os.environ.get("LOCKSTEP_TEST_TIMEOUT", "60"))  # seconds for one run
MAX_CYCLES = "20000000"                                         # unless the launch line says otherwise
EXIT_STATUS = {"completed": 0, "hang": 3, "fault": 4, "limit": 5}
DIFFERENCES_SHOWN = 8
WISHED = {"missing-signal", "barrier", "no-part", "no-such-group", "queued-behind"} # nothing is known that would remove them: hangs-cause.md
DRAWS = 20                                                      # of a configuration, of which the best is taken
# The reports that were accepted have turns of one length for every seed.  LOCKSTEP_TEST_DRAWN=1 draws them, for runs with --no-digests; a launch
# that says `--set functional.drawn=1` itself has them always.
TURNS = [] if os.environ.get("LOCKSTEP_TEST_DRAWN") else ["--set", "functional.drawn=0"]
REPORTED_THREADS = re.compile(r'"(wall_seconds|threads)": *[0-9.eE+-]+')


class Mistake(Exception):
    """An error in a test's own files."""


# ---- Launch lines ----

class Buffer:
    def __init__(self, text):
        fields = text.split(":", 4)
        if len(fields) < 4:
            raise Mistake(f"bad buffer '{text}'")
        self.name, self.type, self.count = fields[1], fields[2], int(fields[3])
        self.fill = fields[4] if len(fields) > 4 else "zero"

    def before(self, folder):
        """The values the command line puts into it."""
        kind, _, value = self.fill.partition("=")
        if kind == "zero":
            return [0] * self.count
        if kind == "fill":
            return [typed(self.type, float(value) if self.type[0] == "f" else int(value))] * self.count
        if kind == "iota":
            return [typed(self.type, i) for i in range(self.count)]
        if kind == "random":
            return self.random(value.split(","))
        if kind == "file":
            with open(os.path.join(folder, value), "rb") as file:
                return list(struct.unpack(f"<{self.count}{STRUCT[self.type]}", file.read()))
        raise Mistake(f"bad fill '{self.fill}'")

    def random(self, numbers):
        draws = itertools.islice(reference.splitmix64(int(numbers[0])), self.count)
        if self.type[0] == "f":
            low, high = float(numbers[1]), float(numbers[2])
            return [typed(self.type, low + (high - low) * ((d >> 11) / 2.0 ** 53)) for d in draws]
        if len(numbers) == 1:
            return [typed(self.type, d) for d in draws]
        low, high = int(numbers[1]), int(numbers[2])
        return [typed(self.type, low + d % (high - low)) for d in draws]


# Bits of the types of tensors that no buffer has, and what their buffers are made of instead.
TENSOR_TYPES = {"bf16": (16, "u16"), "f32.ftz": (32, "f32"), "tf32": (32, "f32"), "tf32.ftz": (32, "f32"), "b4x16": (4, "u8"), "b4x16_p64": (4, "u8"),
                "b6x16_p32": (6, "u8")}


def tensor_buffer(text):
    """The buffer that a tensor map makes, if it does: tensor:BUFFER:TYPE:SIZES:STRIDES:BOX...:new[=CONTENTS]"""
    head, new, contents = re.fullmatch(r"(.*?)(?:(:new)(?:=(.*))?)?", text).groups()
    _, name, kind, sizes, strides = head.split(":")[:5]
    bits, element = TENSOR_TYPES.get(kind) or (8 * struct.calcsize(STRUCT[kind]), kind)
    sizes = [int(n) for n in sizes.split("x")]
    steps = [sizes[0] * bits // 8]
    for size in sizes[1:]:
        steps.append(steps[-1] * size)
    if strides != "dense":
        steps = [int(n) for n in strides.split("x")]
    count = sum((size - 1) * step for size, step in zip(sizes[1:], steps)) + (sizes[0] * bits + 7) // 8
    count = -(-count // struct.calcsize(STRUCT[element]))
    return Buffer(f"buf:{name}:{element}:{count}:{contents or 'zero'}") if new else None


STRUCT = {"u8": "B", "s8": "b", "u16": "H", "s16": "h", "u32": "I", "s32": "i", "u64": "Q", "s64": "q", "f16": "e", "f32": "f", "f64": "d"}


def typed(kind, value):
    """A Python number as a buffer of type `kind` holds it."""
    if isinstance(value, reference.Choice):
        return value
    if kind[0] != "f":
        if isinstance(value, float):
            raise Mistake(f"{value} expected in a buffer of {kind}")
        return reference.INTEGER[kind](value)
    try:
        return struct.unpack("<" + STRUCT[kind], struct.pack("<" + STRUCT[kind], value))[0]
    except OverflowError:
        return math.copysign(math.inf, value)


def same(expected, actual):
    if isinstance(expected, reference.Choice):
        return expected.allows(actual)
    if isinstance(expected, float) or isinstance(actual, float):
        try:
            return struct.pack("<d", expected) == struct.pack("<d", actual) or expected != expected and actual != actual
        except struct.error:
            return False
    return expected == actual


class Launch:
    def __init__(self, name, text):
        self.name, self.options = name, shlex.split(text)
        arguments = [o for flag, o in zip(self.options, self.options[1:]) if flag == "--arg"]
        self.buffers = [Buffer(o) for o in arguments if o.startswith("buf:")]
        self.buffers += filter(None, (tensor_buffer(o) for o in arguments if o.startswith("tensor:")))
        self.dumps = [o.split(":")[0] for flag, o in zip(self.options, self.options[1:]) if flag == "--dump"]
        self.groups = math.prod(int(n) for n in (self.value("--grid") or "1").split(","))

    def fixes(self, option):
        return option in self.options

    def value(self, option):
        return self.options[self.options.index(option) + 1] if option in self.options else None


def launches_of(path):
    """The launch lines among the first comment lines of a kernel."""
    found = []
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            match = re.match(r"\s*(?://|\*|/\*)\s*launch(?: +([\w-]+))?: *(.*?)(?:\*/)?\s*$", line)
            if match:
                found.append(Launch(match[1] or "", match[2]))
            elif line.strip() and not line.lstrip().startswith(("//", "/*", "*")):
                break
    if not found:
        raise Mistake("no launch line")
    return found


# ---- Configurations ----

class Configuration:
    """One choice for every dimension of the matrix, as options of the command."""

    def __init__(self, **choices):
        self.choices = choices

    def options(self, launch):
        return [part for option, value in self.choices.items() if not launch.fixes("--" + option) for part in ("--" + option, str(value))]

    def key(self, launch):
        return tuple(self.options(launch))

    def matches(self, condition, launch):
        """Whether an `under` condition ("--divergence stack --mode functional, --gpu v100") holds."""
        if condition == "anything":
            return True
        for alternative in condition.split(","):
            words = alternative.split()
            if all(self.value(option, launch) == value for option, value in zip(words[::2], words[1::2])):
                return True
        return False

    def value(self, option, launch):
        if option == "--launch":
            return launch.name
        return launch.value(option) or str(self.choices.get(option[2:]))


def policies():
    """Names by kind, from `lockstep policies`."""
    names = {}
    try:
        lines = subprocess.run([LOCKSTEP, "policies"], capture_output=True, text=True, timeout=TIMEOUT).stdout.splitlines()
    except (OSError, subprocess.SubprocessError):
        lines = []
    kind = None
    for line in lines:
        words = line.split()
        if not words:
            continue
        if not line[0].isspace() and (len(words) == 1 or words[0].endswith(":")):
            kind = words[0].rstrip(":")
        elif line[0].isspace() and kind:
            names.setdefault(kind, []).append(words[0])
        elif len(words) > 1:
            names.setdefault(words[0], []).append(words[1])
    return names


# A chip without surprises, one with sub-cores and paths of their own, two whose schedulers issue twice a cycle (with sub-cores and
# without), one of 64 lanes.
GPUS = ["gtx480", "v100", "gtx980", "gtx1080ti", "radeon-r9"]


def matrix(gpus):
    """The dimensions; what a later policy adds is tested the day it joins the list."""
    found = policies()
    return {
        "gpu": gpus or GPUS,
        "divergence": found["divergence"],
        "scheduler": found["scheduler"],
        "mode": ["timing", "functional"],
        "threads": [1, 2, 3],
        "seed": [1, 2],
        "coherence": found["coherence"],
        "dispatch": [name for name in found["dispatch"] if name != "spread"],  # in order where no port is shared, as on GPUS
        "spin": [name for name in found["spin"] if name != "marked"],   # which needs branches of the kernel's own
        "backoff": found["backoff"],
        "lock": [name for name in found["lock"] if name != "none"],     # with which stack-locks is stack: launches of their own say so
        "retry": found["retry"],
    }


# Lock units and retry policies are drawn in lock/ only: what the examples of paper 1 come to is said of its machine, which tries again.
# Choices that change nothing where the dimension has no part: the functional mode has no clock, in timing mode groups start in order,
# a seed matters only where chance does, and what answers lock instructions only where there are some.
IDLE = {"threads": 1, "scheduler": "lrr", "seed": 1, "coherence": "none", "dispatch": "in-order", "spin": "none", "backoff": "none", "lock": "retry", "retry": "none"}
USUAL = {option: str(value) for option, value in IDLE.items()}
TIMING = ["gpu", "divergence", "scheduler", "threads", "seed", "coherence", "spin", "backoff"]
FUNCTIONAL = ["gpu", "divergence", "seed", "dispatch"]
LOCKS = ["lock", "retry"]


def sensible(choices, draws_locks):
    """The choices that remain of a draw."""
    matter = (TIMING if choices["mode"] == "timing" else FUNCTIONAL) + ["mode"] + (LOCKS if draws_locks and choices["mode"] == "timing" else [])
    kept = {d: v if d in matter else IDLE[d] for d, v in choices.items() if d in matter or d not in LOCKS}
    if kept["mode"] == "timing" and kept["scheduler"] != "random":
        kept["seed"] = IDLE["seed"]
    if kept["backoff"] != "none" and kept["spin"] == "none":
        kept["spin"] = "ddos"           # a back-off policy needs a detector
    return kept


# Folders and kernels whose work-groups wait for each other: a progress model has verdicts of its own (tests/progress.py).  `fair` gives all
# what they wait for; where they hang on purpose it is not drawn either.
WAITING = {"litmus": ["fair"], "race/good": ["fair"], "init/groups": ["fair"], "lock": [], "paper1": [], "hang": [], "verdict": []}
MODEL_GROUPS = 15                       # fit all GPUs at once, as a progress model asks for


def dispatched(configuration, test, launch):
    """The configuration, in order where its progress model is not for this launch."""
    allowed = WAITING.get(test.name, WAITING.get(test.name.split("/")[0]))
    dispatch = configuration.choices["dispatch"]
    fits = configuration.value("--mode", launch) == "functional" and launch.groups <= MODEL_GROUPS
    if dispatch == IDLE["dispatch"] or fits and (allowed is None or dispatch in allowed):
        return configuration
    return Configuration(**{**configuration.choices, "dispatch": IDLE["dispatch"]})


def draws_lock_units(name, like_stack):
    return "stack-locks" not in like_stack and name.startswith("lock/")


# Choices that are drawn after all others, one configuration for each, in timing mode: what the others meet does not depend on them, and they
# meet all else over all kernels.
ALONE = {"coherence": ["moesi"]}        # under which nothing is weak or stale

EVERY = ["gpu", "divergence", "scheduler", "mode", "threads", "seed"]   # all combinations of these are `--full`


def every_configuration(dimensions, name, like_stack):
    """All combinations of EVERY; the other dimensions are drawn for each."""
    rng, seen = random.Random(name), {}
    for values in itertools.product(*(dimensions[d] for d in EVERY)):
        choices = {d: rng.choice(of) for d, of in dimensions.items()} | dict(zip(EVERY, values))
        choices = sensible(choices, draws_lock_units(name, like_stack))
        seen.setdefault(tuple(choices[d] for d in EVERY), Configuration(**choices))
    return list(seen.values())


# What each kernel meets in each mode.  All else, and each two choices, meets over all kernels (meets_nowhere), since the draw depends on the
# name: in functional mode a GPU decides little, and three schedulers are variants of one of these.
OF_EACH = {"gpu": {"functional": GPUS[:2]}, "scheduler": {"timing": ["lrr", "gto", "random"]}, "dispatch": {"functional": ["in-order"]}}


@functools.cache
def must_meet(a, x, b, y, like_stack, draws_locks):
    """Whether each kernel is to be run with both choices: those of OF_EACH meet their mode, and divergence models the first two GPUs.  A
    divergence model that is stack for this kernel (see Test.like_stack) need only meet both modes.  Kernels that draw lock units are few, and
    meet all choices."""
    pair = {a: x, b: y}
    if "mode" in pair:
        (other, choice), = ((d, v) for d, v in pair.items() if d != "mode")
        return draws_locks or choice in OF_EACH.get(other, {}).get(pair["mode"], [choice])
    return pair.get("gpu") in GPUS[:2] and "divergence" in pair and pair["divergence"] not in like_stack


def all_pairs_of(choices):
    """The pairs that a configuration lets meet, of dimensions that have a part in the mode: an idle one meets nothing."""
    names = [d for d in choices if d == "mode" or d in (TIMING + LOCKS if choices["mode"] == "timing" else FUNCTIONAL)]
    return {(a, choices[a], b, choices[b]) for a, b in itertools.combinations(names, 2)}


def pairs_of(choices, like_stack, draws_locks):
    return {pair for pair in all_pairs_of(choices) if must_meet(*pair, like_stack, draws_locks)}


def open_to_all(dimensions):
    """Choices with which all others are sensible."""
    return {d: v[-1] for d, v in dimensions} | {"scheduler": "random", "spin": "ddos", "backoff": "none"}


@functools.cache
def pairs_to_meet(dimensions, like_stack, draws_locks):
    """Each pair that can meet, as the two choices, in the order of the dimensions: a set's would differ from run to run."""
    found, rest = {}, open_to_all(dimensions)
    for (a, of_a), (b, of_b) in itertools.combinations(dimensions, 2):
        for x, y in itertools.product(of_a, of_b):
            start = {a: x, b: y}
            if any((a, x, b, y) in pairs_of(sensible({**rest, "mode": mode, **start}, draws_locks), like_stack, draws_locks) for mode in dict(dimensions)["mode"]):
                found[a, x, b, y] = start
    return found


def few_configurations(dimensions, name, like_stack):
    """A few configurations in which all meets that must (must_meet); which few depends on the kernel's name.
    Each begins with a pair that has not met, and takes of some draws for the rest the one in which most others meet."""
    rng, draws_locks = random.Random(name), draws_lock_units(name, like_stack)

    def draw(start):
        """Whether it keeps `start` is for the caller to see."""
        return sensible({d: start.get(d) or rng.choice(values) for d, values in dimensions.items()}, draws_locks)
    whole, chosen = dimensions, []
    dimensions = {d: [v for v in values if v not in ALONE.get(d, ())] for d, values in whole.items()}
    missing = dict(pairs_to_meet(tuple((d, tuple(v)) for d, v in dimensions.items()), like_stack, draws_locks))
    while missing:
        first = next(iter(missing))
        candidates = [(c, pairs) for c in (draw(missing[first]) for _ in range(DRAWS)) if first in (pairs := pairs_of(c, like_stack, draws_locks))]
        best, met = max(candidates, key=lambda c: len(c[1] & missing.keys()), default=(None, ()))
        if best:
            chosen.append(Configuration(**best))
            for pair in met:
                missing.pop(pair, None)
    alone = [(d, value) for d, values in ALONE.items() for value in values if value in whole[d]]
    return chosen + [Configuration(**draw({"mode": "timing", d: value})) for d, value in alone]


def in_effect(choices, launch, draws_locks):
    """The choices of a configuration as they are for a launch, whose own options come first."""
    fixed = {d: kind(launch.value("--" + d)) for d, kind in ((d, type(v)) for d, v in choices.items()) if launch.fixes("--" + d)}
    return sensible({**choices, **fixed}, draws_locks)


def meets(configuration, test, launch):
    """The pairs for which a launch is run in a configuration: those that it must meet, of dimensions that it leaves open.  A divergence model
    that is stack for the kernel meets one mode, which depends on its name and the kernel's: over all kernels it meets both."""
    draws_locks = draws_lock_units(test.name, test.like_stack)
    choices = in_effect(configuration.choices, launch, draws_locks)
    found = {pair for pair in pairs_of(choices, test.like_stack, draws_locks)
             if not any(launch.fixes("--" + d) for d in (pair[0], pair[2]) if d != "mode")}
    if choices["divergence"] in test.like_stack and choices["mode"] != turn(test.name + choices["divergence"], ["timing", "functional"]):
        found = {pair for pair in found if "divergence" not in (pair[0], pair[2]) or "mode" not in (pair[0], pair[2])}
    return found


def turn(text, of):
    """One of some, which depends on the text."""
    return of[zlib.crc32(text.encode()) % len(of)]


# Folders of many kernels that differ in little but who waits for whom: what one of them is not run with, its neighbours are.
ALIKE = {"verdict"}


def of_launch(configurations, test, launch):
    """Those of a kernel's configurations in which one of its launches is run: as few as meet what all of them do (meets), and those with a
    choice of ALONE.  A launch after the first is a variant of it, and is run in every fourth of them, in each mode: which, changes from one
    to the next; and in some of every second, so that each section of the expectation that holds in one of those is tried.  The first launch of a
    kernel of ALIKE is run in every second, and so that each section is tried."""
    pairs = {c: meets(c, test, launch) for c in configurations}
    kept = [c for c in configurations if any(c.choices[d] in values for d, values in ALONE.items() if not launch.fixes("--" + d))] or configurations[:1]
    missing = set().union(*pairs.values()) - set().union(*(pairs[c] for c in kept))
    while missing:
        kept.append(max(configurations, key=lambda c: len(pairs[c] & missing)))
        missing -= pairs[kept[-1]]
    number, alike = test.launches.index(launch), test.name.split("/")[0] in ALIKE
    if number or alike:
        modes = [[c for c in kept if c.value("--mode", launch) == mode] for mode in ("timing", "functional")]
        halves = [of[(number or turn(test.name, [0, 1])) % 2 :: 2] or of for of in modes]
        tried = itertools.chain(*(halves if number else modes))
        kept = [c for half in halves for c in (half[number // 2 % 2 :: 2] or half if number else half)]
        for c in tried:
            if not test.expectation.holding([c], launch) <= test.expectation.holding(kept, launch):
                kept.append(c)
    return [c for c in configurations if c in kept]


def runs_of(configurations, test, launch, dimensions, full):
    """All configurations in which a launch is run, once each, and none that its expectation leaves out.  One of those with several threads is
    run with one thread, too, so that the reports can be compared, and each of --full with all numbers of threads."""
    wanted = list(configurations if full else of_launch(configurations, test, launch))
    parallel = [c for c in wanted if c.value("--mode", launch) == "timing" and c.choices["threads"] != 1]
    for c in parallel if full else parallel[:1]:
        wanted += [Configuration(**{**c.choices, "threads": n}) for n in (dimensions["threads"] if full else dimensions["threads"][:1])]
    found = {}
    for configuration in (dispatched(c, test, launch) for c in wanted):
        if not test.expectation.skipped(configuration, launch):
            found.setdefault(configuration.key(launch), configuration)
    return found


def pairs_met(configurations, test):
    """All pairs that meet in the runs of a kernel."""
    draws_locks, met = draws_lock_units(test.name, test.like_stack), set()
    for launch in test.launches:
        for configuration in of_launch(configurations, test, launch):
            met |= all_pairs_of(in_effect(configuration.choices, launch, draws_locks))
    return met


def meets_nowhere(dimensions, met):
    """The pairs of choices that can meet, and are not in `met`, as text."""
    rest = open_to_all(dimensions.items())
    found = []
    for (a, of_a), (b, of_b) in itertools.combinations(dimensions.items(), 2):
        for x, y in itertools.product(of_a, of_b):
            able = any((a, x, b, y) in all_pairs_of(sensible({**rest, "mode": mode, a: x, b: y}, True)) for mode in dimensions["mode"])
            if able and (a, x, b, y) not in met:
                found.append(f"--{a} {x} with --{b} {y}")
    return found


# ---- Expectations ----

class Line:
    """One line of an .expect file: `key` is what an `under` section replaces it by."""

    def __init__(self, number, key, kind, left, operator, right):
        self.number, self.key, self.kind, self.left, self.operator, self.right = number, key, kind, left, operator, right
        self.rows = []          # of a table: (label, expression)


class Expectation:
    def __init__(self, path):
        self.path, self.sections, self.skips = path, [("anything", [])], []
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                self.text = file.read().splitlines()
        else:
            self.text = []
        table = None
        for number, line in enumerate(self.text, 1):
            bare = line.strip()
            if not bare or bare.startswith("#"):
                continue
            if table and line[0].isspace() and " | " in line:
                table.rows.append([part.strip() for part in bare.split(" | ", 1)])
                continue
            table = None
            if bare.startswith("skip under "):
                condition, _, reason = bare[len("skip under "):].partition(":")
                self.skips.append((condition.strip(), reason.strip()))
            elif bare.startswith("under "):
                self.sections.append((bare[len("under "):].rstrip(":").strip(), []))
            else:
                item = self.parse(number, bare)
                self.sections[-1][1].append(item)
                if item.kind == "table":
                    table = item

    def parse(self, number, bare):
        word, _, rest = bare.partition(" ")
        rest = rest.strip()
        if word in ("outcome", "exit"):
            return Line(number, word, word, None, None, rest)
        if word == "ignore":
            return Line(number, bare, word, rest, None, None)
        if word == "unconfirmed":
            return Line(number, word, word, None, None, rest)
        if word in ("finding", "check"):
            return Line(number, bare, word, None, None, rest)
        if word == "printed":
            return Line(number, "printed" if rest.startswith("=") else bare, word, None, None, rest)
        if word == "let":
            left, _, right = rest.partition("=")
            return Line(number, "let " + left.strip(), "let", left.strip(), "=", right.strip())
        if word == "counter":
            match = re.match(r"(\S+) *(>=|<=|=) *(.+)$", rest)
            if match:
                return Line(number, "counter " + match[1], "counter", match[1], match[2], match[3])
        if word == "table":
            match = re.match(r"(\w+) over (.+?) in (.+):$", rest)
            if match:
                return Line(number, "table " + match[1], "table", match[1], match[2], match[3])
        match = re.match(r"(.+?) *(:=|=)(?!=) *(.*)$", bare)
        if match:
            return Line(number, match[1], "data", match[1], match[2], match[3])
        raise Mistake(f"{self.path}:{number}: not understood: {bare}")

    def skipped(self, configuration, launch):
        return any(configuration.matches(condition, launch) for condition, _ in self.skips)

    def holding(self, configurations, launch):
        """The sections that hold in one of the configurations at least."""
        return {k for k, (condition, _) in enumerate(self.sections) if any(c.matches(condition, launch) for c in configurations)}

    def lines(self, configuration, launch):
        """What holds for a configuration, and whether the buffers are to be compared although the run did not complete."""
        chosen = {}
        for condition, lines in self.sections:
            if not configuration.matches(condition, launch):
                continue
            outcome = next((l.right for l in lines if l.kind == "outcome"), None)
            if outcome and condition != "anything" and "completed" not in outcome.split("|"):
                chosen = {k: l for k, l in chosen.items() if l.kind == "let"}
            for line in lines:
                # "data" replaces "data[0]" as well, and the other way round.
                stem = re.match(r"(?:table |ignore )?(\w+)", line.key)[1] if line.kind in ("data", "table", "ignore") else None
                if condition != "anything" and stem:
                    chosen = {k: l for k, l in chosen.items() if l.kind not in ("data", "table") or not re.search(rf"\b{stem}\b", k)}
            for line in lines:
                chosen[line.key if line.kind != "table" else f"{line.key} {line.number}"] = line
        return list(chosen.values())


class Before:
    """The buffers before the launch, by name."""

    def __init__(self, launch, folder):
        for buffer in launch.buffers:
            setattr(self, buffer.name, buffer.before(folder))


class Judge:
    """Compares reports of one launch with an expectation.  Python expressions are evaluated once."""

    def __init__(self, test, launch):
        self.test, self.launch, self.cache = test, launch, {}
        self.types = {b.name: b.type for b in launch.buffers}
        self.scope = {k: v for k, v in vars(reference).items() if not k.startswith("__")}
        self.before = Before(launch, test.folder)
        self.scope.update(vars(self.before), before=self.before, math=math, grid=launch.value("--grid"), block=launch.value("--block"))
        helper = os.path.splitext(test.path)[0] + ".py"
        if os.path.exists(helper):
            with open(helper, encoding="utf-8") as file:
                exec(compile(file.read(), helper, "exec"), self.scope)

    def evaluate(self, line, expression, scope=None):
        try:
            return eval(expression, dict(self.scope, **scope) if scope else self.scope)
        except Exception as error:
            raise Mistake(f"{self.test.expectation.path}:{line.number}: {expression}: {error!r}") from error

    def once(self, key, function):
        if key not in self.cache:
            self.cache[key] = function()
        return self.cache[key]

    def differences(self, run, configuration):
        """Lines of text, none when all is as expected."""
        lines = self.test.expectation.lines(configuration, self.launch)
        outcome = next((l.right for l in lines if l.kind == "outcome"), "completed")
        status = next((int(l.right) for l in lines if l.kind == "exit"), None)
        if status is not None and not run.report:
            yield from [] if run.status == status else [f"exit {run.status}, expected {status}"]
            outcome = None
        elif not run.report:
            yield f"no report: exit {run.status}" + (" (timed out)" if run.timed_out else "")
            yield from run.stderr.strip().splitlines()[:DIFFERENCES_SHOWN]
            return
        else:
            if run.outcome not in outcome.split("|"):
                yield f"outcome {run.outcome}, expected {outcome}"
                yield from (f"finding: {f}" for f in run.findings()[:3])
                return
            if status is None:
                status = EXIT_STATUS[run.outcome]
            if run.status != status:
                yield f"exit {run.status}, expected {status}"
            if run.findings() and outcome == "completed" and not any(l.kind == "finding" for l in lines):
                yield from (f"unexpected finding: {f}" for f in run.findings()[:3])
            if not any(l.kind == "unconfirmed" for l in lines):
                yield from (f"cause not confirmed: {f}" for f in run.unconfirmed()[:1])
        for line in lines:
            if line.kind == "let":
                self.scope[line.left] = self.once(("let", line.number), lambda: self.evaluate(line, line.right))
        for line in lines:
            problem = getattr(self, "judge_" + line.kind, lambda *_: None)(line, run)
            if problem:
                place = f"{os.path.basename(self.test.expectation.path)}:{line.number}"
                for text in problem if isinstance(problem, list) else [problem]:
                    yield f"{place}: {text}"
        yield from invariants.broken(run.report) if run.report else []

    # One method per kind of line: returns a text, a list of texts, or nothing.

    def judge_finding(self, line, run):
        if not any(matches(line.right.lower(), f.lower()) for f in run.findings()):
            return [f"no finding {line.right}"] + [f"  found: {f}" for f in run.findings()[:3]]
        return None

    def judge_printed(self, line, run):
        if line.right.startswith("="):
            wanted = self.evaluate(line, line.right[1:])
            return None if run.printed() == wanted else f"printed {run.printed()!r}, expected {wanted!r}"
        if any(matches(line.right, text) for text in run.printed().splitlines() + [run.printed().strip()]):
            return None
        return f"printed {run.printed()!r}, expected {line.right}"

    def judge_counter(self, line, run):
        if line.left not in run.counters():
            near = [c for c in run.counters() if c.split("__")[0] == line.left.split("__")[0]]
            return f"no counter {line.left}; there are {' '.join(near[:12])}"
        others = {name.removesuffix(".sum"): value for name, value in run.counters().items()}
        value, wanted = run.counters()[line.left], self.evaluate(line, line.right, others)
        holds = {"=": value == wanted, ">=": value >= wanted, "<=": value <= wanted}[line.operator]
        return None if holds else f"counter {line.left} is {value}, expected {line.operator} {wanted}"

    def judge_check(self, line, run):
        try:
            if eval(line.right, dict(self.scope, **run.dumps())):
                return None
            why = "does not hold"
        except Exception as error:      # wrong output can break the expression itself
            why = repr(error)
        return [f"{why}: {line.right}"] + [f"  {n} = {short(v)}" for n, v in run.dumps().items()]

    def judge_data(self, line, run):
        whole_index = re.match(r"(\w+)\[(\w+)\]$", line.left)
        if line.operator == ":=" and whole_index and whole_index[2].isidentifier() and whole_index[2] not in self.scope:
            name, index = whole_index[1], whole_index[2]
            actual = self.dump(line, name, run)
            code = self.once(("code", line.number), lambda: compile(line.right, "expect", "eval"))
            wanted = self.once(line.number, lambda: [self.evaluate(line, code, {index: i}) for i in range(len(actual))])
            return self.compare(line.left, name, wanted, actual)
        name = next((n for n in re.findall(r"[A-Za-z_]\w*", line.left) if n in self.launch.dumps), None)
        if name is None:
            raise Mistake(f"{self.test.expectation.path}:{line.number}: names no dumped buffer")
        actual = self.evaluate(line, line.left, run.dumps())
        if line.operator == ":=":
            wanted = self.once(line.number, lambda: self.evaluate(line, line.right))
        elif line.right.startswith("~"):
            text = " ".join(map(str, actual)) if isinstance(actual, list) else str(actual)
            return None if fnmatch.fnmatchcase(text, line.right[1:]) else f"{line.left} = {text}, expected {line.right}"
        else:
            wanted = self.once(line.number, lambda: [literal(w) for w in line.right.split()])
        if not isinstance(actual, (list, tuple)):
            actual = [actual]
        if not hasattr(wanted, "__iter__"):
            wanted = [wanted]
        return self.compare(line.left, name if line.left.startswith(name) or line.left.startswith("sorted") else None, list(wanted), list(actual))

    def judge_table(self, line, run):
        actual = self.dump(line, line.left, run)
        elements = self.once(("over", line.number), lambda: list(self.evaluate(line, line.right)))
        position, problems = getattr(run, "position", {}).get(line.left, 0), []
        for label, expression in line.rows:
            def row(expression=expression):
                try:
                    function = eval(f"lambda {line.operator}: {expression}", self.scope)
                    unpack = "," in line.operator
                    return [function(*e) if unpack else function(e) for e in elements]
                except Exception as error:
                    raise Mistake(f"{self.test.expectation.path}:{line.number}: {label}: {error!r}") from error
            wanted = self.once((line.number, label, expression), row)
            for k, value in enumerate(wanted):
                value = typed(self.types[line.left], value)
                got = actual[position + k] if position + k < len(actual) else None
                if not same(value, got):
                    problems.append(f"{label}: ({line.operator}) = {shows(elements[k])}: got {reference.show(got)}, expected {reference.show(value)}")
                    break       # one example a row
            position += len(wanted)
        # A second table of the same buffer goes on where this one ends.
        run.position = {**getattr(run, "position", {}), line.left: position}
        return problems

    def dump(self, line, name, run):
        if name not in run.dumps():
            raise Mistake(f"{self.test.expectation.path}:{line.number}: '{name}' is not dumped")
        return run.dumps()[name]

    def compare(self, left, name, wanted, actual):
        if name:
            wanted = [typed(self.types[name], w) for w in wanted]
        if len(wanted) != len(actual):
            return f"{left}: {len(actual)} values, expected {len(wanted)}"
        wrong = [k for k in range(len(wanted)) if not same(wanted[k], actual[k])]
        if not wrong:
            return None
        problems = [f"{left}: {len(wrong)} of {len(wanted)} values differ"]
        problems += [f"  [{k}] is {reference.show(actual[k])}, expected {reference.show(wanted[k])}" for k in wrong[:DIFFERENCES_SHOWN]]
        return problems


def short(values):
    text = " ".join(map(str, values))
    return text if len(text) < 400 else text[:400] + " ..."


def shows(element):
    return ", ".join(map(reference.show, element)) if isinstance(element, (list, tuple)) else reference.show(element)


def matches(pattern, text):
    return fnmatch.fnmatchcase(text, pattern[1:]) if pattern.startswith("~") else pattern == text


def literal(word):
    if word in ("nan", "inf", "-inf", "-nan"):
        return float(word)
    return float(word) if re.search(r"[.eE]", word) and not word.startswith("0x") else int(word, 0)


# ---- Runs ----

class Run:
    def __init__(self, command):
        self.command, self.timed_out = command, False
        try:
            done = subprocess.run(command, capture_output=True, timeout=TIMEOUT, stdin=subprocess.DEVNULL)
            self.status, stdout, stderr = done.returncode, done.stdout, done.stderr
        except subprocess.TimeoutExpired as late:
            self.status, self.timed_out, stdout, stderr = -1, True, b"", late.stderr or b""
        self.stdout, self.stderr = stdout.decode("utf-8", "replace"), stderr.decode("utf-8", "replace")
        try:
            self.report = json.loads(self.stdout)
        except ValueError:
            self.report = None

    @property
    def outcome(self):
        return self.report["launches"][-1]["outcome"]  # those that it launched itself are before it

    def unconfirmed(self):
        findings = self.report.get("findings", []) if self.report else []
        return [f"{f['cause']}: {f['message']}" for f in findings
                if f["kind"] == "hang" and not f["confirmed"] and not (f["cause"] in WISHED and f.get("would_go_on"))]

    def findings(self):
        return [f"{f.get('cause', '')}: {f.get('message', '')}" for f in self.report.get("findings", [])] if self.report else []

    def printed(self):
        return self.stderr

    def counters(self):
        return self.report["launches"][-1]["counters"]

    @functools.cached_property
    def dumped(self):
        return {n: [float(v) if isinstance(v, str) else v for v in values] for n, values in self.report["buffers"].items()} if self.report else {}

    def dumps(self):
        return self.dumped

    def without_wall_clock(self):
        return REPORTED_THREADS.sub("", self.stdout) + "\n" + self.stderr


def like_stack(path, text):
    """The divergence models that are stack for a kernel: stack-locks without lock instructions, stack-without-calls without calls.
    Functions of OpenCL C and CUDA C++ are compiled into their callers, unless they ask not to be."""
    has_calls = re.search(r"\bcall(\.uni)?\b" if path.endswith(".ptx") else "noinline", text)
    return frozenset(name for name, differs in (("stack-locks", "__lockstep_" in text), ("stack-without-calls", has_calls)) if not differs)


class Test:
    def __init__(self, path):
        self.path, self.folder = path, os.path.dirname(path)
        self.name = name_of(path)
        self.expectation = Expectation(os.path.splitext(path)[0] + ".expect")
        self.launches = launches_of(path)
        with open(path, encoding="utf-8", errors="replace") as file:
            self.like_stack = like_stack(path, file.read())

    def command(self, launch, options):
        absolute = [re.sub(r":file=(?!/)", lambda _: f":file={self.folder}/", o) for o in launch.options]
        limit = [] if "--max-cycles" in launch.options else ["--max-cycles", MAX_CYCLES]
        return [LOCKSTEP, "kernel", self.path, *TURNS, *absolute, *options, *limit, "--report", "json"]


def name_of(path):
    return os.path.relpath(os.path.splitext(path)[0], KERNELS)


def tests(patterns):
    found = {}
    for folder, _, files in sorted(os.walk(KERNELS)):
        for file in sorted(files) if "ptx" not in os.path.relpath(folder, KERNELS).split(os.sep) else []:  # pinned PTX of a .cl file
            stem, extension = os.path.splitext(os.path.join(folder, file))
            if extension in (".ptx", ".cl", ".cu") and not (extension != ".ptx" and os.path.exists(stem + ".ptx")):
                found[os.path.relpath(stem, KERNELS)] = stem + extension
    return [path for name, path in found.items() if not patterns or any(chosen(name, p) for p in patterns)]


def chosen(name, pattern):
    return name == pattern[1:] if pattern.startswith("=") else fnmatch.fnmatch(name, f"*{pattern}*")


class Reports:
    """The digests of a test's runs, beside the accepted ones."""

    def __init__(self, test):
        self.test = test
        folder, _, name = test.name.partition("/")
        self.accepted = {h: runs for h, runs in accepted_reports(folder).items() if h.partition(" ")[0] == name}
        self.seen = {}

    def differs(self, launch, configuration, run):
        """Why a run's report is not the accepted one; nothing when it is."""
        heading, key = digests.heading(self.test.name, launch.name), digests.key(configuration.key(launch), USUAL)
        row = digests.row(run.report, run.printed(), self.test.folder)
        self.seen.setdefault(heading, {})[key] = row
        why = digests.differs(self.accepted.get(heading, {}).get(key), row)
        return [why, digests.ACCEPT.format(self.test.name)] if why else []

    def left_over(self):
        """Accepted reports of runs that there are not."""
        lines = [f"{h}: {k}" for h, runs in self.accepted.items() for k in runs if k not in self.seen.get(h, {})]
        return [f"{len(lines)} accepted reports are of no run, such as {lines[0]}", digests.ACCEPT.format(self.test.name)] if lines else []


accepted_reports = functools.cache(digests.read)


def compared(path, compares, patterns):
    """What is done with the digests of a test: as `compares` says, but nothing with those of a kernel that is compiled when it runs, and of a
    folder without a file, unless the whole folder is to get one (`--accept 'FOLDER/*'`)."""
    folder = name_of(path).partition("/")[0]
    has_digests = accepted_reports(folder) or compares == "accept" and folder + "/*" in patterns
    return compares if path.endswith(".ptx") and has_digests else None


def run_test(path, full, seeds, dimensions, compares):
    """All configurations of one kernel: (number passed, texts of what failed, digests of its reports, the pairs that met).  `compares` says what
    is done with digests: "compare", "accept" or nothing."""
    passed, failures = 0, []
    try:
        test = Test(path)
    except Mistake as mistake:
        return 0, [f"FAILED {os.path.relpath(path, KERNELS)}\n    {mistake}"], None, set()
    if seeds:       # a model that is stack for this kernel would do the same again
        dimensions = dimensions | {"divergence": [d for d in dimensions["divergence"] if d not in test.like_stack]}
    configurations = every_configuration(dimensions, test.name, test.like_stack) if full else few_configurations(dimensions, test.name, test.like_stack)
    known = Reports(test) if compares else None
    for launch in test.launches:
        judge, reports, refused = Judge(test, launch), {}, False
        for key, configuration in runs_of(configurations, test, launch, dimensions, full).items():
            run = Run(test.command(launch, configuration.options(launch)))
            try:
                problems = list(judge.differences(run, configuration))
            except Mistake as mistake:
                return passed, failures + [f"FAILED {test.name}\n    {mistake}"], None, set()
            if configuration.value("--mode", launch) != "functional" and "threads" in configuration.choices:
                serial = tuple((k, v) for k, v in configuration.choices.items() if k != "threads")
                first = reports.setdefault(serial, run)
                if first.without_wall_clock() != run.without_wall_clock():
                    problems.append("the report depends on --threads: compare with " + shlex.join(first.command))
                    problems += first_difference(first.without_wall_clock(), run.without_wall_clock())
            if known and run.report:
                why = known.differs(launch, configuration, run)
                problems += why if compares == "compare" else []
            if problems:
                failures.append("\n    ".join([f"FAILED {test.name} {shlex.join(key)}", *problems, "$ " + shlex.join(run.command)]))
                refused |= run.report is None
            else:
                passed += 1
            if refused:
                break       # a file that does not load does not load anywhere
    if known and compares == "compare" and not failures and (why := known.left_over()):
        failures.append("\n    ".join([f"FAILED {test.name}", *why]))
    return passed, failures, known.seen if known else None, set() if full else pairs_met(configurations, test)


def first_difference(a, b):
    for x, y in zip(re.split(r"(?<=[,\n])", a), re.split(r"(?<=[,\n])", b)):
        if x != y:
            return [f"  {x.strip()[:200]}", f"  {y.strip()[:200]}"]
    return []


def accept(path):
    """Rewrites the literal dump lines of a test from the actual output; writes a first .expect where there is none."""
    test = Test(path)
    launch = test.launches[0]
    run = Run(test.command(launch, []))
    if not run.report:
        return f"{test.name}: no report\n{run.stderr}"
    dumps = run.dumps()
    if not test.expectation.text:
        text = [] if run.outcome == "completed" else [f"outcome {run.outcome}"]
        text += [f"{name} = {' '.join(map(str, values))}" for name, values in dumps.items()]
    else:
        text = list(test.expectation.text)
        lines = test.expectation.lines(Configuration(), launch)
        if run.outcome not in next((l.right for l in lines if l.kind == "outcome"), "completed").split("|"):
            return None     # this configuration is one of the exceptions below
        for line in test.expectation.sections[0][1]:
            if line not in lines:
                continue    # this launch is one of its exceptions
            if line.kind == "data" and line.operator == "=" and not line.right.startswith("~"):
                value = eval(line.left, {}, dumps)
                values = value if isinstance(value, list) else [value]
                if [literal(w) for w in line.right.split()] != values:
                    text[line.number - 1] = f"{line.left} = {' '.join(map(str, values))}"
    if text != test.expectation.text:
        folder = os.path.dirname(test.expectation.path)
        with tempfile.NamedTemporaryFile("w", dir=folder, delete=False) as file:
            file.write("\n".join(text) + "\n")
        os.chmod(file.name, 0o644)
        os.replace(file.name, test.expectation.path)
        return f"rewritten: {os.path.relpath(test.expectation.path, ROOT)}"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="a few configurations per kernel; every two choices meet over all kernels (default)")
    parser.add_argument("--full", action="store_true", help="all configurations")
    parser.add_argument("--seeds", type=int, help="timing mode under the scheduler `random` alone, with so many seeds; without divergence models that are stack for a kernel")
    parser.add_argument("--gpu", action="append", help="default: " + ", ".join(GPUS))
    parser.add_argument("--accept", action="store_true", help="rewrite literal dump lines from the output, and digests of reports, for review")
    parser.add_argument("--no-digests", action="store_true", help="do not compare whole reports with the accepted ones")
    parser.add_argument("--list", action="store_true", help="name the kernels and stop")
    parser.add_argument("-j", "--jobs", type=int, default=2)
    parser.add_argument("patterns", nargs="*", metavar="NAME-PATTERN")
    arguments = parser.parse_args()
    paths = tests(arguments.patterns)
    if arguments.list:
        print("\n".join(os.path.relpath(p, KERNELS) for p in paths))
        return 0
    if not os.access(LOCKSTEP, os.X_OK):
        print(f"{LOCKSTEP}: not there; run make first, or set LOCKSTEP", file=sys.stderr)
        return 2
    if arguments.accept:
        for path in paths:
            text = accept(path)
            if text:
                print(text)
    return run_tests(paths, arguments)


def run_tests(paths, arguments):
    dimensions = matrix(arguments.gpu)
    if arguments.seeds:
        dimensions |= {"scheduler": ["random"], "mode": ["timing"], "threads": [1], "seed": list(range(1, arguments.seeds + 1))}
    others = arguments.full or arguments.seeds or arguments.gpu or arguments.no_digests     # other runs, or other reports
    compares = None if others else "accept" if arguments.accept else "compare"
    passed, failed, seen, met = 0, 0, {}, set()
    with concurrent.futures.ProcessPoolExecutor(arguments.jobs) as pool:
        each = pool.map(run_test, paths, *map(itertools.repeat, (arguments.full or bool(arguments.seeds), bool(arguments.seeds), dimensions)),
                        (compared(path, compares, arguments.patterns) for path in paths))
        for path, (good, failures, reports, pairs) in zip(paths, each):
            passed += good
            met |= pairs
            failed += len(failures)
            if reports is not None and not failures:    # what fails is not accepted
                seen[name_of(path)] = reports
            for text in failures:
                print(text, flush=True)
    names = {name_of(path) for path in tests([])}
    if compares == "accept":
        digests.accept(seen, names)
    elif compares and not arguments.patterns and (left := digests.left_over(names)):
        failed += 1
        print(f"FAILED tests/reports: tests that there are not in {', '.join(sorted(left))}; tests/run_kernels.py --accept")
    if not (others or arguments.accept or arguments.patterns) and (apart := meets_nowhere(dimensions, met)):
        failed += 1
        print(f"FAILED no kernel is run with {', '.join(apart)}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
