#!/usr/bin/env python3
"""Random programs on mbarrier objects, run by the simulator and by a model of the PTX ISA's text ("mbarrier"), which must agree on each result.

    tests/random_mbarriers.py [--launches N] [--first SEED] [--keep FOLDER] [-j JOBS]

A kernel interprets programs, one for each work-group.  Its first warp, the actor, initialises and invalidates objects, arrives (also dropping out, without
completing, with bytes to come), expects and completes bytes, copies asynchronously, asks by states and by parities, each with some of its lanes, which
name one object or several.  Its second warp, the waiter, waits in try_wait while the actor goes on, until both meet at a barrier.  Programs are drawn so that
each result is certain: of an object whose phase a copy may complete at any time the next that is asked is to wait.  A launch has GROUPS programs;
beside each are two of a single program that ends in a mistake, and the finding must say which.  What fails stays in the folder KEEP, with its command in the message."""
import argparse
import array
import concurrent.futures
import copy
import os
import random
import sys
import tempfile

import run_kernels

LANES, OBJECTS, SLOTS, STEPS, GROUPS, WORDS = 32, 8, 16, 96, 12, 8  # WORDS of a step
MOST = 2 ** 20 - 1          # of arrivals, and of bytes either way
REGION = 256                # bytes that copies may fill for each object
UNTOUCHED = 0xabcd          # what `out` holds before
LONG = 200_000              # nanoseconds: the waiter's limit, longer than any round takes
CONFIGURATIONS = [
    "--gpu v100", "--gpu gtx480", "--gpu v100 --mode functional", "--gpu gtx480 --mode functional --threads 2", "--gpu h200 --scheduler gto",
    "--gpu gtx480 --divergence independent --scheduler random",
]

# Operations: what the interpreter does, in order of their numbers.
END, SYNC, COPY, COPY_ARRIVES, COPY_ONE_MORE, WAIT, READ = range(7)
INSTRUCTIONS = ["", "bar.sync 0;", """
	@!%on bra STORE;
	cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%region], [%from], %value, [%bar];""", """
	@%on cp.async.ca.shared.global [%small], [%from], 16;
	@%on cp.async.mbarrier.arrive.noinc.shared.b64 [%bar];""", """
	@%on cp.async.cg.shared.global [%small], [%from], 16;
	@%on cp.async.mbarrier.arrive.shared::cta.b64 [%bar];""", """
	@!%on bra STORE;
AGAIN:
	mbarrier.try_wait.parity.shared.b64 %p, [%bar], %parity;
	@!%p bra AGAIN;""", """
	add.u32 %region, %region, %value;
	@%on ld.shared.u32 %result, [%region];"""]


def operation(text):
    INSTRUCTIONS.append("\n\t@%on " + text)
    return len(INSTRUCTIONS) - 1


INIT = [operation(f"mbarrier.init.{form}.b64 [%bar], %value;") for form in ("shared", "shared::cta")] + [operation("mbarrier.init.b64 [%any], %value;")]
INVAL = [operation("mbarrier.inval.shared.b64 [%bar];"), operation("mbarrier.inval.b64 [%any];")]
# {number: (drops, noComplete, bytes, gives a state)}, and those whose count is 1
ARRIVE, BY_ONE = {}, set()
for drops in (False, True):
    name = "mbarrier.arrive_drop" if drops else "mbarrier.arrive"
    for head, tail in (("release.cta.shared::cta.", ""), ("", ", %value")):
        for place in ("[%bar]", "[%any]"):
            if not head and place == "[%bar]":
                head = "shared."
            text = f"{name}.{head if place == '[%bar]' else ''}b64 %state, {place}{tail};"
            ARRIVE[operation(text)] = (drops, False, False, True)
            if not tail:
                BY_ONE.add(len(INSTRUCTIONS) - 1)
            head = ""
    ARRIVE[operation(f"{name}.shared::cta.b64 _, [%bar], %value;")] = (drops, False, False, False)
    ARRIVE[operation(f"{name}.noComplete.shared.b64 %state, [%bar], %value;")] = (drops, True, False, True)
    ARRIVE[operation(f"{name}.expect_tx.relaxed.cta.shared::cta.b64 %state, [%bar], %value;")] = (drops, False, True, True)
    ARRIVE[operation(f"{name}.expect_tx.shared.b64 _, [%bar], %value;")] = (drops, False, True, False)
