#!/usr/bin/env python3
"""Checks the verdicts of --schedules on small programs of one or two work-groups with several warps, or lanes that go ways of their own, against all orders of their steps.

    tests/warp_orders.py [-j JOBS] [--programs N] [--first SEED] [NAME-PATTERN...]

Lockstep leaves out orders that make no difference (src/machine/progress/search.h).  Here every order of every step is followed, and nothing is left out.
A thread of each warp runs, or some lanes, each with instructions of its own; these are:

    st PLACE VALUE                 store to a word
    ld PLACE CHECK TARGET          if the word is CHECK, go to TARGET
    ex PLACE VALUE CHECK TARGET    exchange, and go to TARGET if the word was CHECK
    sync BARRIER WARPS             bar.sync, arrive BARRIER WARPS: bar.arrive
    get PLACE, put PLACE           load a word into the thread's register, store the register
    go TARGET
    up MBARRIER                    mbarrier.arrive; token: with a result that is kept
    wait MBARRIER PARITY TARGET    mbarrier.try_wait.parity: go to TARGET if it fails
    await MBARRIER PARITY          mbarrier.try_wait.parity until it succeeds
    expect MBARRIER                mbarrier.arrive.expect_tx, of what one copy brings
    more MBARRIER                  mbarrier.expect_tx, likewise
    less MBARRIER                  mbarrier.complete_tx, likewise
    copy MBARRIER PLACE            cp.async.bulk of a one to a word of the work-group, which may end at any later time

Words 0 and 1 are global, 2 and 3 are of the work-group.  mbarriers 0 and 2 wait for one arrival, 1 for two."""
import argparse
import concurrent.futures
import fnmatch
import os
import random
import struct
import sys
import tempfile
import threading

import run_kernels
from progress import MODELS

GLOBAL, SHARED, BARRIERS = 2, 2, 2
ARRIVALS = (1, 2, 1)  # of each mbarrier
MBARRIERS = len(ARRIVALS)
MOST_STATES = 20000  # of a program

