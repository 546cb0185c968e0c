#!/usr/bin/env python3
"""Checks the verdicts of --schedules on small programs whose threads wait for each other, under every progress model, and how many states there are: one thread
per work-group, or several, each a warp.

    tests/progress.py [-j JOBS] [NAME-PATTERN...]
    tests/progress.py --public FOLDER      the public set instead: artifact/web_test_explorer of github.com/tyler-utah/AlloyForwardProgress

The programs are of the language of Sorensen et al., "Specifying and Testing GPU Workgroup Progress Models" (OOPSLA 2021): an instruction
stores to a word or not, and goes elsewhere if the word was so before:

    s LOC VALUE                 Mem[LOC] = VALUE
    l LOC CHECK TARGET          if (Mem[LOC] == CHECK) goto TARGET
    x LOC VALUE CHECK TARGET    if (exchange(Mem[LOC], VALUE) == CHECK) goto TARGET

LOC 2 is a word of the work-group's shared memory, which is not in their language.

There is a drawn sample, as many of each kind (by what they do under the six models) as there are, and some idioms by name.  What is expected is worked
out here, from the definition (weak fairness for those that are guaranteed progress) and not as Lockstep does it: by taking edges away from the graph of states.
Of the public set, the verdicts of its authors are expected as well: 483 programs, five models."""
import argparse
import concurrent.futures
import fnmatch
import glob
import json
import os
import random
import re
import sys
import tempfile

import run_kernels

MODELS = {
    "fair": lambda group, unfinished, started: True,
    "hsa": lambda group, unfinished, started: group == min(unfinished),
    "obe": lambda group, unfinished, started: group in started,
    "hsa-obe": lambda group, unfinished, started: group in started or group == min(unfinished),
    "lobe": lambda group, unfinished, started: bool(started) and group <= max(started),
    "unfair": lambda group, unfinished, started: False,
}
PUBLIC_NAMES = {"WEAK_FAIR": "fair", "HSA": "hsa", "OBE": "obe", "HSA_OBE": "hsa-obe", "LOBE": "lobe"}
WORDS = 2
SHARED = WORDS   # the place of the word that each group has of its own
A_KIND = 6       # programs of one kind, at most
DRAWN = 6000     # to be sorted into kinds
A_KIND_OF_WARPS, DRAWN_OF_WARPS = 2, 600
SEEDS = 24       # single schedules, for these:
SEEDED = ["lowest_after_an_end", "consumer_waits_for_higher", "mutex", "both_wait", "exchange_back_and_forth"]

IDIOMS = {
    "consumer_waits_for_higher": ["l 0 0 0", "s 0 1"],
    "consumer_waits_for_lower": ["s 0 1", "l 0 0 0"],
    "mutex": ["x 0 1 1 0; s 0 0", "x 0 1 1 0; s 0 0"],
    "mutex_of_three": ["x 0 1 1 0; s 0 0"] * 3,
    "mutex_never_released": ["x 0 1 1 0", "x 0 1 1 0"],
    "both_wait": ["l 0 0 0; s 1 1", "l 1 0 0; s 0 1"],
    "barrier_of_two": ["s 0 1; l 1 0 1", "s 1 1; l 0 0 1"],
    "exchange_back_and_forth": ["x 0 0 1 0", "x 0 1 0 0"],
    "middle_waits_for_both": ["s 0 1", "l 0 0 0; l 1 0 1", "s 1 1"],
    "lowest_waits_for_all": ["l 0 0 0; l 1 0 1", "s 0 1", "s 1 1"],
    "hand_on_upward": ["s 0 1", "l 0 0 0; s 1 1", "l 1 0 0"],
    "hand_on_downward": ["l 1 0 0", "l 0 0 0; s 1 1", "s 0 1"],
    "no_wait": ["s 0 1", "s 0 0"],
    "lowest_after_an_end": ["s 1 1", "s 0 1", "l 0 0 0"],
}
IDIOMS_OF_TWO_WARPS = {
    "shared_flag": ["s 2 1", "l 2 0 0"] * 2,
    "shared_lock": ["x 2 1 1 0; s 2 0"] * 2,
    "shared_lock_and_global": ["x 2 1 1 0; l 0 0 1; s 2 0", "x 2 1 1 0; s 2 0", "s 0 1", "s 2 1"],
    "shared_flag_for_each": ["l 2 0 0; s 0 1", "s 2 1", "l 0 0 0; s 2 1", "l 2 0 0"],
    "shared_count": ["x 2 0 1 0; x 2 1 0 0", "x 2 1 0 0; x 2 0 1 0"],
}


# ---- Programs ----