EXPECT, COMPLETE = operation("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%bar], %value;"), operation("mbarrier.complete_tx.shared::cta.b64 [%bar], %value;")
BY_STATE = [operation(f"mbarrier.{form} %p, [%bar], %state{limit};") for form, limit in
            (("test_wait.shared.b64", ""), ("test_wait.acquire.cta.shared::cta.b64", ""), ("try_wait.shared.b64", ", %value"))]
BY_PARITY = [operation(f"mbarrier.{form} %p, {place}, %parity{limit};") for form, place, limit in
             (("test_wait.parity.shared.b64", "[%bar]", ""), ("test_wait.parity.b64", "[%any]", ""), ("try_wait.parity.shared::cta.b64", "[%bar]", ", %value"))]
# The waiter's: its answer has 2 more when it came late.
TRY = operation("""mov.u64 %y, %globaltimer;
	@%on mbarrier.try_wait.parity.shared::cta.b64 %p, [%bar], %parity, %value;
	selp.u32 %result, 1, 0, %p;
	mov.u64 %saved, %globaltimer;
	sub.u64 %y, %saved, %y;
	setp.gt.u64 %p, %y, {};
	@%p add.u32 %result, %result, 2;""".format(LONG // 2))
INSTRUCTIONS[TRY] = INSTRUCTIONS[TRY].replace("@%on mov", "mov")


def kernel():
    """The interpreter.  A step: operation, lanes, object, how much further the next lane's is, value, which bits of the lane are added to it, the parity of
    each object, slot of states."""
    bodies = []
    for number, text in enumerate(INSTRUCTIONS[1:], 1):
        after = "STATE" if number in ARRIVE and ARRIVE[number][3] else "ANSWER" if number in BY_STATE + BY_PARITY else "STORE"
        bodies.append(f"O{number}:{text if text.startswith(chr(10)) else chr(10) + chr(9) + text}\n\tbra {after};")
    return f"""
.version 8.3
.target sm_90
.address_size 64
.visible .entry random_mbarriers(.param .u64 code, .param .u64 out, .param .u64 source)
{{
	.shared .align 16 .b8 objects[{OBJECTS * (8 + REGION) + 16 * LANES}];	// and the regions, and 16 bytes of each lane
	.local .align 8 .b64 states[{SLOTS}];
	.reg .pred %p, %on;
	.reg .b32 %op, %lanes, %object, %further, %value, %spread, %parities, %slot, %lane, %x, %bar, %parity, %result, %region, %small;
	.reg .b64 %code, %out, %from, %any, %state, %saved, %y;
OPERATIONS: .branchtargets {', '.join(f"O{k}" for k in range(len(INSTRUCTIONS)))};
	ld.param.u64 %code, [code];
	ld.param.u64 %out, [out];
	mov.u32 %x, %ctaid.x;
	mov.u32 %lane, %tid.x;
	mad.lo.u32 %x, %x, {2 * LANES}, %lane;
	mul.wide.u32 %y, %x, {4 * STEPS};
	add.u64 %out, %out, %y;
	shr.u32 %x, %x, 5;
	mul.wide.u32 %y, %x, {4 * WORDS * STEPS};
	add.u64 %code, %code, %y;
	and.b32 %lane, %lane, 31;
	mov.u32 %small, objects;
	mad.lo.u32 %small, %lane, 16, %small;
	add.u32 %small, %small, {OBJECTS * (8 + REGION)};
NEXT:
	ld.global.v4.u32 {{%op, %lanes, %object, %further}}, [%code];
	ld.global.v4.u32 {{%value, %spread, %parities, %slot}}, [%code+16];
	shr.u32 %lanes, %lanes, %lane;
	and.b32 %lanes, %lanes, 1;
	setp.ne.u32 %on, %lanes, 0;
	mad.lo.u32 %object, %lane, %further, %object;
	and.b32 %object, %object, {OBJECTS - 1};
	mov.u32 %bar, objects;
	mad.lo.u32 %bar, %object, 8, %bar;
	cvt.u64.u32 %any, %bar;
	cvta.shared.u64 %any, %any;
	mov.u32 %region, objects + {OBJECTS * 8};
	mad.lo.u32 %region, %object, {REGION}, %region;
	shr.u32 %parity, %parities, %object;
	and.b32 %parity, %parity, 1;
	ld.param.u64 %from, [source];
	mul.wide.u32 %y, %slot, 16;
	add.u64 %from, %from, %y;
	and.b32 %x, %lane, %spread;
	add.u32 %value, %value, %x;
	mov.u64 %saved, states;
	and.b32 %x, %slot, {SLOTS - 1};
	mul.wide.u32 %y, %x, 8;
	add.u64 %saved, %saved, %y;
	ld.local.u64 %state, [%saved];
	mov.u32 %result, 0;
	brx.idx %op, OPERATIONS;
{chr(10).join(bodies)}
STATE:
	@!%on bra STORE;
	st.local.u64 [%saved], %state;
	mbarrier.pending_count.b64 %result, %state;
	bra STORE;
ANSWER:
	selp.u32 %result, 1, 0, %p;
STORE:
	@%on st.global.u32 [%out], %result;
	add.u64 %out, %out, 4;
	add.u64 %code, %code, {4 * WORDS};
	bra NEXT;
O0:
	ret;
}}
"""


# ---- The model ----

class Unsure(Exception):
    """The ISA leaves open what comes of it, or it depends on when a copy ends: not drawn."""


class Mistake(Exception):
    """What a finding must say; `lane` is the thread that it names."""

    def __init__(self, text, lane, number):
        super().__init__(text)
        self.lane, self.number = lane, number


MISTAKES = ["count that is not", "is not initialised", "would expect more", "would complete more", "more arrivals than", "which .noComplete forbids", "would wait for more"]


class Object:
    """`pending` and `bytes` are what they will be when the copies that are under way have ended: `late` arrivals and `flying` bytes of theirs are still
    to come, so that for now more may be pending, and expected."""

    def __init__(self):
        self.valid, self.life, self.phase = False, 0, 0
        self.expected = self.pending = self.bytes = self.late = self.flying = 0

    def is_over(self):
        return not self.pending and not self.bytes

    def is_unsure(self):
        """A copy completes its phase, at any time."""
        return bool(self.valid and self.is_over() and (self.late or self.flying))

    def settle(self):
        """After each change; gives how many phases it has completed."""
        if not self.pending and self.flying and self.bytes < 0:
            raise Unsure    # the bytes may be none, on their way there
        if not self.is_over() or self.late or self.flying:
            return 0
        self.phase += 1
        self.pending = self.expected
        return 1


class Model:
    def __init__(self):
        self.objects = [Object() for _ in range(OBJECTS)]
        self.states = [[None] * SLOTS for _ in range(LANES)]    # (object, life, phase)
        self.regions = [[None] * (REGION // 4) for _ in range(OBJECTS)]
        self.arrivals = self.phases = 0

    def copy(self):
        other = copy.copy(self)
        other.objects = [copy.copy(o) for o in self.objects]
        other.states = [list(of_lane) for of_lane in self.states]
        other.regions = [list(region) for region in self.regions]
        return other

    def step(self, step):
        """The results of a step, {lane: result}."""
        op, lanes, first, further, value, spread, parities, slot = step
        results, waits = {}, []
        for lane in (k for k in range(LANES) if lanes >> k & 1):
            number = (first + lane * further) % OBJECTS
            results[lane] = self.act(op, lane, number, value + (lane & spread), parities >> number & 1, slot, waits)
        for number in set(waits):
            o = self.objects[number]
            o.late = o.flying = 0
            self.phases += o.settle()
        return results

    def act(self, op, lane, number, value, parity, slot, waits):
        """One lane's; its result."""
        o = self.objects[number]
        if op == SYNC:
            return 0
        if op == READ:
            word = self.regions[number][value // 4]
            if o.flying or word is None:
                raise Unsure
            return word
        if op in INIT:
            if o.valid:
                raise Unsure
            if not 0 < value <= MOST:
                raise Mistake("is initialised with a count that is not 1 to 2^20 - 1", lane, number)
            o.valid, o.life, o.phase, o.expected, o.pending, o.bytes = True, o.life + 1, 0, value, value, 0
            return 0
        if op == WAIT:
            if not o.valid or o.is_unsure() != (o.phase & 1 == parity):
                raise Unsure    # it would wait for ever, or be told of the phase before
            waits += [number] if o.is_unsure() else []
            return 0
        if o.is_unsure() or (o.valid and not o.expected and o.is_over() and op not in INVAL + BY_STATE + BY_PARITY):
            raise Unsure
        if not o.valid:
            raise Mistake("is not initialised", lane, number)
        if op in INVAL:
            if o.late or o.flying:
                raise Unsure
            o.valid = False
            return 0
        if op in BY_PARITY:
            return int(o.phase & 1 != parity)
        if op in BY_STATE:
            state = self.states[lane][slot]
            if not state or state[:2] != (number, o.life) or o.phase - state[2] > 1:
                raise Unsure
            return o.phase - state[2]
        return self.change(op, lane, number, value, slot)

    def change(self, op, lane, number, value, slot):
        o = self.objects[number]
        drops, no_complete, expects, gives = ARRIVE.get(op, (False, False, False, False))
        before = o.pending
        if gives:
            if o.late:
                raise Unsure
            self.states[lane][slot] = (number, o.life, o.phase)
        if op == EXPECT or expects:
            self.add(o, value, lane, number, "expect")
        if op == COMPLETE:
            self.add(o, -value, lane, number, "complete")
        if op in ARRIVE:
            self.arrive(o, 1 if expects or op in BY_ONE else value, drops, lane, number)
        if op == COPY:
            self.copies(o, number, value, slot)
        if op == COPY_ARRIVES:
            self.arrive(o, 1, False, lane, number)
        if op in (COPY_ARRIVES, COPY_ONE_MORE):
            if op == COPY_ONE_MORE and o.pending + o.late == MOST:
                raise Mistake("would wait for more than 2^20 - 1 arrivals", lane, number) if not o.late else Unsure
            self.arrivals += op == COPY_ONE_MORE
            o.late += 1
        over = o.settle()
        if no_complete and (over or o.is_unsure()):
            raise Mistake("completes its phase, which .noComplete forbids", lane, number) if over else Unsure
        self.phases += over
        return before if gives else 0

    def add(self, o, value, lane, number, what):
        o.bytes += value
        if abs(o.bytes) > MOST:
            raise Mistake(f"would {what} more bytes than 2^20 - 1", lane, number) if not o.flying else Unsure
        if abs(o.bytes) + o.flying > MOST:
            raise Unsure

    def arrive(self, o, count, drops, lane, number):
        if count > o.pending or (drops and count > o.expected):
            raise Mistake("gets more arrivals than it waits for", lane, number) if not o.late else Unsure
        o.pending -= count
        o.expected -= count if drops else 0
        self.arrivals += count

    def copies(self, o, number, size, source):
        """From word 4 * source on, which holds that number; other copies to the region may be under way."""
        if size % 16 or size > REGION or o.flying and size:
            raise Unsure
        o.bytes -= size
        o.flying += size
        if abs(o.bytes) + o.flying > MOST:
            raise Unsure
        self.regions[number][:size // 4] = range(4 * source, 4 * source + size // 4)


# ---- Drawing ----

class Program:
    """`steps` and `results` of the actor and of the waiter; `mistake`, where it is to end in one."""

    def __init__(self, seed, wanted=None):
        self.draw, self.model, self.mistake = random.Random(seed), Model(), None
        self.steps, self.results = ([], []), ([], [])
        while len(self.steps[0]) < STEPS - 20:
            self.round()
        for _ in range(300 if wanted else 0):
            if not self.mistake:
                self.take(self.drawn(), None, wanted)
        for steps in self.steps:
            steps.append((END,) + (0,) * (WORDS - 1))

    def round(self):
        """The waiter waits for the phases that are current now, each of which the actor completes once at most."""
        draw, begun = self.draw, [(o.valid and not o.is_unsure(), o.life, o.phase) for o in self.model.objects]
        waited = {}
        for _ in range(50):
            lanes, first, further = self.lanes(), draw.randrange(OBJECTS), draw.choice([0, 1, 1, 3])
            waited = {k: (first + k * further) % OBJECTS for k in range(LANES) if lanes >> k & 1}
            if all(begun[n][0] for n in waited.values()):
                break
            waited = {}
        for _ in range(draw.randint(2, 14)):
            self.take(self.drawn(), {n: begun[n] for n in waited.values()})
        for number, o in enumerate(self.model.objects):     # so that what the waiter is told is certain
            if o.is_unsure():
                self.take((WAIT, 1 << draw.randrange(LANES), number, 0, 0, 0, self.parities(), 0), None)
        if waited:
            step = (TRY, lanes, first, further, LONG, 0, sum((b[2] & 1) << n for n, b in enumerate(begun)), 0)
            late = 0 if all(self.model.objects[n].phase > begun[n][2] for n in waited.values()) else 2
            self.steps[1].append(step)
            self.results[1].append({k: int(self.model.objects[n].phase > begun[n][2]) + late for k, n in waited.items()})
        for steps, results in zip(self.steps, self.results):
            steps.append((SYNC, 2 ** LANES - 1) + (0,) * (WORDS - 2))
            results.append(dict.fromkeys(range(LANES), 0))

    def take(self, step, waited, wanted=None):
        """Does it, if the model knows what comes of it."""
        after = self.model.copy()
        try:
            results = after.step(step)
        except Unsure:
            return
        except Mistake as mistake:
            if wanted and wanted in str(mistake):
                self.steps[0].append(step)
                self.mistake = mistake
            return
        for number, (_, life, phase) in (waited or {}).items():
            o = after.objects[number]
            if not o.valid or o.life != life or o.phase - phase + bool(o.is_unsure()) > 1:
                return
        if not wanted:
            self.model = after
            self.steps[0].append(step)
            self.results[0].append(results)

    def lanes(self):
        """One, a few, any, all."""
        draw = self.draw
        return draw.choice([1 << draw.randrange(LANES), 1 << 31, draw.getrandbits(LANES) & draw.getrandbits(LANES) & draw.getrandbits(LANES) or 1,
                            draw.getrandbits(LANES) or 1, 2 ** LANES - 1])

    def parities(self):
        return sum((o.phase & 1) << n for n, o in enumerate(self.model.objects))

    def drawn(self):
        """A step that may be of use: counts and bytes are often just what an object waits for."""
        draw = self.draw
        first, further, lanes, spread = draw.randrange(OBJECTS), draw.choice([0, 0, 0, 1, 2, 5]), self.lanes(), draw.choice([0, 0, 0, 1, 3])
        o, slot = self.model.objects[first], draw.randrange(SLOTS)
        if not o.valid:
            value = draw.choice([1, 2, 3, 8, 31, 32, 33, 64, 100, 1000, MOST, 0 if draw.random() < 0.1 else 5])
            return (draw.choice(INIT), draw.choice([1 << draw.randrange(LANES), lanes]), first, further, value, spread, 0, 0)
        kind = draw.choices(["arrive", "bytes", "copy", "small", "read", "ask", "inval"], [10, 3, 2, 2, 1, 6, 1])[0]
        if kind == "arrive" and draw.random() < 0.4:
            one, further, spread = 1 << draw.randrange(LANES), 0, 0
            return (draw.choice(list(ARRIVE)), one, first, 0, draw.choice([o.pending, o.pending - 1, o.pending + 1]) % (MOST + 1), 0, 0, slot)
        if kind == "arrive":
            return (draw.choice(list(ARRIVE)), lanes, first, further, draw.choice([1, 1, 2, 3, 16]), spread, 0, slot)
        if kind == "bytes":
            value = draw.choice([1, 16, 64, 256, abs(o.bytes), abs(o.bytes), MOST - abs(o.bytes), MOST, MOST + 1 if draw.random() < 0.1 else 32])
            return (draw.choice([EXPECT, COMPLETE]), draw.choice([1 << draw.randrange(LANES), lanes]), first, further, value, draw.choice([0, 0, spread]), 0, 0)
        if kind == "copy":
            value = draw.choice([0, 16, 64, 128, 256, max(o.bytes, 0) % (REGION + 1)])
            return (COPY, draw.choice([1 << draw.randrange(LANES), lanes]), first, further, value, 0, 0, draw.randrange(32))
        if kind == "small":
            few = sum(1 << k for k in draw.sample(range(LANES), min(o.pending, LANES))) or 1
            return (draw.choice([COPY_ARRIVES, COPY_ONE_MORE]), draw.choice([few, few, lanes]), first, draw.choice([0, 0, further]), 0, 0, 0, draw.randrange(32))
        if kind == "read":
            return (READ, lanes, first, draw.choice([0, 0, further]), draw.choice([0, 12, 60, 124, 252]), 0, 0, 0)
        if kind == "inval":
            return (draw.choice(INVAL), 1 << draw.randrange(LANES), first, 0, 0, 0, 0, 0)
        if o.is_unsure() or draw.random() < 0.2:
            return (WAIT, lanes, first, draw.choice([0, 0, further]), 0, 0, self.parities() ^ draw.choice([0, 0, 255]), 0)
        if draw.random() < 0.5:
            return (draw.choice(BY_PARITY), lanes, first, further, draw.choice([0, 20, 100, 1000]), 0, draw.choice([self.parities(), draw.getrandbits(OBJECTS)]), 0)
        return self.drawn_by_state(first, draw.choice([0, 0, further]))

    def drawn_by_state(self, first, further):
        """Asks by states that are held, of the phases that may be asked for."""
        draw, objects, holders = self.draw, self.model.objects, {}
        for lane, states in enumerate(self.model.states):
            number = (first + lane * further) % OBJECTS
            for slot, state in enumerate(states):
                if state and state[:2] == (number, objects[number].life) and objects[number].phase - state[2] <= 1:
                    holders.setdefault(slot, []).append(lane)
        slot = draw.choice(list(holders) or [0])
        return (draw.choice(BY_STATE), sum(1 << k for k in holders.get(slot, [0])), first, further, draw.choice([0, 20, 100, 1000]), 0, 0, slot)


# ---- Running ----

def write_words(path, words):
    with open(path, "wb") as file:
        array.array("I", words).tofile(file)


def expected(programs):
    out = [UNTOUCHED] * (len(programs) * 2 * LANES * STEPS)
    for group, program in enumerate(programs):
        for warp, results in enumerate(program.results):
            for k, of_lanes in enumerate(results):
                for lane, result in of_lanes.items():
                    out[((group * 2 + warp) * LANES + lane) * STEPS + k] = result
    return out


def where(programs, index):
    """Which step of which program a word of `out` is of."""
    thread, k = divmod(index, STEPS)
    group, warp, lane = thread // (2 * LANES), thread // LANES % 2, thread % LANES
    step = programs[group].steps[warp][k] if k < len(programs[group].steps[warp]) else None
    return f"program {group}, {('actor', 'waiter')[warp]}, step {k} {step and (INSTRUCTIONS[step[0]].strip(), *step[1:])}, lane {lane}"


def wrong_with(run, programs):
    """What is not as the model says, in words; None when all is."""
    mistake = programs[0].mistake
    if not run.report:
        return run.stderr
    if mistake:
        text = f"the object at shared offset 0x{8 * mistake.number:x} {mistake}"
        found = run.report["findings"][0] if run.report["findings"] else {}
        return None if run.outcome == "fault" and text in found["message"] and found["threads"][0]["thread"][0] == mistake.lane else (
            f"expected {text}, lane {mistake.lane}; found {run.outcome} {found}")
    if run.outcome != "completed":
        return f"{run.outcome}: {run.findings()}"
    for index, (seen, model) in enumerate(zip(run.dumps()["out"], expected(programs))):
        if seen != model:
            return f"{where(programs, index)}: {seen}, expected {model}"
    for counter, of in (("arrivals", "arrivals"), ("phases", "phases")):
        seen, model = run.counters()[f"sync__mbarrier_{counter}.sum"], sum(getattr(p.model, of) for p in programs)
        if seen != model:
            return f"{counter}: counted {seen}, expected {model}"
    return None


def check(seed, keep, kernel_path):
    """What is wrong with the runs of a launch, and of two that end in a mistake; nothing when all is well."""
    own = seed % len(CONFIGURATIONS)
    wrong = run_launch(f"{seed}", [Program(f"{seed}.{k}") for k in range(GROUPS)], CONFIGURATIONS, keep, kernel_path)
    for wanted in (MISTAKES[2 * seed % len(MISTAKES)], MISTAKES[(2 * seed + 1) % len(MISTAKES)]):
        program = next(p for p in (Program(f"{seed}.{wanted}.{k}", wanted) for k in range(2000)) if p.mistake)
        wrong += run_launch(f"{seed}-mistake", [program], CONFIGURATIONS[own:own + 1], keep, kernel_path)
    return wrong


def run_launch(name, programs, configurations, keep, kernel_path):
    path = os.path.join(keep, f"{name}.code")
    empty = [0] * WORDS
    write_words(path, (word for p in programs for steps in p.steps for k in range(STEPS) for word in (steps[k] if k < len(steps) else empty)))
    wrong = []
    for configuration in configurations:
        command = [run_kernels.LOCKSTEP, "kernel", kernel_path, "--grid", str(len(programs)), "--block", str(2 * LANES), "--arg", f"buf:code:u32:{len(programs) * 2 * STEPS * WORDS}:file={path}",
                   "--arg", f"buf:out:u32:{len(programs) * 2 * LANES * STEPS}:fill={UNTOUCHED}", "--arg", "buf:source:u32:1024:iota", "--dump", "out", *configuration.split(),
                   "--max-cycles", "20000000", "--report", "json"]
        what = wrong_with(run_kernels.Run(command), programs)
        if what:
            wrong.append(f"{' '.join(command)}: {what}")
    if not wrong:
        os.remove(path)
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--launches", type=int, default=4)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--keep", default=None, metavar="FOLDER")
    parser.add_argument("-j", "--jobs", type=int, default=2)
    arguments = parser.parse_args()
    keep = arguments.keep or tempfile.mkdtemp(prefix="lockstep-mbarriers-")
    kernel_path = os.path.join(keep, "random_mbarriers.ptx")
    with open(kernel_path, "w", encoding="utf-8") as file:
        file.write(kernel())
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for wrong in pool.map(lambda k: check(arguments.first + k, keep, kernel_path), range(arguments.launches)):
            failed += bool(wrong)
            for line in wrong:
                print(line, flush=True)
    if not failed and not arguments.keep:
        os.remove(kernel_path)
        os.rmdir(keep)
    print(f"{arguments.launches - failed} launches passed, {failed} failed")
    return failed != 0 or not arguments.launches


if __name__ == "__main__":
    sys.exit(main())
