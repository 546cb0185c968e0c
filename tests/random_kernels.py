#!/usr/bin/env python3
"""Random programs, run by the simulator and by a small interpreter of their syntax trees, which must agree.

    tests/random_kernels.py [--programs N] [--first SEED] [--keep FOLDER] [-j JOBS]

A program has 32- and 64-bit registers, floats of both sizes, predicates, guards, nested if, loops whose rounds differ by lane, loops with
barriers, break and continue, calls (also recursive and from diverged code), early returns, bytes to vectors of a thread's own local,
shared and global memory, shared memory with barriers, atomics in any order (global and shared, 32 and 64 bits), votes and shuffles.  It
has no race, so all configurations must agree: both modes, each divergence model, at least three GPU models, one to three threads.  What
they are follows from the seed, as the program does.  CTest runs the first 120; `--programs 2000 --first 1000` is a longer run.
A failing program stays as KEEP/SEED.ptx, with its command in the message."""
import argparse
import concurrent.futures
import itertools
import os
import random
import shlex
import sys

import run_kernels
from reference import F32, F64, INTEGER, fadd, ffma, float_to_int, fmul, int_to_float, popcount, reverse, s32, s64, u32, u64

WORDS, LONGS, PREDICATES = 8, 4, 4      # %r0.. %q0.. %p0.. of a function
ARRAY = 8                               # words of a function's local array
OWN = 32                                # bytes of a thread in shared and in global memory
OUT = WORDS + 2 * LONGS                 # words that a thread writes at its end
# What atomics of all threads gather: each word has one operation, so that their order does not matter.  An even number, so that the
# long ones among SUMS are aligned.
COUNTERS = ["add.u32", "min.s32", "max.s32", "max.u32", "xor.b32", "or.b32"]
LONG_COUNTERS = ["add.u64", "max.u64"]
COMMUTATIVE = {
    "add.u32": lambda a, b: a + b, "min.s32": lambda a, b: min(s32(a), s32(b)), "max.s32": lambda a, b: max(s32(a), s32(b)), "max.u32": max,
    "xor.b32": lambda a, b: a ^ b, "or.b32": lambda a, b: a | b, "add.u64": lambda a, b: a + b, "max.u64": max,
}
SUMS = 2 * (len(COUNTERS) + 2 * len(LONG_COUNTERS))     # words: those in global memory, then those that groups kept in shared memory

BINARY32 = {
    "add.u32": lambda a, b: a + b, "sub.s32": lambda a, b: a - b, "mul.lo.u32": lambda a, b: a * b,
    "mul.hi.u32": lambda a, b: a * b >> 32, "mul.hi.s32": lambda a, b: s32(a) * s32(b) >> 32,
    "and.b32": lambda a, b: a & b, "or.b32": lambda a, b: a | b, "xor.b32": lambda a, b: a ^ b,
    "min.s32": lambda a, b: min(s32(a), s32(b)), "max.u32": max,
    "shl.b32": lambda a, b: a << min(b, 32), "shr.u32": lambda a, b: a >> min(b, 32), "shr.s32": lambda a, b: s32(a) >> min(b, 32),
}
UNARY32 = {"not.b32": lambda a: ~a, "popc.b32": popcount, "brev.b32": lambda a: reverse(a, 32),
           "clz.b32": lambda a: 32 - a.bit_length(), "neg.s32": lambda a: -a}
BINARY64 = {
    "add.s64": lambda a, b: a + b, "sub.u64": lambda a, b: a - b, "mul.lo.u64": lambda a, b: a * b, "xor.b64": lambda a, b: a ^ b,
    "mul.hi.u64": lambda a, b: a * b >> 64, "min.u64": min, "max.s64": lambda a, b: max(s64(a), s64(b)), "and.b64": lambda a, b: a & b,
}
COMPARE = {"lt.u32": lambda a, b: a < b, "ge.s32": lambda a, b: s32(a) >= s32(b), "eq.u32": lambda a, b: a == b, "ne.u32": lambda a, b: a != b}


class Leave(Exception):
    """break, continue or return, on its way out of the statements around it."""


class Frame:
    """One activation: its registers, predicates and local array."""

    def __init__(self, words):
        self.r, self.q, self.p = list(words), [0] * LONGS, [False] * PREDICATES
        self.array = bytearray(4 * ARRAY)


