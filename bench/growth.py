#!/usr/bin/env python3
"""Kernels of growing size, and what it costs to load them: what grows faster than the text is found here.

    bench/growth.py [--size N] [SHAPE...]      CPU seconds of loading and running each shape with N and 2N pieces, and their ratio
    bench/growth.py --write SHAPE N            the kernel itself, on stdout

Each shape repeats one thing: 2.0 is linear, 4.0 quadratic.  Every kernel runs with one thread and leaves early, so the load is what costs."""
import argparse
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LOCKSTEP = os.environ.get("LOCKSTEP", os.path.join(ROOT, "build", "release", "lockstep"))

HEAD = ".version 7.8\n.target sm_80\n.address_size 64\n"


def kernel(body, registers="", before=""):
    # p is false for every thread, and nothing in the text says so
    return (f"{HEAD}{before}.visible .entry k()\n{{\n.reg .pred %p<3>;\n.reg .b32 %r<6>;\n.reg .b64 %d<3>;\n{registers}"
            f"mov.u32 %r1, %tid.x;\nsetp.gt.u32 %p1, %r1, 5000;\n@!%p1 bra LEAVE;\n{body}\nLEAVE:\nret;\n}}\n")


def straight(n):
    return kernel("\n".join("add.s32 %r2, %r2, %r1;" for _ in range(n)))