class Instruction:
    """`value`: stored, or None; `check`: None where nothing is compared."""

    def __init__(self, place, value=None, check=None, target=None):
        self.place, self.value, self.check, self.target = place, value, check, target

    @staticmethod
    def read(text):
        kind, *numbers = text.split()
        numbers = [int(n) for n in numbers]
        if kind == "s":
            return Instruction(numbers[0], value=numbers[1])
        if kind == "l":
            return Instruction(numbers[0], check=numbers[1], target=numbers[2])
        return Instruction(numbers[0], value=numbers[1], check=numbers[2], target=numbers[3])


class Program(list):
    """Of threads; `warps` of them are a work-group's, in order."""

    def __init__(self, threads, warps=1):
        super().__init__(threads)
        self.warps = warps

    def groups(self):
        return len(self) // self.warps

    def threads_of(self, group):
        return range(group * self.warps, (group + 1) * self.warps)


def read_thread(text):
    return [Instruction.read(part) for part in text.split(";")]


def draw_instruction(random_, length, places=WORDS):
    kind = random_.choice("sllxxx")
    place, value, check, target = (random_.randrange(n) for n in (places, 2, 2, length + 1))
    if kind == "s":
        return Instruction(place, value=value)
    return Instruction(place, value=value if kind == "x" else None, check=check, target=target)


def drawn_programs():
    """The same ones every time, a bounded number of each kind."""
    random_ = random.Random(2018)
    kinds = {}
    for number in range(DRAWN):
        lengths = random_.choice([(1, 1), (1, 2), (2, 1), (2, 2), (2, 3), (1, 1, 1), (1, 2, 1), (1, 1, 2), (2, 1, 2)])
        program = Program([draw_instruction(random_, length) for _ in range(length)] for length in lengths)
        kind = (len(lengths),) + tuple(expected(program).values())
        if len(kinds.setdefault(kind, [])) < A_KIND:
            kinds[kind].append((f"drawn_{number}", program))
    return [test for tests in kinds.values() for test in tests] + programs_of_warps()


def programs_of_warps():
    """Lockstep tries all orders of the warps of a work-group, but for those that make no difference: so it sees other states."""
    random_, kinds = random.Random(2026), {}
    for number in range(DRAWN_OF_WARPS):
        warps, lengths = random_.choice([(2, (1, 1)), (2, (1, 2)), (2, (2, 1, 1, 2)), (2, (1, 1, 1, 1)), (3, (1, 1, 2)), (3, (2, 1, 1)), (3, (1, 1, 1, 1, 2, 1)), (5, (1, 1, 1, 1, 2))])
        program = Program(([draw_instruction(random_, length, SHARED + 1) for _ in range(length)] for length in lengths), warps)
        kind = (warps, len(lengths)) + tuple(expected(program).values())
        if len(kinds.setdefault(kind, [])) < A_KIND_OF_WARPS:
            kinds[kind].append((f"warps_{number}", program))
    return [test for tests in kinds.values() for test in tests]


def public_programs(folder):
    """(name, program, verdicts of the authors); PASS is "always finishes"."""
    for path in sorted(glob.glob(os.path.join(folder, "*", "*", "*_simple.txt"))):
        name = "_".join(re.search(r"(\d)_threads_(\d)_instructions/(\d+)", path).groups())
        program = []
        with open(path, encoding="utf-8") as file:
            for line in file:
                if line.startswith("THREAD"):
                    program.append([])
                elif line.strip():
                    program[-1].append(read_public(line.split(": ", 1)[1].strip()))
        for thread in program:
            for instruction in thread:
                if instruction.target == "END":
                    instruction.target = len(thread)
        with open(glob.glob(os.path.join(os.path.dirname(path), "label_*"))[0], encoding="utf-8") as file:
            labels = dict(re.findall(r"^(\w+) - Termination: (\w+)", file.read(), re.M))
        yield "public_" + name, program, {PUBLIC_NAMES[key]: labels[key] == "PASS" for key in PUBLIC_NAMES}


def read_public(text):
    store = re.fullmatch(r"Mem\[(\d+)\] = (\d+);", text)
    if store:
        return Instruction(int(store[1]), value=int(store[2]))
    branch = re.fullmatch(r"if \((?:Exch\()?Mem\[(\d+)\](?:,(\d+)\))? == (\d+)\) goto (\w+);", text)
    return Instruction(int(branch[1]), value=int(branch[2]) if branch[2] else None, check=int(branch[3]),
                       target=branch[4] if branch[4] == "END" else int(branch[4]))