NAMED = {
    "lapped": (3, ["wait 0 1 0; up 1; up 1", "wait 0 1 0", "wait 1 0 0; up 0"]),
    "reset_too_early": (2, ["st 2 1; st 3 1; st 2 0", "ld 2 0 0; ld 3 0 1"]),
    "ring": (3, ["wait 0 1 0; st 2 1; up 0; wait 0 0 3; st 2 0; up 0", "wait 0 0 0; ld 2 0 3; ld 3 0 3", "st 3 1"]),
    "barriers_crossed": (2, ["sync 0 2; sync 1 2", "sync 1 2; sync 0 2"]),
    "handed_on": (2, ["st 2 1; sync 0 2; st 3 1", "sync 0 2; ld 2 0 1; ld 3 0 2"]),
    "two_of_three": (3, ["sync 0 2", "sync 0 2", "sync 0 2"]),
    "four_of_two": (4, ["sync 0 2; st 2 1", "sync 0 2; ld 2 1 2", "sync 0 2", "sync 0 2"]),
    "arrive_and_sync": (3, ["st 2 1; arrive 0 3", "arrive 0 3; sync 1 2", "sync 0 3; ld 2 0 1; arrive 1 2"]),
    "double_arrival": (2, ["arrive 0 2; arrive 0 2; st 2 1", "sync 0 2; ld 2 0 1"]),
    "third_reads_unordered": (3, ["st 2 1; sync 0 2", "sync 0 2", "ld 2 0 0"]),
    "passed_on_by_flag": (3, ["st 2 1; sync 0 2", "sync 0 2; st 3 1", "ld 3 0 0; ld 2 0 1"]),
    "locks": (2, ["ex 2 1 1 0; ex 3 1 1 1; st 3 0; st 2 0", "ex 3 1 1 0; ex 2 1 1 1; st 2 0; st 3 0"]),
    "undo_each_other": (2, ["ex 2 0 1 0", "ex 2 1 0 0"]),
    "loop_of_barriers": (3, ["sync 0 2; st 2 0; ld 3 0 0", "sync 0 2; ld 3 0 0", "st 3 1"]),
    "loop_of_barriers_of_two": (3, ["sync 0 2; ld 3 0 0", "sync 0 2; ld 3 0 0", "ld 2 0 0"]),
    "copy_is_awaited": (2, ["expect 0; copy 0 2", "wait 0 0 0; ld 2 0 1"]),
    "copy_of_wrong_barrier": (2, ["expect 0; copy 1 2", "wait 0 0 0"]),
    "copy_before_expect": (2, ["copy 0 2; expect 0", "wait 0 0 0; ld 2 0 1"]),
    "copy_unawaited": (2, ["expect 0; copy 0 2; ld 2 0 2", "wait 0 0 0"]),
    "copies_out_of_order": (2, ["expect 0; copy 0 2; copy 1 3; up 1", "expect 1; wait 1 0 1; wait 0 0 2"]),
    "copy_over_what_is_read": (2, ["st 2 0; expect 0; copy 0 2; st 2 0; wait 0 0 4", "ld 2 1 1; wait 0 0 1; ld 2 0 2"]),
    "stored_in_passing": (2, ["st 2 1; st 2 0; more 1", "ld 2 0 2; ld 3 0 1; more 1"]),
    "lapped_by_copy": (3, ["expect 0; copy 0 2; await 1 0; expect 0; copy 0 3", "await 0 0; up 1", "await 0 0; up 1; await 0 0"]),
    "phase_without_copy": (2, ["more 0; copy 0 2; up 0", "await 0 0; ld 2 0 1"]),
    "expected_by_another": (3, ["more 0; copy 0 2", "up 0", "await 0 0; ld 2 0 1"]),
    "bytes_of_two": (3, ["expect 1; copy 1 2", "expect 1; copy 1 3", "await 1 0; ld 2 0 1; ld 3 0 2"]),
    "third_arrival": (3, ["up 1", "up 1", "up 1; await 1 0"]),
    "fails_and_goes_elsewhere": (2, ["up 0", "wait 0 0 2; go 3; ld 2 0 2"]),
    "looks_before_and_after": (3, ["await 0 1; up 1", "up 0; up 0", "await 1 0"]),
    "pipeline": (3, ["await 1 1; expect 0; copy 0 2; await 1 0; expect 0; copy 0 3; await 1 1; up 2", "await 0 0; up 1; await 0 1; up 1", "await 0 0; up 1; await 0 1; up 1; await 2 0"]),
    "handed_on_by_register": (3, ["st 2 1", "get 2; put 3", "ld 3 0 0"]),
    "data_only": (3, ["st 2 1; st 3 1; up 1", "get 2; put 3; up 1", "await 1 0; get 3; put 0"]),
    "looks_elsewhere": (3, ["expect 0; copy 0 2; await 1 0; expect 0; copy 0 2", "await 0 0; up 1; await 0 1; ld 2 0 3; up 1",
                            "await 0 0; ld 2 0 1; up 1; wait 2 1 1; wait 1 0 0; await 0 1; up 1"]),
    "released_twice": (3, ["expect 0; copy 0 2; await 1 0; expect 0; copy 0 2", "await 0 0; ld 2 0 1; up 1; await 0 1; ld 2 0 4; up 1", "await 0 0; up 1; up 1"]),
    "never_released": (2, ["expect 0; ex 0 0 1 0", "ld 2 1 2; up 2", "up 0; st 2 1", "await 0 0; copy 0 2"]),
    "released_by_other_group": (2, ["go 1; st 3 1", "go 1; token 2", "up 0", "st 0 0; await 0 0"]),
    "counts_for_ever": (2, ["more 2; less 2; go 0", "up 0"]),
    "arrives_for_next": (3, ["arrive 0 2; arrive 0 2; st 2 1", "sync 0 2; ld 2 0 1", "sync 0 2; ld 2 1 2"]),
    "tokens": (3, ["token 1; up 0", "token 1; await 0 0", "await 1 0"]),
    "endless_pipeline": (2, ["expect 0; copy 0 2; await 2 0; expect 0; copy 0 2; await 2 1; go 0", "await 0 0; up 2; await 0 1; up 2; go 0"]),
    "groups_wait": (2, ["st 2 1", "ld 2 0 0; ld 0 0 1", "st 0 1", "ld 1 0 0"]),
}