def scattered(n):
    """Branches back and forth over all of the kernel."""
    step = next(s for s in range(n * 5 // 8 | 1, 2 * n, 2) if all(n % q or s % q for q in range(2, 100)))
    return kernel("\n".join(f"L{k}: setp.eq.u32 %p2, %r1, {k};\n@%p2 bra L{k * step % n};" for k in range(n)))


def forward(n):
    """Each branch skips some others."""
    return kernel("\n".join(f"L{k}: setp.eq.u32 %p2, %r1, {k};\n@%p2 bra L{min(n, k + 1 + k * 7 % 50)};" for k in range(n)) + f"\nL{n}:")


def jumps(n):
    """Unconditional ones, to scattered places."""
    step = next(s for s in range(n * 5 // 8 | 1, 2 * n, 2) if all(n % q or s % q for q in range(2, 100)))
    return kernel("\n".join(f"L{k}: add.s32 %r2, %r2, {k};\nbra L{(k * step + 1) % n};" for k in range(n)))


def diamonds(n):
    return kernel("\n".join(f"setp.eq.u32 %p2, %r1, {k};\n@%p2 bra A{k};\nadd.s32 %r2, %r2, 1;\nbra B{k};\nA{k}: add.s32 %r2, %r2, 2;\nB{k}:" for k in range(n)))


def escapes(n):
    """All leave to one place."""
    return kernel("\n".join(f"setp.eq.u32 %p2, %r1, {k};\n@%p2 bra LEAVE;" for k in range(n)))


def loops(n):
    return kernel("\n".join(f"L{k}: add.s32 %r2, %r2, 1;\nsetp.lt.u32 %p2, %r2, {k};\n@%p2 bra L{k};" for k in range(n)))


def nest(n):
    """Loops one within the other."""
    return kernel("\n".join(f"L{k}: add.s32 %r2, %r2, 1;" for k in range(n)) + "\n" +
                  "\n".join(f"setp.lt.u32 %p2, %r2, {k};\n@%p2 bra L{k};" for k in reversed(range(n))))


def polls(n):
    """Loops that wait for memory."""
    return kernel("mov.u64 %d1, v;\n" + "\n".join(f"L{k}: ld.volatile.global.u32 %r2, [%d1];\nsetp.eq.u32 %p2, %r2, {k};\n@%p2 bra L{k};" for k in range(n)),
                  before=".global .u32 v;\n")


def locks(n):
    return kernel("mov.u64 %d1, v;\n" + "\n".join(
        f"L{k}: atom.global.cas.b32 %r2, [%d1], 0, 1;\nsetp.ne.s32 %p2, %r2, 0;\n@%p2 bra L{k};\nst.global.u32 [%d1], 0;" for k in range(n)),
                  before=".global .u32 v;\n")


def ladder(n):
    """if (a) { if (b) { ... } }: all arms end together."""
    return kernel("\n".join(f"setp.eq.u32 %p2, %r1, {k};\n@%p2 bra E{k};\nadd.s32 %r2, %r2, 1;" for k in range(n)) + "\n" +
                  "\n".join(f"E{k}: add.s32 %r3, %r3, 1;" for k in reversed(range(n))))


def registers(n):
    """As many registers as blocks, all in use to the end."""
    return kernel("\n".join(f"mov.u32 %v{k}, %r1;" for k in range(n)) + "\n" +
                  "\n".join(f"setp.eq.u32 %p2, %r1, {k};\n@%p2 bra A{k};\nadd.s32 %r2, %r2, %v{k};\nA{k}:" for k in range(n)),
                  registers=f".reg .b32 %v<{n}>;\n")


def blocks(n):
    """Many blocks with registers of their own."""
    return kernel("\n".join(f"mov.u32 %v{3 * k}, %r1;\nsetp.eq.u32 %p2, %v{3 * k}, {k};\n@%p2 bra A{k};\nmov.u32 %v{3 * k + 1}, %r1;\n"
                            f"add.s32 %v{3 * k + 2}, %v{3 * k + 1}, 1;\nadd.s32 %r2, %r2, %v{3 * k + 2};\nA{k}:" for k in range(n)),
                  registers=f".reg .b32 %v<{3 * n}>;\n")


def body(n):
    """One loop around many blocks."""
    return kernel("T: add.s32 %r3, %r3, 1;\n" + "\n".join(f"setp.eq.u32 %p2, %r1, {k};\n@%p2 bra A{k};\nadd.s32 %r2, %r2, 1;\nA{k}:" for k in range(n)) +
                  "\nsetp.lt.u32 %p2, %r3, 5;\n@%p2 bra T;")


def values(n):
    """Short-lived registers."""
    return kernel("\n".join(f"mov.u32 %v{k}, %r1;\nadd.s32 %r2, %r2, %v{k};" for k in range(n)), registers=f".reg .b32 %v<{n}>;\n")


def named(n):
    return kernel("\n".join(f"mov.u32 x{k}, %r1;" for k in range(n)), registers="".join(f".reg .b32 x{k};\n" for k in range(n)))


def functions(n):
    return kernel("call f0;", before="".join(f".func f{k}()\n{{\nret;\n}}\n" for k in range(n)))


def calls(n):
    """A chain: each calls the next."""
    return kernel(f"call f{n - 1};", before=".func f0()\n{\nret;\n}\n" + "".join(f".func f{k}()\n{{\ncall f{k - 1};\nret;\n}}\n" for k in range(1, n)))


def called(n):
    """All calls in one kernel, each of its own function."""
    return kernel("\n".join(f"call f{k};" for k in range(n)), before="".join(f".func f{k}()\n{{\nret;\n}}\n" for k in range(n)))


def sites(n):
    """Many calls of one function."""
    return kernel("\n".join("call f;" for _ in range(n)), before=".func f()\n{\nret;\n}\n")


def kernels(n):
    return kernel("") + "".join(f".visible .entry k{k}()\n{{\nret;\n}}\n" for k in range(n))


def table(n):
    """brx.idx with so many places to go."""
    return kernel("t: .branchtargets " + ", ".join(f"L{k}" for k in range(n)) + ";\nbrx.idx %r1, t;\n" +
                  "\n".join(f"L{k}: add.s32 %r2, %r2, 1;\nbra LEAVE;" for k in range(n)))


def globals_(n):
    return kernel("", before="".join(f".global .u32 g{k};\n" for k in range(n)))


def addresses(n):
    """Variables whose addresses the kernel takes."""
    return kernel("\n".join(f"mov.u64 %d1, g{k};" for k in range(n)), before="".join(f".global .u32 g{k};\n" for k in range(n)))


def locals_(n):
    return kernel("\n".join(f"mov.u64 %d1, g{k};" for k in range(n)), registers="".join(f".local .b8 g{k}[1];\n" for k in range(n)))


def shared(n):
    return kernel("\n".join(f"mov.u64 %d1, g{k};" for k in range(n)), before="".join(f".shared .b8 g{k}[1];\n" for k in range(min(n, 49152))) +
                  "".join(f".global .b8 g{k}[1];\n" for k in range(49152, n)))


def constants(n):
    """Numbers, all different."""
    return kernel("\n".join(f"add.s32 %r2, %r1, {k + 1000};" for k in range(n)))


def scopes(n):
    """Blocks one within the other."""
    return kernel("{ .reg .b32 x; mov.u32 x, 1;\n" * n + "}\n" * n)


def siblings(n):
    return kernel("{ .reg .b32 x; mov.u32 x, 1; }\n" * n)


def data(n):
    return kernel("", before=f".global .u32 g[{n}] = {{" + ", ".join("1" for _ in range(n)) + "};\n")


def pointers(n):
    return kernel("", before=".global .u32 v;\n" + f".global .u64 g[{n}] = {{" + ", ".join("v" for _ in range(n)) + "};\n")


def long_line(n):
    return kernel(" ".join("add.s32 %r2, %r2, %r1;" for _ in range(n)))


def lines(n):
    """.loc directives, and files."""
    return kernel("\n".join(f".loc {k % 10 + 1} {k} 1\nadd.s32 %r2, %r2, %r1;" for k in range(1, n))) + "".join(f'.file {k} "f{k}.cu"\n' for k in range(1, 11))


def files(n):
    return kernel("\n".join(f".loc {k} 1 1\nadd.s32 %r2, %r2, %r1;" for k in range(1, n))) + "".join(f'.file {k} "f{k}.cu"\n' for k in range(1, n))


def expression(n):
    return kernel("add.s32 %r2, %r1, " + "(" * n + "1" + ")" * n + ";")


def sums(n):
    return kernel("add.s32 %r2, %r1, " + "1+" * n + "1;")


def digits(n):
    return kernel("add.s32 %r2, %r1, " + "0" * n + "1;")


def name(n):
    return kernel("", before=".global .u32 v" + "x" * n + ";\n")


def comments(n):
    return kernel("/* */ // x\n" * n)


def depots(n):
    """Parameters of calls, each in a block of its own, as nvcc writes them."""
    return kernel("\n".join("{ .param .b32 p; st.param.b32 [p], %r1; call f, (p); }" for _ in range(n)),
                  before=".func f(.param .b32 q)\n{\nret;\n}\n")


def barriers(n):
    return kernel("\n".join("bar.sync 0;\nst.shared.u32 [s], %r1;" for _ in range(n)), registers=".shared .u32 s;\n")


def prototypes(n):
    """Calls through pointers, each with a prototype."""
    return kernel("mov.u64 %d1, f;\n" + "\n".join(f"P{k}: .callprototype _ ();\ncall %d1, (), P{k};" for k in range(n)), before=".func f()\n{\nret;\n}\n")


SHAPES = {f.__name__.strip("_"): f for f in (
    straight, scattered, forward, jumps, diamonds, escapes, loops, nest, polls, locks, ladder, registers, blocks, body, values, named, functions, calls, called, sites,
    kernels, table, globals_, addresses, locals_, shared, constants, scopes, siblings, data, pointers, long_line, lines, files, expression, sums, digits, name,
    comments, depots, barriers, prototypes)}


def cpu_seconds(path, words, limit):
    child = os.fork()
    if not child:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        error = os.open(path + ".error", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(nowhere, 1)
        os.dup2(error, 2)
        os.execvp("timeout", ["timeout", str(limit), LOCKSTEP, *words])
    _, status, usage = os.wait4(child, 0)
    with open(path + ".error", encoding="utf-8", errors="replace") as file:
        why = file.read(200).strip()
    return usage.ru_utime + usage.ru_stime, os.waitstatus_to_exitcode(status), why


def measure(shape, size, folder, limit, lint):
    path = os.path.join(folder, "k.ptx")
    with open(path, "w", encoding="utf-8") as file:
        file.write(SHAPES[shape](size))
    words = ["lint", path] if lint else ["kernel", path, "--kernel", "k", "--grid", "1", "--block", "1"]
    return cpu_seconds(path, words, limit)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--size", type=int, default=4000)
    parser.add_argument("--limit", type=int, default=60, help="seconds for each run")
    parser.add_argument("--lint", action="store_true", help="what the lint costs instead")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("shapes", nargs="*")
    arguments = parser.parse_args()
    if arguments.write:
        sys.stdout.write(SHAPES[arguments.shapes[0]](int(arguments.shapes[1])))
        return
    print(f"{'shape':<14}{arguments.size:>10}{2 * arguments.size:>10}{'ratio':>8}")
    with tempfile.TemporaryDirectory() as folder:
        for shape in arguments.shapes or SHAPES:
            small, status, why = measure(shape, arguments.size, folder, arguments.limit, arguments.lint)
            large, second, _ = measure(shape, 2 * arguments.size, folder, arguments.limit, arguments.lint) if status != 124 else (0, 124, "")
            print(f"{shape:<14}{small:>10.3f}{large:>10.3f}{large / small:>8.1f}  {status if status else ''} {second if second else ''} {why[:100]}", flush=True)


if __name__ == "__main__":
    main()
