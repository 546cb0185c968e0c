#!/usr/bin/env python3
"""Random programs with lock instructions, run by the simulator and by counting: every thread must pass each of its critical sections once.

    tests/random_locks.py [--programs N] [--first SEED] [--keep FOLDER] [-j JOBS]

Programs have nested if, loops whose rounds differ by lane, and critical sections with up to three locks within each other, taken in the order of
their addresses, with branches inside and with one end or two.  No branch has a lock on one side only while another is held (paper 1, 4.5), so
all of them complete under stack-locks and with independent threads.  A failing program stays as KEEP/SEED.ptx, with its command in the message."""
import argparse
import concurrent.futures
import os
import random
import sys
import tempfile

import run_kernels

LEVELS, WORDS = 3, 8    # locks within each other; locks of one level, with a counter each
REGISTERS = 40
CONFIGURATIONS = [
    "--divergence stack-locks", "--divergence stack-locks --mode functional", "--divergence stack-locks --retry exponential",
    "--divergence independent", "--divergence independent --mode functional", "--divergence independent --lock queue",
]
HEAD = f"""
.version 8.3
.target sm_80
.address_size 64
.extern .func __lockstep_lock(.reg .u64 lock);
.extern .func __lockstep_unlock(.reg .u64 lock);
.visible .entry random_locks(.param .u64 lock, .param .u64 count)
{{
	.reg .pred %p;
	.reg .b32 %t, %n, %x, %rounds<{REGISTERS}>;
	.reg .b64 %lock, %count, %l<{REGISTERS}>, %c<{REGISTERS}>;
	ld.param.u64 %lock, [lock];
	ld.param.u64 %count, [count];
	mov.u32 %t, %tid.x;
	mov.u32 %n, %ctaid.x;
	mov.u32 %x, %ntid.x;
	mad.lo.u32 %t, %n, %x, %t;
"""


class Program:
    """Its PTX, and `run`: what a thread of a given number adds to the counters."""

    def __init__(self, seed):
        self.draw = random.Random(seed)
        self.lines, self.labels, self.registers = [], 0, 0
        self.left = self.draw.randint(2, 14)    # statements that may still come
        self.run = self.block(0)

    def text(self):
        return HEAD + "\n".join(self.lines) + "\n\tret;\n}\n"

    def emit(self, *lines):
        self.lines += ["\t" + line for line in lines]

    def new_label(self):
        self.labels += 1
        return f"L{self.labels}"

    def new_register(self):
        self.registers += 1
        return self.registers - 1

    def remainder(self, register, below):
        """A number below `below` that differs by thread, into the register."""
        factor, offset = self.draw.choice([0, 1, 1, 3, 5, 7]), self.draw.randrange(8)
        self.emit(f"mad.lo.u32 {register}, %t, {factor}, {offset};", f"rem.u32 {register}, {register}, {below};")
        return lambda t: (factor * t + offset) % below

    def condition(self):
        below = self.draw.choice([2, 3, 4, 8, 32])
        value, limit = self.remainder("%x", below), self.draw.randrange(below)
        self.emit(f"setp.gt.u32 %p, %x, {limit};")
        return lambda t: value(t) > limit

    def branch(self, side, other):
        """if-else; each side is a function that emits it and gives what it does."""
        condition, to_other, end = self.condition(), self.new_label(), self.new_label()
        self.emit(f"@%p bra {to_other};")
        run_side = side()
        self.emit(f"bra {end};")
        self.lines.append(to_other + ":")
        run_other = other()
        self.lines.append(end + ":")
        return lambda t, count: (run_other if condition(t) else run_side)(t, count)

    def block(self, depth):
        parts = []
        for _ in range(self.draw.randint(1, 3)):
            if self.left and self.registers < REGISTERS - LEVELS:
                self.left -= 1
                parts.append(self.statement(depth))

        def run(t, count):
            for part in parts:
                part(t, count)
        return run

    def statement(self, depth):
        kind = self.draw.random() if depth < 3 else 1
        if kind < 0.25:
            return self.branch(lambda: self.block(depth + 1), lambda: self.block(depth + 1))
        return self.loop(depth) if kind < 0.45 else self.critical_section(0)

    def loop(self, depth):
        rounds, top = f"%rounds{self.new_register()}", self.new_label()
        times = self.remainder(rounds, self.draw.randint(1, 3))
        self.emit(f"add.u32 {rounds}, {rounds}, 1;")
        self.lines.append(top + ":")
        body = self.block(depth + 1)
        self.emit(f"sub.u32 {rounds}, {rounds}, 1;", f"setp.ne.u32 %p, {rounds}, 0;", f"@%p bra {top};")

        def run(t, count):
            for _ in range(times(t) + 1):
                body(t, count)
        return run

    def count_up(self, register, which, times):
        for _ in range(times):
            self.emit(f"ld.volatile.global.u32 %n, [%c{register}];", "add.u32 %n, %n, 1;", f"st.volatile.global.u32 [%c{register}], %n;")

        def run(t, count):
            count[which(t)] += times
        return run

    def critical_section(self, level):
        register = self.new_register()
        value = self.remainder("%x", self.draw.choice([1, 2, 4, WORDS]))
        self.emit(f"add.u32 %x, %x, {level * WORDS};", f"mad.wide.u32 %l{register}, %x, 4, %lock;", f"mad.wide.u32 %c{register}, %x, 4, %count;",
                  f"call __lockstep_lock, (%l{register});")

        def which(t):
            return level * WORDS + value(t)
        parts = [self.count_up(register, which, 1)]
        if level + 1 < LEVELS and self.draw.random() < 0.45:
            parts.append(self.critical_section(level + 1))
        parts.append(self.ends(register, which))

        def run(t, count):
            for part in parts:
                part(t, count)
        return run

    def ends(self, register, which):
        """The unlock: alone, behind a branch, or on both sides of one."""
        unlock, kind = f"call __lockstep_unlock, (%l{register});", self.draw.choice(["one", "branch", "two"])

        def side(times):
            run = self.count_up(register, which, times)
            if kind == "two":
                self.emit(unlock)
            return run
        run = self.branch(lambda: side(1), lambda: side(2)) if kind != "one" else lambda t, count: None
        if kind != "two":
            self.emit(unlock)
        return run