def ptx(program):
    """Before each access the registers are the same whatever has been read: the states that differ are those of the model."""
    lines = [".version 7.0", ".target sm_70", ".address_size 64", ".visible .entry program(.param .u64 memory)", "{",
             "\t.reg .pred %p;", "\t.reg .b32 %r<4>;", "\t.reg .b64 %rd<2>;", "\t.shared .align 4 .b32 box;", "\tmov.u32 %r2, %tid.x;", "\tand.b32 %r1, %r2, 31;", "\tsetp.ne.u32 %p, %r1, 0;", "\t@%p ret;",
             "\tld.param.u64 %rd1, [memory];", "\tmov.u32 %r1, %ctaid.x;", "\tshr.u32 %r2, %r2, 5;", f"\tmad.lo.u32 %r1, %r1, {program.warps}, %r2;"]
    for thread in range(1, len(program)):
        lines += [f"\tsetp.eq.u32 %p, %r1, {thread};", f"\t@%p bra thread{thread}_0;"]
    for thread, instructions in enumerate(program):
        for number, i in enumerate(instructions):
            space, word = ("shared", "[box]") if i.place == SHARED else ("global", f"[%rd1+{4 * i.place}]")
            lines += [f"thread{thread}_{number}:", "\tmov.u32 %r2, 0;", "\tsetp.ne.u32 %p, %r2, 0;"]
            if i.check is None:
                lines.append(f"\tst.volatile.{space}.u32 {word}, {i.value};")
                continue
            lines.append(f"\tld.volatile.{space}.u32 %r2, {word};" if i.value is None else f"\tatom.{space}.exch.b32 %r2, {word}, {i.value};")
            lines += [f"\tsetp.eq.u32 %p, %r2, {i.check};", f"\t@%p bra thread{thread}_{i.target};"]
        lines += [f"thread{thread}_{len(instructions)}:", "\tret;"]
    return "\n".join(lines + ["}", ""])


# ---- What is expected ----

def after(program, state, thread):
    """The thread takes a step.  `pcs` are -1 for those that have taken none."""
    memory, pcs, started = state
    group = thread // program.warps
    i = program[thread][max(pcs[thread], 0)]
    place = WORDS + group if i.place == SHARED else i.place
    pc = i.target if i.check is not None and memory[place] == i.check else max(pcs[thread], 0) + 1
    if i.value is not None:
        memory = memory[:place] + (i.value,) + memory[place + 1:]
    pcs = pcs[:thread] + (pc,) + pcs[thread + 1:]
    if all(pcs[t] == len(program[t]) for t in program.threads_of(group)):
        memory = memory[:WORDS + group] + (0,) + memory[WORDS + group + 1:]
    return memory, pcs, started | {group}


def unfinished_threads(program, state):
    return [t for t in range(len(program)) if state[1][t] < len(program[t])]