class Thread:
    def __init__(self, number, launch):
        self.number, self.launch, self.frame = number, launch, None
        self.own = {"shared": bytearray(OWN), "global": bytearray(OWN)}


# ---- Statements: emit() gives lines of PTX, run() executes for one thread ----

class Assign:
    """d = operation(a, b), maybe under a guard."""

    def __init__(self, rng):
        self.guard = (rng.randrange(PREDICATES), rng.random() < 0.5) if rng.random() < 0.25 else None
        kind = rng.choice(["binary32"] * 5 + ["unary32", "binary64", "binary64", "widen", "wide", "narrow", "select", "mad", "immediate"])
        self.d, self.a, self.b, self.c = (rng.randrange(WORDS) for _ in range(4))
        self.e, self.f, self.g = (rng.randrange(LONGS) for _ in range(3))
        self.s = rng.randrange(PREDICATES)
        self.kind, self.value = kind, rng.choice([rng.getrandbits(32), rng.randrange(40)])
        self.op = rng.choice(list({"binary32": BINARY32, "immediate": BINARY32, "unary32": UNARY32, "binary64": BINARY64}.get(kind, [""])))

    def emit(self, program):
        guard = "" if self.guard is None else f"@{'!' if self.guard[1] else ''}%p{self.guard[0]} "
        yield "\t" + guard + {
            "binary32": f"{self.op} %r{self.d}, %r{self.a}, %r{self.b};",
            "immediate": f"{self.op} %r{self.d}, %r{self.a}, 0x{self.value:x};",
            "unary32": f"{self.op} %r{self.d}, %r{self.a};",
            "binary64": f"{self.op} %q{self.e}, %q{self.f}, %q{self.g};",
            "widen": f"cvt.s64.s32 %q{self.e}, %r{self.a};",
            "wide": f"mad.wide.u32 %q{self.e}, %r{self.a}, %r{self.b}, %q{self.f};",
            "narrow": f"cvt.u32.u64 %r{self.d}, %q{self.f};",
            "select": f"selp.b32 %r{self.d}, %r{self.a}, %r{self.b}, %p{self.s};",
            "mad": f"mad.lo.s32 %r{self.d}, %r{self.a}, %r{self.b}, %r{self.c};",
        }[self.kind]

    def run(self, t):
        x = t.frame
        if self.guard is not None and x.p[self.guard[0]] == self.guard[1]:
            return
        r, q = x.r, x.q
        if self.kind == "binary32":
            r[self.d] = u32(BINARY32[self.op](r[self.a], r[self.b]))
        elif self.kind == "immediate":
            r[self.d] = u32(BINARY32[self.op](r[self.a], self.value))
        elif self.kind == "unary32":
            r[self.d] = u32(UNARY32[self.op](r[self.a]))
        elif self.kind == "binary64":
            q[self.e] = u64(BINARY64[self.op](q[self.f], q[self.g]))
        elif self.kind == "widen":
            q[self.e] = u64(s32(r[self.a]))
        elif self.kind == "wide":
            q[self.e] = u64(r[self.a] * r[self.b] + q[self.f])
        elif self.kind == "narrow":
            r[self.d] = u32(q[self.f])
        elif self.kind == "select":
            r[self.d] = r[self.a] if x.p[self.s] else r[self.b]
        else:
            r[self.d] = u32(r[self.a] * r[self.b] + r[self.c])


class Compare:
    def __init__(self, rng):
        self.p, self.a, self.b, self.bits = rng.randrange(PREDICATES), rng.randrange(WORDS), rng.randrange(WORDS), rng.choice([1, 3, 7, 31])
        self.op, self.q = rng.choice(list(COMPARE)), rng.choice([None, None, rng.randrange(PREDICATES)])

    def emit(self, program):
        yield f"\tand.b32 %x0, %r{self.a}, {self.bits};"
        yield f"\tand.b32 %x1, %r{self.b}, {self.bits};"
        if self.q is None:
            yield f"\tsetp.{self.op} %p{self.p}, %x0, %x1;"
        else:
            yield "\tsetp.{}.xor.{} %p{}, %x0, %x1, %p{};".format(*self.op.split("."), self.p, self.q)

    def run(self, t):
        x = t.frame
        value = COMPARE[self.op](x.r[self.a] & self.bits, x.r[self.b] & self.bits)
        x.p[self.p] = value if self.q is None else value != x.p[self.q]