def check(seed, keep):
    """What is wrong with the runs of one program; nothing when all is well."""
    program, draw = Program(seed), random.Random(seed)
    groups, threads = draw.randint(1, 3), draw.choice([8, 32, 40, 64])
    expected = {"count": [0] * LEVELS * WORDS, "lock": [-1] * LEVELS * WORDS}
    for t in range(groups * threads):
        program.run(t, expected["count"])
    path = os.path.join(keep, f"{seed}.ptx")
    with open(path, "w", encoding="utf-8") as file:
        file.write(program.text())
    wrong = []
    for configuration in CONFIGURATIONS:
        run = run_kernels.Run([run_kernels.LOCKSTEP, "kernel", path, "--grid", str(groups), "--block", str(threads), "--arg", f"buf:lock:s32:{LEVELS * WORDS}:fill=-1",
                               "--arg", f"buf:count:u32:{LEVELS * WORDS}:zero", "--dump", "lock", "--dump", "count", *configuration.split(), "--seed", str(seed), "--report", "json"])
        if not run.report or run.outcome != "completed" or run.dumps() != expected:
            wrong.append(f"{path} --grid {groups} --block {threads} {configuration}: {run.outcome if run.report else run.stderr}, {run.report and run.dumps()}, expected {expected}")
    if not wrong:
        os.remove(path)
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=int, default=20)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--keep", default=None, metavar="FOLDER")
    parser.add_argument("-j", "--jobs", type=int, default=2)
    arguments = parser.parse_args()
    keep = arguments.keep or tempfile.mkdtemp(prefix="lockstep-locks-")
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for wrong in pool.map(lambda k: check(arguments.first + k, keep), range(arguments.programs)):
            failed += bool(wrong)
            for line in wrong:
                print(line, flush=True)
    if not failed and not arguments.keep:
        os.rmdir(keep)
    print(f"{arguments.programs - failed} programs passed, {failed} failed")
    return failed != 0 or not arguments.programs


if __name__ == "__main__":
    sys.exit(main())