def unfinished(program, state):
    return sorted({t // program.warps for t in unfinished_threads(program, state)})


def graph_of(program):
    first = ((0,) * (WORDS + program.groups()), (-1,) * len(program), frozenset())
    graph, pending = {}, [first]
    while pending:
        state = pending.pop()
        if state in graph:
            continue
        graph[state] = {t: after(program, state, t) for t in unfinished_threads(program, state)}
        pending += graph[state].values()
    return graph


def reachable(edges, start):
    seen, pending = set(), [start]
    while pending:
        for state in edges[pending.pop()].values():
            if state not in seen:
                seen.add(state)
                pending.append(state)
    return seen


def depths_of(graph):
    """Of each state the least number of steps to it; the first one is the graph's first."""
    first = next(iter(graph))
    depths, pending = {first: 0}, [first]
    for state in pending:
        for to in graph[state].values():
            if to not in depths:
                depths[to] = depths[state] + 1
                pending.append(to)
    return depths


def steps_before_the_loop(schedule):
    """Of a schedule as it is found: 0,1*2,(0,1)."""
    runs = [run.split("*") for run in schedule.split("(")[0].split(",") if run]
    return sum(int(run[1]) if len(run) > 1 else 1 for run in runs)


def expected(program):
    return {model: verdict for model, (verdict, _) in endless_runs(program).items()}


def endless_runs(program):
    """The verdict by model, and the fewest steps to where an endless run stays.  An endless run stays in the end among states that reach each other; it is fair if those that are guaranteed progress all
    have a step among these."""
    graph = graph_of(program)
    ways = {state: reachable(graph, state) for state in graph}
    together = {frozenset(s for s in ways[state] if state in ways[s]) for state in graph if state in ways[state]}
    can_finish = any(not edges for edges in graph.values())
    depths, verdicts = depths_of(graph), {}
    for model, guarantees in MODELS.items():
        endless = []
        for states in together:
            some = next(iter(states))
            stepping = {t for s in states for t, to in graph[s].items() if to in states}
            left = unfinished(program, some)
            if all(t in stepping for t in unfinished_threads(program, some) if guarantees(t // program.warps, left, some[2])):
                endless.append(min(depths[state] for state in states))
        verdicts[model] = (("may hang" if can_finish else "hangs") if endless else "always finishes", min(endless, default=None))
    return verdicts


# ---- What comes out ----

def run(path, program, model, *options):
    return run_kernels.Run([run_kernels.LOCKSTEP, "kernel", path, "--grid", str(program.groups()), "--block", str(32 * program.warps), "--arg", f"buf:memory:u32:{WORDS}:zero", "--mode", "functional",
                            "--dispatch", model, "--report", "json", *options])


def check_seeds(path, program, verdicts):
    """Single schedules: each must be one that the model allows, and hangs must be found by some."""
    for model, verdict in verdicts.items():
        hangs = sum(run(path, program, model, "--seed", str(seed)).outcome == "hang" for seed in range(SEEDS))
        if (verdict == "always finishes" and hangs) or (verdict != "always finishes" and not hangs) or (verdict == "hangs" and hangs < SEEDS):
            yield f"{model}: {hangs} of {SEEDS} seeds hang, but it {verdict}"


def is_short_enough(program, steps, fewest):
    """What is found is the shortest way that is known, which where some orders of warps are left out is not the shortest there is."""
    return steps == fewest or (program.warps > 1 and steps > fewest)


def check(test):
    """What is wrong, in lines."""
    name, program, verdicts, seeds = test
    wrong, states, runs = [], len(graph_of(program)), endless_runs(program)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, name + ".ptx")
        with open(path, "w", encoding="utf-8") as file:
            file.write(ptx(program))
        for model, verdict in verdicts.items():
            r = run(path, program, model, "--schedules", "100000")
            if not r.report:
                wrong.append(f"{model}: {r.stderr.strip()}")
                continue
            found = r.report["launches"][0]["progress"]
            if found["verdict"] != verdict or r.outcome != ("completed" if verdict == "always finishes" else "hang"):
                wrong.append(f"{model}: {found['verdict']} ({r.outcome}), expected: {verdict}")
            elif program.warps == 1 and found["states"] != states:
                wrong.append(f"{model}: {found['states']} states, expected {states}")
            elif found["schedule"] and not is_short_enough(program, steps_before_the_loop(found["schedule"]), runs[model][1]):
                wrong.append(f"{model}: --schedule {found['schedule']}, expected {runs[model][1]} steps before the loop")
            elif found["schedule"] and program.groups() == 3 and run(path, program, model, "--schedule", found["schedule"]).outcome != "hang":
                wrong.append(f"{model}: no hang under --schedule {found['schedule']}")
        if seeds:
            wrong += check_seeds(path, program, verdicts)
    return [f"{name}: {line}" for line in wrong]


def tests_of(arguments):
    if arguments.public:
        for name, program, verdicts in public_programs(arguments.public):
            ours = expected(Program(program))
            for model, finishes in verdicts.items():
                if finishes != (ours[model] == "always finishes"):
                    sys.exit(f"{name}: {model}: expected {ours[model]}, unlike the authors")
            yield name, Program(program), ours, False
        return
    for name, threads in IDIOMS.items():
        program = Program(read_thread(text) for text in threads)
        yield name, program, expected(program), name in SEEDED
    for name, threads in IDIOMS_OF_TWO_WARPS.items():
        program = Program((read_thread(text) for text in threads), 2)
        yield name, program, expected(program), False
    for name, program in drawn_programs():
        yield name, program, expected(program), False


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--public", metavar="FOLDER")
    parser.add_argument("-j", "--jobs", type=int, default=2)
    parser.add_argument("patterns", nargs="*", metavar="NAME-PATTERN")
    arguments = parser.parse_args()
    tests = [t for t in tests_of(arguments) if not arguments.patterns or any(fnmatch.fnmatch(t[0], p) for p in arguments.patterns)]
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        wrong = [line for lines in pool.map(check, tests) for line in lines]
    for line in wrong:
        print(line)
    counts = {}
    for _, _, verdicts, _ in tests:
        for verdict in verdicts.values():
            counts[verdict] = counts.get(verdict, 0) + 1
    print(f"{len(tests)} programs under {len(MODELS)} models: {', '.join(f'{n} {v}' for v, n in sorted(counts.items()))}; {len(wrong)} wrong")
    return bool(wrong) or not tests


if __name__ == "__main__":
    sys.exit(main())