class If:
    def __init__(self, rng, block):
        self.p, self.negated = rng.randrange(PREDICATES), rng.random() < 0.5
        self.then, self.otherwise = block(), block() if rng.random() < 0.6 else []

    def emit(self, program):
        label = program.label()
        yield f"\t@{'' if self.negated else '!'}%p{self.p} bra E{label};"
        yield from lines(self.then, program)
        if self.otherwise:
            yield f"\tbra J{label};"
        yield f"E{label}:"
        if self.otherwise:
            yield from lines(self.otherwise, program)
            yield f"J{label}:"

    def run(self, t):
        execute(self.then if t.frame.p[self.p] != self.negated else self.otherwise, t)


class Loop:
    """for (k = r[a] & mask; k != 0; k--), with break and continue inside."""

    def __init__(self, rng, block, depth):
        self.a, self.mask, self.body, self.depth = rng.randrange(WORDS), rng.choice([1, 3, 7]), block(), depth

    def emit(self, program):
        label = program.label()
        program.loops.append(label)
        yield f"\tand.b32 %k{self.depth}, %r{self.a}, {self.mask};"
        yield f"L{label}:"
        yield f"\tsetp.eq.u32 %t, %k{self.depth}, 0;"
        yield f"\t@%t bra B{label};"
        yield f"\tsub.u32 %k{self.depth}, %k{self.depth}, 1;"
        yield from lines(self.body, program)
        yield f"\tbra L{label};"
        yield f"B{label}:"
        program.loops.pop()

    def run(self, t):
        for _ in range(t.frame.r[self.a] & self.mask):
            try:
                execute(self.body, t)
            except Leave as leave:
                if leave.args[0] == "return":
                    raise
                if leave.args[0] == "break":
                    break


class Jump:
    """break, continue or return under a predicate."""

    def __init__(self, rng, in_loop, in_function):
        self.kind = rng.choice((["break", "continue"] if in_loop else []) + (["return"] if in_function else []))
        self.p, self.negated = rng.randrange(PREDICATES), rng.random() < 0.5

    def emit(self, program):
        guard = f"\t@{'!' if self.negated else ''}%p{self.p} "
        if self.kind == "return":
            yield guard + "bra RETURN;"
        else:
            yield guard + f"bra {'B' if self.kind == 'break' else 'L'}{program.loops[-1]};"

    def run(self, t):
        if t.frame.p[self.p] != self.negated:
            raise Leave(self.kind)


class Array:
    """Stores into or loads from the local array at an index of the lane's own."""

    def __init__(self, rng):
        self.store, self.index, self.word = rng.random() < 0.5, rng.randrange(WORDS), rng.randrange(WORDS)

    def emit(self, program):
        yield f"\tand.b32 %x0, %r{self.index}, {ARRAY - 1};"
        yield "\tmov.u64 %a0, array;"
        yield "\tmad.wide.u32 %a0, %x0, 4, %a0;"
        yield f"\tst.local.u32 [%a0], %r{self.word};" if self.store else f"\tld.local.u32 %r{self.word}, [%a0];"

    def run(self, t):
        x = t.frame
        index = x.r[self.index] & ARRAY - 1
        where = slice(4 * index, 4 * index + 4)
        if self.store:
            x.array[where] = x.r[self.word].to_bytes(4, "little")
        else:
            x.r[self.word] = int.from_bytes(x.array[where], "little")