# Lanes, warps and instructions; no barriers of the work-group, where a warp's lanes count together.
NAMED_LANES = {
    "spins_for_lane": (2, 1, ["st 2 1", "ld 2 0 0"]),
    "lane_is_lapped": (3, 1, ["wait 0 1 0; up 1; up 1", "wait 0 1 0", "wait 1 0 0; up 0"]),
    "reset_too_early_by_lane": (2, 1, ["st 2 1; st 3 1; st 2 0", "ld 2 0 0; ld 3 0 1"]),
    "locks_of_lanes": (2, 1, ["ex 2 1 1 0; ex 3 1 1 1; st 3 0; st 2 0", "ex 3 1 1 0; ex 2 1 1 1; st 2 0; st 3 0"]),
    "lanes_undo_each_other": (2, 1, ["ex 2 0 1 0", "ex 2 1 0 0"]),
    "three_lanes_in_a_ring": (3, 1, ["ld 2 1 0; st 2 1", "ld 2 0 0; st 3 1", "ld 3 0 0; st 2 0"]),
    "third_lane_starves_not": (3, 1, ["ld 2 0 0", "ld 3 0 0", "st 2 1; st 3 1"]),
    "fourth_lane_sees_both": (4, 1, ["st 2 1", "st 3 1", "ld 2 0 0; ld 3 0 2", "ld 3 1 0; ld 2 1 1"]),
    "lanes_and_warps": (2, 2, ["up 1; await 1 0", "ld 2 0 0", "up 1", "await 1 0; st 2 1"]),
    "other_warp_passes_between": (2, 2, ["st 2 1; st 2 0", "ld 3 0 0", "ld 2 0 0; st 3 1", "go 1"]),
    "copy_for_a_lane": (2, 1, ["expect 0; copy 0 2; await 1 0", "await 0 0; ld 2 0 1; up 1; up 1"]),
    "pipeline_of_lanes": (2, 1, ["expect 0; copy 0 2; await 2 0; expect 0; copy 0 2", "await 0 0; up 2; await 0 1"]),
    "quiet_before_lanes_part": (2, 2, ["st 2 1; go 1", "st 3 1; await 0 0", "ld 3 0 0; up 0", "ld 2 0 0"]),
}


class Program:
    """Threads of as many warps, in groups; of each warp so many lanes are threads."""

    def __init__(self, warps, threads, lanes=1):
        self.warps, self.threads, self.lanes = warps, threads, lanes

    def groups(self):
        return len(self.threads) // (self.warps * self.lanes)

    def group_of(self, thread):
        return thread // (self.warps * self.lanes)


def read_thread(text):
    return [tuple(int(word) if word.isdigit() else word for word in part.split()) for part in text.split(";")]


KINDS = "st st ld ld ld get put put ex sync sync arrive go up up token wait await await expect expect more less copy copy".split()