class Bytes:
    """Stores or loads one or more elements of 1 to 8 bytes in the thread's own part of a memory, at an index of the lane's own."""

    def __init__(self, rng):
        self.space, self.store = rng.choice(["local", "shared", "global"]), rng.random() < 0.5
        self.type = rng.choice(["u8", "s8", "u16", "s16", "u32", "u32", "u64"])
        self.size, self.vector = int(self.type[1:]) // 8, rng.choice([1, 1, 2, 4])
        while self.size * self.vector > 16:
            self.vector //= 2
        self.index, self.first = rng.randrange(WORDS), rng.randrange(WORDS)
        self.last = ARRAY * 4 if self.space == "local" else OWN

    def registers(self):
        """The registers that elements come from or go to, all different: vectors may not name one twice."""
        count, name = (LONGS, "q") if self.size == 8 else (WORDS, "r")
        return name, [(self.first + k) % count for k in range(self.vector)]

    def emit(self, program):
        step = self.size * self.vector
        name, numbers = self.registers()
        yield f"\tand.b32 %x0, %r{self.index}, {self.last // step - 1};"
        if self.space == "local":
            yield "\tmov.u64 %a0, array;"
        else:
            yield f"\tmov.u64 %a0, own_{self.space};"
            yield "\tmov.u32 %x1, %tid.x;"
            if self.space == "global":
                yield "\tmov.u32 %x2, %ctaid.x;"
                yield f"\tmad.lo.u32 %x1, %x2, {program.block}, %x1;"
            yield f"\tmad.wide.u32 %a0, %x1, {OWN}, %a0;"
        yield f"\tmad.wide.u32 %a0, %x0, {step}, %a0;"
        vector = f".v{self.vector}" if self.vector > 1 else ""
        values = ", ".join(f"%{name}{k}" for k in numbers)
        values = "{" + values + "}" if vector else values
        yield f"\tst.{self.space}{vector}.{self.type} [%a0], {values};" if self.store else f"\tld.{self.space}{vector}.{self.type} {values}, [%a0];"

    def run(self, t):
        x, step = t.frame, self.size * self.vector
        memory = x.array if self.space == "local" else t.own[self.space]
        at = (x.r[self.index] & self.last // step - 1) * step
        name, numbers = self.registers()
        registers = x.q if name == "q" else x.r
        for k, number in enumerate(numbers):
            where = slice(at + k * self.size, at + (k + 1) * self.size)
            if self.store:
                memory[where] = (registers[number] & (1 << 8 * self.size) - 1).to_bytes(self.size, "little")
            else:
                value = INTEGER[self.type](int.from_bytes(memory[where], "little"))
                registers[number] = u64(value) if name == "q" else u32(value)


class Float:
    """Arithmetic on floats made of integers, so that all are finite; the bits go back to an integer register."""

    def __init__(self, rng):
        self.double, self.kind = rng.random() < 0.4, rng.choice(["add", "mul", "fma", "back"])
        self.mode = rng.choice(["rn", "rn", "rz", "rm", "rp"])
        self.d, self.a, self.b, self.c = (rng.randrange(WORDS) for _ in range(4))
        self.e = rng.randrange(LONGS)

    def emit(self, program):
        f, name = ("%d", "f64") if self.double else ("%f", "f32")
        for k, register in enumerate((self.a, self.b, self.c)):
            yield f"\tcvt.rn.{name}.s32 {f}{k}, %r{register};"
        if self.kind == "fma":
            yield f"\tfma.{self.mode}.{name} {f}0, {f}0, {f}1, {f}2;"
        elif self.kind == "back":
            yield f"\tmul.{self.mode}.{name} {f}0, {f}0, {f}1;"
            yield f"\tcvt.rzi.s32.{name} %r{self.d}, {f}0;"
            return
        else:
            yield f"\t{self.kind}.{self.mode}.{name} {f}0, {f}0, {f}1;"
        yield f"\tmov.b64 %q{self.e}, %d0;" if self.double else f"\tmov.b32 %r{self.d}, %f0;"

    def run(self, t):
        x, form = t.frame, F64 if self.double else F32
        a, b, c = (int_to_float(s32(x.r[k]), form) for k in (self.a, self.b, self.c))
        value = {"add": lambda: fadd(form, a, b, self.mode), "fma": lambda: ffma(form, a, b, c, self.mode)}.get(
            self.kind, lambda: fmul(form, a, b, self.mode))()
        if self.kind == "back":
            x.r[self.d] = u32(float_to_int(form, value, "s32", "rzi"))
        elif self.double:
            x.q[self.e] = value
        else:
            x.r[self.d] = value


class Count:
    """An atomic whose result nobody needs: the order does not matter."""

    def __init__(self, rng):
        self.long, self.shared, self.red = rng.random() < 0.3, rng.random() < 0.4, rng.random() < 0.5
        self.counter = rng.randrange(len(LONG_COUNTERS) if self.long else len(COUNTERS))
        self.word = rng.randrange(LONGS if self.long else WORDS)
        self.op = (LONG_COUNTERS if self.long else COUNTERS)[self.counter]

    def emit(self, program):
        space = "shared" if self.shared else "global"
        place = f"[{space}_{'longs' if self.long else 'counters'}+{(8 if self.long else 4) * self.counter}]"
        value, old = (f"%q{self.word}", "%a1") if self.long else (f"%r{self.word}", "%x1")
        yield f"\tred.{space}.{self.op} {place}, {value};" if self.red else f"\tatom.{space}.{self.op} {old}, {place}, {value};"

    def run(self, t):
        values = t.launch.totals[self.shared, self.long]
        value = (t.frame.q if self.long else t.frame.r)[self.word]
        values[self.counter] = (u64 if self.long else u32)(COMMUTATIVE[self.op](values[self.counter], value))


class Call:
    """r[d] = function(r[a], r[b], depth); a function calls itself only while `depth` lasts."""

    def __init__(self, rng, function, depth):
        self.function, self.depth = function, depth
        self.d, self.a, self.b = (rng.randrange(WORDS) for _ in range(3))

    def emit(self, program):
        label = program.label()
        depth = self.depth
        if depth is None:               # from within the function itself
            yield "\tsetp.eq.u32 %t, %depth, 0;"
            yield f"\t@%t bra N{label};"
            yield "\tsub.u32 %x0, %depth, 1;"
            depth = "%x0"
        if self.function.by_registers:
            yield f"\tcall (%r{self.d}), f{self.function.number}, (%r{self.a}, %r{self.b}, {depth});"
        else:
            yield "\t{ .param .b32 o; .param .b32 i0; .param .b32 i1; .param .b32 i2;"
            yield f"\tst.param.b32 [i0], %r{self.a}; st.param.b32 [i1], %r{self.b}; st.param.b32 [i2], {depth};"
            yield f"\tcall (o), f{self.function.number}, (i0, i1, i2);"
            yield f"\tld.param.b32 %r{self.d}, [o]; }}"
        if self.depth is None:
            yield f"N{label}:"

    def run(self, t):
        caller = t.frame
        depth = caller.depth - 1 if self.depth is None else self.depth
        if depth < 0:
            return
        t.frame = Frame([caller.r[self.a], caller.r[self.b]] + [0] * (WORDS - 2))
        t.frame.depth = depth
        try:
            execute(self.function.body, t)
        except Leave:
            pass
        result, t.frame = t.frame.r[self.function.result], caller
        caller.r[self.d] = result


class Together:
    """What a whole warp or group does, at the top of the program only: run_all() executes for all threads."""

    def __init__(self, rng):
        self.kind = rng.choice(["shared", "ballot", "bfly", "down", "any"])
        self.d, self.a, self.p, self.by, self.odd = rng.randrange(WORDS), rng.randrange(WORDS), rng.randrange(PREDICATES), rng.randrange(1, 32), rng.randrange(1, 64, 2)

    def emit(self, program):
        if self.kind == "shared":
            yield "\tmov.u32 %x0, room;"
            yield "\tmad.lo.u32 %x1, %tid_, 4, %x0;"
            yield f"\tst.shared.u32 [%x1], %r{self.a};"
            yield "\tbar.sync 0;"
            yield f"\tmad.lo.u32 %x1, %tid_, {self.odd}, {self.by};"
            yield f"\trem.u32 %x1, %x1, {program.block};"
            yield "\tmad.lo.u32 %x1, %x1, 4, %x0;"
            yield f"\tld.shared.u32 %r{self.d}, [%x1];"
            yield "\tbar.sync 0;"
        elif self.kind == "ballot":
            yield f"\tvote.sync.ballot.b32 %r{self.d}, %p{self.p}, -1;"
        elif self.kind == "any":
            yield f"\tvote.sync.any.pred %p{self.p}, %p{self.p}, -1;"
        else:
            yield f"\tshfl.sync.{self.kind}.b32 %r{self.d}, %r{self.a}, {self.by}, 31, -1;"

    def run_all(self, threads, block):
        before = [(t.frame.r[self.a], t.frame.p[self.p]) for t in threads]
        for n, t in enumerate(threads):
            group, warp = n // block * block, n // 32 * 32
            if self.kind == "shared":
                t.frame.r[self.d] = before[group + (n % block * self.odd + self.by) % block][0]
            elif self.kind == "ballot":
                t.frame.r[self.d] = sum(1 << k for k in range(32) if before[warp + k][1])
            elif self.kind == "any":
                t.frame.p[self.p] = any(p for _, p in before[warp:warp + 32])
            elif self.kind == "bfly":
                t.frame.r[self.d] = before[warp + (n % 32 ^ self.by)][0]
            else:
                t.frame.r[self.d] = before[n + self.by if n % 32 + self.by < 32 else n][0]


class Rounds:
    """A loop that all threads make equally often, with barriers and votes inside."""

    def __init__(self, rng, number, body):
        self.count, self.number, self.body = rng.randrange(1, 4), number, body

    def emit(self, program):
        yield f"\tmov.u32 %u{self.number}, {self.count};"
        yield f"R{self.number}:"
        yield from lines(self.body, program)
        yield f"\tsub.u32 %u{self.number}, %u{self.number}, 1;"
        yield f"\tsetp.ne.u32 %t, %u{self.number}, 0;"
        yield f"\t@%t bra R{self.number};"

    def run_all(self, threads, block):
        for _ in range(self.count):
            run_together(self.body, threads, block)


def run_together(statements, threads, block):
    for statement in statements:
        if hasattr(statement, "run_all"):
            statement.run_all(threads, block)
        else:
            for t in threads:
                statement.run(t)


def execute(statements, t):
    for statement in statements:
        statement.run(t)


def lines(statements, program):
    for statement in statements:
        yield from statement.emit(program)


# ---- Programs ----

class Function:
    def __init__(self, number, rng):
        self.number, self.result, self.by_registers, self.body = number, rng.randrange(WORDS), rng.random() < 0.5, []


class Program:
    def __init__(self, seed):
        self.seed, self.labels, self.loops = seed, 0, []
        self.rng = random.Random(seed)
        self.grid, self.block = self.rng.choice([1, 2, 3]), self.rng.choice([32, 64, 96])
        self.functions = []
        for number in range(self.rng.choice([0, 1, 2, 3])):
            function = Function(number, self.rng)
            self.current = function
            function.body = self.statements(6, 0, 0, function)
            self.functions.append(function)
        self.body = []
        for number in range(self.rng.randrange(6, 14)):
            if self.rng.random() < 0.15:
                self.body.append(Rounds(self.rng, number, [s for _ in range(self.rng.randrange(1, 4)) for s in self.step()]))
            else:
                self.body += self.step()
        self.totals = {(shared, long): [0] * len(LONG_COUNTERS if long else COUNTERS) for shared in (False, True) for long in (False, True)}

    def step(self):
        return [Together(self.rng)] if self.rng.random() < 0.25 else self.statements(2, 0, 0, None)

    def label(self):
        self.labels += 1
        return self.labels

    def statements(self, count, nesting, loops, function):
        return [self.statement(nesting, loops, function) for _ in range(self.rng.randrange(1, count + 1))]

    def statement(self, nesting, loops, function):
        rng, draw = self.rng, self.rng.random()
        if draw < 0.15 and nesting < 4:
            return If(rng, lambda: self.statements(4, nesting + 1, loops, function))
        if draw < 0.23 and loops < 2 and nesting < 4:
            return Loop(rng, lambda: self.statements(4, nesting + 1, loops + 1, function), loops)
        if draw < 0.28 and (loops or function):
            return Jump(rng, bool(loops), function is not None)
        if draw < 0.36 and (self.functions or function):
            if function and rng.random() < 0.3:
                return Call(rng, function, None)
            if self.functions:
                return Call(rng, rng.choice(self.functions), rng.choice([0, 1, 2]))
        if draw < 0.40:
            return Array(rng)
        if draw < 0.48:
            return Bytes(rng)
        if draw < 0.53:
            return Float(rng)
        if draw < 0.58:
            return Count(rng)
        return Compare(rng) if draw < 0.68 else Assign(rng)

    def registers(self):
        return f"""	.local .align 16 .b32 array[{ARRAY}];
	.reg .b32 %r<{WORDS}>, %k<4>, %x<4>;
	.reg .b64 %q<{LONGS}>, %a<4>;
	.reg .f32 %f<3>;
	.reg .f64 %d<3>;
	.reg .pred %p<{PREDICATES}>, %t;"""

    def cleared(self, first):
        text = [f"\tmov.u32 %r{k}, 0;" for k in range(first, WORDS)] + [f"\tmov.u64 %q{k}, 0;" for k in range(LONGS)]
        text += [f"\tsetp.ne.u32 %p{k}, 0, 0;" for k in range(PREDICATES)] + [f"\tst.local.u32 [array+{4 * k}], 0;" for k in range(ARRAY)]
        return "\n".join(text)

    def function_text(self, f):
        body = "\n".join(lines(f.body, self))
        if f.by_registers:
            head, formals = f".func (.reg .b32 value) f{f.number}(.reg .b32 a, .reg .b32 b, .reg .b32 %depth)", "\tmov.u32 %r0, a;\n\tmov.u32 %r1, b;"
            end = f"\tmov.u32 value, %r{f.result};"
        else:
            head = f".func (.param .b32 value) f{f.number}(.param .b32 a, .param .b32 b, .param .b32 c)"
            formals = "\t.reg .b32 %depth;\n\tld.param.u32 %r0, [a];\n\tld.param.u32 %r1, [b];\n\tld.param.u32 %depth, [c];"
            end = f"\tst.param.b32 [value], %r{f.result};"
        return f"{head}\n{{\n{self.registers()}\n{formals}\n{self.cleared(2)}\n{body}\nRETURN:\n{end}\n\tret;\n}}\n"

    def ptx(self):
        functions = "\n".join(self.function_text(f) for f in self.functions)
        body = "\n".join(lines(self.body, self))
        out = "\n".join([f"\tst.global.u32 [%a3+{4 * k}], %r{k};" for k in range(WORDS)]
                        + [f"\tst.global.u64 [%a3+{4 * WORDS + 8 * k}], %q{k};" for k in range(LONGS)])
        return f"""// A random program: tests/random_kernels.py --programs 1 --first {self.seed}
.version 8.3
.target sm_80
.address_size 64
.global .align 8 .b64 global_longs[{len(LONG_COUNTERS)}];
.global .align 4 .b32 global_counters[{len(COUNTERS)}];
.global .align 16 .b8 own_global[{OWN * self.block * self.grid}];
.shared .align 8 .b64 shared_longs[{len(LONG_COUNTERS)}];
.shared .align 4 .b32 shared_counters[{len(COUNTERS)}];
.shared .align 16 .b8 own_shared[{OWN * self.block}];
.shared .align 4 .b32 room[{self.block}];
{functions}
.visible .entry kernel(.param .u64 out, .param .u64 sums)
{{
{self.registers()}
	.reg .b32 %tid_, %thread, %last, %u<14>;
{self.cleared(0)}
	mov.u32 %tid_, %tid.x;
	mov.u32 %x0, %ctaid.x;
	mad.lo.u32 %thread, %x0, {self.block}, %tid_;
	mov.u64 %a0, own_shared;                // shared memory holds anything at first
	mad.wide.u32 %a0, %tid_, {OWN}, %a0;
{chr(10).join(f"	st.shared.u64 [%a0+{8 * k}], 0;" for k in range(OWN // 8))}
	setp.ne.u32 %t, %tid_, 0;
	@%t bra CLEARED;
{chr(10).join([f"	st.shared.u32 [shared_counters+{4 * k}], 0;" for k in range(len(COUNTERS))] + [f"	st.shared.u64 [shared_longs+{8 * k}], 0;" for k in range(len(LONG_COUNTERS))])}
CLEARED:
	bar.sync 0;
	mov.u32 %r0, %thread;
	mul.lo.u32 %r1, %thread, 0x9E3779B9;
	shr.u32 %r2, %r1, 7;
	xor.b32 %r3, %r1, %r2;
	mad.wide.u32 %q0, %r1, %r3, %q0;
{body}
	ld.param.u64 %a3, [out];
	mad.wide.u32 %a3, %thread, {4 * OUT}, %a3;
{out}
	bar.sync 0;
	ld.param.u64 %a3, [sums];
	setp.ne.u32 %t, %tid_, 0;
	@%t bra END;
{self.shared_sums()}
	membar.gl;
	atom.global.add.u32 %last, [%a3+{4 * SUMS}], 1;
	setp.ne.u32 %t, %last, {self.grid - 1};
	@%t bra END;
	membar.gl;                              // the last group copies the counters
{self.global_sums()}
END:
	ret;
}}
"""

    def shared_sums(self):
        """The first thread of each group puts what its group counted to that of the others, behind the copies of the global counters."""
        text, at = [], 2 * SUMS
        for k, op in enumerate(LONG_COUNTERS):
            text += [f"\tld.shared.u64 %a0, [shared_longs+{8 * k}];", f"\tred.global.{op} [%a3+{at + 8 * k}], %a0;"]
        at += 8 * len(LONG_COUNTERS)
        for k, op in enumerate(COUNTERS):
            text += [f"\tld.shared.u32 %x0, [shared_counters+{4 * k}];", f"\tred.global.{op} [%a3+{at + 4 * k}], %x0;"]
        return "\n".join(text)

    def global_sums(self):
        text = []
        for k in range(len(LONG_COUNTERS)):
            text += [f"\tld.volatile.global.u64 %a0, [global_longs+{8 * k}];", f"\tst.global.u64 [%a3+{8 * k}], %a0;"]
        for k in range(len(COUNTERS)):
            text += [f"\tld.volatile.global.u32 %x0, [global_counters+{4 * k}];", f"\tst.global.u32 [%a3+{8 * len(LONG_COUNTERS) + 4 * k}], %x0;"]
        return "\n".join(text)

    def expected(self):
        """What the threads write, and the counters."""
        threads = [Thread(n, self) for n in range(self.grid * self.block)]
        for n, t in enumerate(threads):
            r1 = u32(n * 0x9E3779B9)
            r2 = r1 >> 7
            t.frame = Frame([n, r1, r2, r1 ^ r2] + [0] * (WORDS - 4))
            t.frame.q[0] = r1 * (r1 ^ r2)
            t.frame.depth = 0
        run_together(self.body, threads, self.block)
        words = [w for t in threads for w in t.frame.r + [part for q in t.frame.q for part in (u32(q), q >> 32)]]
        return words, [w for shared in (False, True) for w in [part for q in self.totals[shared, True] for part in (u32(q), q >> 32)] + self.totals[shared, False]]


def configurations(program):
    """A few draws, no two of one GPU model; a stack without call entries is right only without calls."""
    rng = random.Random(program.seed + 1)
    models = ["stack", "independent", "stack-locks"] + ([] if program.functions else ["stack-without-calls"])
    gpus = rng.sample(run_kernels.GPUS, 4)
    rng.shuffle(models)
    for k, gpu in enumerate(gpus):
        mode = "functional" if k == 0 else "timing"
        choices = {"gpu": gpu, "mode": mode, "seed": rng.randrange(100), "divergence": models[k % len(models)]}
        if mode == "timing":
            choices |= {"scheduler": rng.choice(["lrr", "gto", "gto-strict", "cawa", "two-level", "random"]), "threads": k,
                        "coherence": rng.choice(["none", "write-through-invalidate"])}
        yield [word for option, value in choices.items() for word in ("--" + option, str(value))]


def try_program(seed, keep):
    """Null, or what went wrong."""
    program = Program(seed)
    path = os.path.join(keep, f"{seed}.ptx")
    with open(path, "w", encoding="utf-8") as file:
        file.write(program.ptx())
    out, counters = program.expected()
    for options in configurations(program):
        command = [run_kernels.LOCKSTEP, "kernel", path, "--grid", str(program.grid), "--block", str(program.block), "--arg", f"buf:out:u32:{len(out)}:zero",
                   "--arg", f"buf:sums:u32:{SUMS + 1}:zero", "--dump", "out", "--dump", "sums", "--max-cycles", "50000000", *options, "--report", "json"]
        run = run_kernels.Run(command)
        if not run.report or run.outcome != "completed":
            return f"{seed}: {run.outcome if run.report else run.stderr.strip()[:300]} {run.findings()[:1]}\n    $ {shlex.join(command)}"
        dumps = run.dumps()
        wrong = [k for k, v in enumerate(out) if dumps["out"][k] != v]
        if wrong:
            thread, word = divmod(wrong[0], OUT)
            return f"{seed}: thread {thread}, word {word} is {dumps['out'][wrong[0]]:#x}, expected {out[wrong[0]]:#x} ({len(wrong)} differ)\n    $ {shlex.join(command)}"
        if dumps["sums"][:SUMS] != counters:
            return f"{seed}: counters {dumps['sums'][:SUMS]}, expected {counters}\n    $ {shlex.join(command)}"
    os.remove(path)
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--programs", type=int, default=100)
    parser.add_argument("--first", type=int, default=1, metavar="SEED")
    parser.add_argument("--keep", default=os.path.join(run_kernels.ROOT, "build", "random"))
    parser.add_argument("-j", "--jobs", type=int, default=2)
    arguments = parser.parse_args()
    os.makedirs(arguments.keep, exist_ok=True)
    failed = 0
    seeds = range(arguments.first, arguments.first + arguments.programs)
    with concurrent.futures.ProcessPoolExecutor(arguments.jobs) as pool:
        for problem in pool.map(try_program, seeds, itertools.repeat(arguments.keep), chunksize=4):
            if problem:
                failed += 1
                print("FAILED", problem, flush=True)
    print(f"{arguments.programs - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