def draw_instruction(rng, length, warps):
    kind, target = rng.choice(KINDS), rng.randrange(length + 1)
    if kind == "st":
        return kind, rng.randrange(GLOBAL + SHARED), rng.randrange(2)
    if kind == "ld":
        return kind, rng.randrange(GLOBAL + SHARED), rng.randrange(2), target
    if kind == "ex":
        return kind, rng.randrange(GLOBAL + SHARED), rng.randrange(2), rng.randrange(2), target
    if kind in ("get", "put"):
        return kind, rng.randrange(GLOBAL + SHARED)
    if kind in ("sync", "arrive"):
        return kind, rng.randrange(BARRIERS), rng.randrange(2, warps + 1)
    if kind == "go":
        return kind, target
    if kind == "copy":
        return kind, rng.randrange(MBARRIERS), GLOBAL + rng.randrange(SHARED)
    if kind == "await":
        return kind, rng.randrange(MBARRIERS), rng.randrange(2)
    if kind == "wait":
        return kind, rng.randrange(MBARRIERS), rng.randrange(2), target
    return kind, rng.randrange(MBARRIERS)


def drawn(seed):
    rng = random.Random(seed)
    warps, groups, length = rng.choice([(2, 1, 3), (2, 1, 4), (2, 1, 5), (3, 1, 2), (3, 1, 3), (3, 1, 4), (2, 2, 2), (4, 1, 2)])
    lengths = [rng.randrange(1, length + 1) for _ in range(warps * groups)]
    return Program(warps, [[draw_instruction(rng, n, warps) for _ in range(n)] for n in lengths])


def drawn_lanes(seed):
    rng = random.Random(seed)
    lanes, warps, groups, length = rng.choice([(2, 1, 1, 3), (2, 1, 1, 4), (2, 1, 1, 5), (3, 1, 1, 2), (3, 1, 1, 3), (4, 1, 1, 2), (2, 2, 1, 2), (2, 1, 2, 2)])
    lengths = [rng.randrange(1, length + 1) for _ in range(lanes * warps * groups)]
    threads = [[draw_instruction(rng, n, 2) for _ in range(n)] for n in lengths]
    while any(i[0] in ("sync", "arrive") for thread in threads for i in thread):
        threads = [[draw_instruction(rng, len(thread), 2) if i[0] in ("sync", "arrive") else i for i in thread] for thread in threads]
    return Program(warps, threads, lanes)


def drawn_pipeline(seed):
    """A producer and consumers of some rounds, over one slot or two; then up to two instructions are changed, left out or added."""
    rng = random.Random(seed)
    consumers, rounds, slots = rng.choice([(1, 2, 1), (1, 3, 1), (1, 3, 2), (1, 4, 2), (2, 2, 1), (2, 3, 1)])
    empty = 2 if consumers == 1 else 1  # one slot: full 0; two: full 0 and 2, and the consumer's release is 1, of both
    threads = [[] for _ in range(1 + consumers)]
    for k in range(rounds):
        slot, parity = k % slots, k // slots % 2
        full = 0 if slots == 1 else 2 * slot
        copies = rng.choice([1, 1, 2])
        if slots == 1 and k:
            threads[0].append(("await", empty, 1 - parity))
        if slots == 2 and k and slot == 0:
            threads[0].append(("await", 1, 1 - parity))
        threads[0].append(("expect", full))
        threads[0] += [("more", full)] * (copies - 1)
        if copies == 2:  # what is expected comes before the arrival
            threads[0][-2:] = [("more", full), ("expect", full)]
        threads[0] += [("copy", full, 2 + (slot + c) % 2) for c in range(copies)]
        for consumer in threads[1:]:
            consumer.append(("await", full, parity))
            if rng.randrange(2):
                consumer.append(("ld", 2 + slot, 0, len(consumer)))
            consumer.append(("up", empty if slots == 1 else 1))
    if rng.randrange(4) == 0 and rounds % (2 * slots) == 0:
        for thread in threads:
            thread.append(("go", 0))
    for _ in range(rng.randrange(3)):
        thread = rng.choice(threads)
        at, how = rng.randrange(len(thread)), rng.randrange(3)
        if how == 0:
            thread[at] = draw_instruction(rng, len(thread), 1 + consumers)
        elif how == 1 and len(thread) > 1:
            del thread[at]
        else:
            thread.insert(at, draw_instruction(rng, len(thread), 1 + consumers))
    return Program(1 + consumers, [[tuple(min(n, len(thread)) if isinstance(n, int) and w == len(i) - 1 and i[0] in ("ld", "ex", "go", "wait") else n
                                          for w, n in enumerate(i)) for i in thread] for thread in threads])


# ---- As PTX ----

def lines_of(instruction, thread, number):
    kind, *numbers = instruction
    space, word = ("global", f"[%rd1+{4 * numbers[0]}]") if numbers[0] < GLOBAL else ("shared", f"[box+{16 * (numbers[0] - GLOBAL)}]")
    if kind == "st":
        return [f"\tst.volatile.{space}.u32 {word}, {numbers[1]};"]
    if kind == "ld":
        return [f"\tld.volatile.{space}.u32 %r2, {word};", f"\tsetp.eq.u32 %p, %r2, {numbers[1]};", f"\t@%p bra thread{thread}_{numbers[2]};"]
    if kind == "ex":
        return [f"\tatom.{space}.exch.b32 %r2, {word}, {numbers[1]};", f"\tsetp.eq.u32 %p, %r2, {numbers[2]};", f"\t@%p bra thread{thread}_{numbers[3]};"]
    if kind in ("sync", "arrive"):
        return [f"\tbar.{kind} {numbers[0]}, {32 * numbers[1]};"]
    if kind == "get":
        return [f"\tld.volatile.{space}.u32 %r3, {word};"]
    if kind == "put":
        return [f"\tst.volatile.{space}.u32 {word}, %r3;"]
    if kind == "go":
        return [f"\tbra thread{thread}_{numbers[0]};"]
    if kind == "up":
        return [f"\tmbarrier.arrive.shared.b64 _, [objects+{8 * numbers[0]}];"]
    if kind == "token":
        return [f"\tmbarrier.arrive.shared.b64 %rd2, [objects+{8 * numbers[0]}];", "\tmov.u64 %rd2, 0;"]
    if kind == "expect":
        return [f"\tmbarrier.arrive.expect_tx.shared.b64 _, [objects+{8 * numbers[0]}], 16;"]
    if kind == "more":
        return [f"\tmbarrier.expect_tx.relaxed.cta.shared.b64 [objects+{8 * numbers[0]}], 16;"]
    if kind == "less":
        return [f"\tmbarrier.complete_tx.relaxed.cta.shared.b64 [objects+{8 * numbers[0]}], 16;"]
    if kind == "copy":
        return ["\tcp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                f"[box+{16 * (numbers[1] - GLOBAL)}], [%rd1+16], 16, [objects+{8 * numbers[0]}];"]
    if kind == "await":
        return [f"again{thread}_{number}:", f"\tmbarrier.try_wait.parity.shared.b64 %p, [objects+{8 * numbers[0]}], {numbers[1]};", f"\t@!%p bra again{thread}_{number};"]
    return [f"\tmbarrier.try_wait.parity.shared.b64 %p, [objects+{8 * numbers[0]}], {numbers[1]};", f"\t@!%p bra thread{thread}_{numbers[2]};"]


def ptx(program):
    lines = [".version 8.0", ".target sm_90", ".address_size 64", ".visible .entry program(.param .u64 memory)", "{",
             "\t.reg .pred %p;", "\t.reg .b32 %r<4>;", "\t.reg .b64 %rd<3>;", "\t.shared .align 16 .b8 box[32];", f"\t.shared .align 8 .b64 objects[{MBARRIERS}];",
             "\tmov.u32 %r2, %tid.x;", "\tsetp.ne.u32 %p, %r2, 0;", "\t@%p bra start;",
             *(f"\tmbarrier.init.shared.b64 [objects+{8 * k}], {count};" for k, count in enumerate(ARRIVALS)), f"start:\tbar.sync 15, {32 * program.warps};",
             "\tand.b32 %r0, %r2, 31;", f"\tsetp.ge.u32 %p, %r0, {program.lanes};", "\t@%p ret;",
             "\tld.param.u64 %rd1, [memory];", "\tmov.u64 %rd2, 0;", "\tmov.u32 %r3, 0;", "\tmov.u32 %r1, %ctaid.x;", "\tshr.u32 %r2, %r2, 5;",
             f"\tmad.lo.u32 %r1, %r1, {program.warps}, %r2;", f"\tmad.lo.u32 %r1, %r1, {program.lanes}, %r0;"]
    for thread in range(1, len(program.threads)):
        lines += [f"\tsetp.eq.u32 %p, %r1, {thread};", f"\t@%p bra thread{thread}_0;"]
    for thread, instructions in enumerate(program.threads):
        for number, instruction in enumerate(instructions):
            lines += [f"thread{thread}_{number}:", "\tmov.u32 %r2, 0;", "\tsetp.ne.u32 %p, %r2, 0;"] + lines_of(instruction, thread, number)
        lines += [f"thread{thread}_{len(instructions)}:", "\tret;"]
    return "\n".join(lines + ["}", ""])


# ---- Every order ----

class State(tuple):
    """(words, pcs, started groups, barriers, mbarriers, copies, registers).  A barrier is (warps that have arrived, those that wait); an mbarrier (arrivals to come, parity,
    copies that it expects); registers are of threads; copies are the mbarriers and words of those of each group that have not ended.  The barrier at the start is left out."""

    def waits(self, thread):
        return any(thread in waiting for _, waiting in self[3])

    def can_run(self, program, thread):
        return self[1][thread] < len(program.threads[thread]) and not self.waits(thread)

    def unfinished(self, program):
        return [t for t, instructions in enumerate(program.threads) if self[1][t] < len(instructions) or self.waits(t)]


def replaced(items, at, item):
    return items[:at] + (item,) + items[at + 1:]


def first_state(program):
    groups = program.groups()
    return State(((0,) * (GLOBAL + SHARED * groups), (0,) * len(program.threads), frozenset(range(groups)) if groups == 1 else frozenset(),
                  ((0, frozenset()),) * (BARRIERS * groups), tuple((count, 0, 0) for count in ARRIVALS) * groups, ((),) * groups, (0,) * len(program.threads)))


class Fault(Exception):
    """An mbarrier gets more arrivals than it waits for."""


class TooMuch(Exception):
    """More copies are outstanding than are tried, or there are too many states."""


def settled(mbarrier, number):
    """Its phase ends when it waits for nothing."""
    pending, parity, bytes_ = mbarrier
    return (pending, parity, bytes_) if pending or bytes_ else (ARRIVALS[number], 1 - parity, 0)


def after(program, state, thread):
    words, pcs, started, barriers, mbarriers, copies, registers = state
    group, pc = program.group_of(thread), state[1][thread]
    kind, *numbers = program.threads[thread][pc]
    place = numbers[0] if numbers[0] < GLOBAL else numbers[0] + SHARED * group
    to = pc + 1
    if kind in ("ld", "ex") and words[place] == numbers[-2]:
        to = numbers[-1]
    if kind == "go":
        to = numbers[0]
    if kind == "get":
        registers = replaced(registers, thread, words[place])
    if kind == "put":
        words = replaced(words, place, registers[thread])
    if kind in ("st", "ex"):
        words = replaced(words, place, numbers[1])
    if kind in ("sync", "arrive"):
        at = BARRIERS * group + numbers[0]
        arrived, waiting = barriers[at]
        arrived, waiting = arrived + 1, waiting | ({thread} if kind == "sync" else set())
        barriers = replaced(barriers, at, (0, frozenset()) if arrived >= numbers[1] else (arrived, frozenset(waiting)))
    if kind in ("up", "token", "expect", "wait", "await", "more", "less"):
        at = MBARRIERS * group + numbers[0]
        pending, parity, bytes_ = mbarriers[at]
        if kind in ("wait", "await"):
            to = to if parity != numbers[1] else pc if kind == "await" else numbers[2]
        elif kind in ("more", "less"):
            mbarriers = replaced(mbarriers, at, settled((pending, parity, bytes_ + (1 if kind == "more" else -1)), numbers[0]))
        elif not pending:
            raise Fault
        else:
            mbarriers = replaced(mbarriers, at, settled((pending - 1, parity, bytes_ + (kind == "expect")), numbers[0]))
    if kind == "copy":
        copies = replaced(copies, group, copies[group] + (tuple(numbers),))
        if len(copies[group]) > 8:
            raise TooMuch
    return State((words, replaced(pcs, thread, to), started | {group}, barriers, mbarriers, copies, registers))


def after_copy(state, group, number):
    words, pcs, started, barriers, mbarriers, copies, registers = state
    mbarrier, word = copies[group][number]
    pending, parity, bytes_ = mbarriers[MBARRIERS * group + mbarrier]
    words = replaced(words, word + SHARED * group, 1)
    mbarriers = replaced(mbarriers, MBARRIERS * group + mbarrier, settled((pending, parity, bytes_ - 1), mbarrier))
    return State((words, pcs, started, barriers, mbarriers, replaced(copies, group, copies[group][:number] + copies[group][number + 1:]), registers))


def steps_from(program, state):
    """By actor: a thread, or ("copy", group, number)."""
    steps = {t: after(program, state, t) for t in range(len(program.threads)) if state.can_run(program, t)}
    for group, of_group in enumerate(state[5]):
        steps.update({("copy", group, k): after_copy(state, group, k) for k in range(len(of_group))})
    return steps


def graph_of(program):
    graph, pending = {}, [first_state(program)]
    while pending:
        state = pending.pop()
        if state in graph:
            continue
        graph[state] = steps_from(program, state)
        if len(graph) > MOST_STATES:
            raise TooMuch
        pending += graph[state].values()
    return graph


def parts_of(graph):
    """Strongly connected parts (Kosaraju)."""
    order, seen = [], set()
    for root in graph:
        stack = [(root, iter(graph[root].values()))] if root not in seen else []
        seen.add(root)
        while stack:
            state, ways = stack[-1]
            to = next((s for s in ways if s not in seen), None)
            if to is None:
                order.append(stack.pop()[0])
            else:
                seen.add(to)
                stack.append((to, iter(graph[to].values())))
    back = {state: [] for state in graph}
    for state, ways in graph.items():
        for to in ways.values():
            back[to].append(state)
    parts, seen = [], set()
    for root in reversed(order):
        if root in seen:
            continue
        part, pending = [], [root]
        seen.add(root)
        while pending:
            state = pending.pop()
            part.append(state)
            pending += [s for s in back[state] if s not in seen]
            seen.update(back[state])
        parts.append(part)
    return parts


def verdicts(program):
    """By model, from the definition: an endless run stays in one part; those with guaranteed progress that can run in all of it have a step in it."""
    graph = graph_of(program)
    can_finish = any(not state.unfinished(program) for state in graph)
    parts, result = [(part, set(part)) for part in parts_of(graph)], {}
    for model, guarantees in MODELS.items():
        hangs = False
        for part, states in parts:
            some = part[0]
            left = sorted({program.group_of(t) for t in some.unfinished(program)})
            stepping = {t for s in part for t, to in graph[s].items() if to in states}
            able = [t for t in graph[some] if all(t in graph[s] for s in part) and (isinstance(t, tuple) or guarantees(program.group_of(t), left, some[2]))]
            hangs |= bool(left) and (all(t in stepping for t in able) if stepping else not graph[some])
        result[model] = ("may hang" if can_finish else "hangs") if hangs else "always finishes"
    return result, len(graph)


# ---- What comes out ----

def ones_file():
    """Words 0 and 1 are zero; what is copied are ones."""
    path = os.path.join(tempfile.gettempdir(), f"warp_orders_{os.getpid()}.bin")
    if not os.path.exists(path):
        with open(path + f".{threading.get_ident()}", "wb") as file:
            file.write(struct.pack("<8I", 0, 0, 0, 0, 1, 1, 1, 1))
        os.replace(path + f".{threading.get_ident()}", path)
    return path


def run(path, program, model, *options):
    return run_kernels.Run([run_kernels.LOCKSTEP, "kernel", path, "--grid", str(program.groups()), "--block", str(32 * program.warps), "--arg", "buf:memory:u32:8:file=" + ones_file(),
                            "--mode", "functional", "--dispatch", model, "--report", "json", *(["--divergence", "independent"] if program.lanes > 1 else []), *options])


def check(test):
    name, program = test
    wrong, found_states = [], 0
    try:
        expected, states = verdicts(program)
    except Fault:
        expected, states = dict.fromkeys(MODELS, "faults"), 0
    except TooMuch:
        return [], {"fair": "left out"}, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, name + ".ptx")
        with open(path, "w", encoding="utf-8") as file:
            file.write(ptx(program))
        for model in MODELS if program.groups() > 1 else ["fair"]:
            r = run(path, program, model, "--schedules", "300000" if states else "1000")
            if not r.report:
                wrong.append(f"{model}: {r.stderr.strip()}")
                continue
            found = r.report["launches"][0]["progress"]
            found_states = max(found_states, found["states"])
            if expected[model] == "faults":
                if found["verdict"] in ("always finishes", "hangs"):
                    wrong.append(f"{model}: {found['verdict']}, though it may fault")
            elif found["verdict"] != expected[model]:
                wrong.append(f"{model}: {found['verdict']}, expected {expected[model]}")
            elif found["schedule"] and run(path, program, model, "--schedule", found["schedule"]).outcome != "hang":
                wrong.append(f"{model}: no hang under --schedule {found['schedule']}")
    return [f"{name}: {line}" for line in wrong], expected, states, found_states


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("-j", "--jobs", type=int, default=2)
    parser.add_argument("--programs", type=int, default=120, metavar="N", help="of each kind that are drawn")
    parser.add_argument("--first", type=int, default=0, metavar="SEED")
    parser.add_argument("patterns", nargs="*", metavar="NAME-PATTERN")
    arguments = parser.parse_args()
    tests = [(name, Program(warps, [read_thread(t) for t in threads])) for name, (warps, threads) in NAMED.items()]
    tests += [(name, Program(warps, [read_thread(t) for t in threads], lanes)) for name, (lanes, warps, threads) in NAMED_LANES.items()]
    for seed in range(arguments.first, arguments.first + arguments.programs):
        tests += [(f"drawn_{seed}", drawn(seed)), (f"pipeline_{seed}", drawn_pipeline(seed)), (f"lanes_{seed}", drawn_lanes(seed))]
    tests = [t for t in tests if not arguments.patterns or any(fnmatch.fnmatch(t[0], p) for p in arguments.patterns)]
    counts, wrong, states, found_states = {}, [], 0, 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for lines, expected, of_all, found in pool.map(check, tests):
            wrong += lines
            states += of_all
            found_states += found
            counts[expected["fair"]] = counts.get(expected["fair"], 0) + 1
    for line in wrong:
        print(line)
    print(f"{len(tests)} programs: {', '.join(f'{n} {v}' for v, n in sorted(counts.items()))}; {states} states in all orders, {found_states} seen; {len(wrong)} wrong")
    return bool(wrong) or not tests


if __name__ == "__main__":
    sys.exit(main())
