#!/usr/bin/env python3
"""Each order of the barrier p_barrier_xf of lockstep_barrier.h is needed, and the race check says so (paper 4, sections 2.2 and 4.2).

    LOCKSTEP=build/release/lockstep tests/barrier_orders.py [--seeds N] [--table]

Every group writes, meets the others and reads what they wrote.  As the header is, no race may be reported, by any model of a GPU and by the
functional mode.  Then one line of the barrier at a time loses something: an acquire or a release becomes relaxed, has the scope of a
work-group or is a plain access, a barrier of the group is left out.  Each time a race must be reported.  N launches with --weak, each with
another seed, then look for old values and hangs: whether they are seen is told, not judged, except that the header as it is must show none.
--table: as in docs/portable-barrier-proof.md."""
import argparse
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
LOCKSTEP = os.path.abspath(os.environ.get("LOCKSTEP", os.path.join(ROOT, "build", "release", "lockstep")))
GROUPS, THREADS = 4, 64
GPUS = ["gtx480", "gtx980", "v100", "radeon-r9", "iris-6100", "mali-t628-4", "cpu-4"]
FINDING = 3  # exit status, of a hang
KERNEL = """
#include "barrier.h"
kernel void orders(global uint *state, global uint *data, global uint *wrong)
{
	p_context p;
	if (!p_discover(&p, state))
		return;
	const uint size = p_get_global_size(&p), me = p_get_global_id(&p);
	const uint last = (me + size - get_local_size(0)) % size;
	for (uint round = 1; round <= 40; round++) {
		data[round % 2 * size + me] = round;
		p_barrier_xf(&p);
		if (data[round % 2 * size + last] != round)
			atomic_inc(wrong);
	}
}
"""
# Of what stays an atomic.  The functions beside those of the header, with less than the proof asks for.
WEAKER = """
uint load_relaxed(global uint *word) { return atomic_load_explicit(P_ATOMIC_(word), memory_order_relaxed, memory_scope_device); }
uint load_near(global uint *word) { return atomic_load_explicit(P_ATOMIC_(word), memory_order_acquire, memory_scope_work_group); }
uint load_plain(global uint *word) { return *(volatile global uint *)word; }
void store_relaxed(global uint *word, uint value) { p_store_relaxed_(word, value); }
void store_near(global uint *word, uint value) { atomic_store_explicit(P_ATOMIC_(word), value, memory_order_release, memory_scope_work_group); }
void store_plain(global uint *word, uint value) { *(volatile global uint *)word = value; }
"""
KINDS = {"relaxed": "relaxed", "near": "scope of a work-group", "plain": "plain access"}


def parts_of(header):
    """What is before p_barrier_xf, itself, and behind."""
    start = header.index("P_FUNCTION_ void p_barrier_xf(")
    end = header.index("\n}\n", start) + 3
    return header[:start], header[start:end], header[end:]


def mutants_of(header):
    """Names and texts: the header with one operation of p_barrier_xf weakened."""
    before, barrier, behind = parts_of(header)
    for at in re.finditer(r"p_(load_acquire|store_release)_\(|P_GROUP_BARRIER_\(\);", barrier):
        side = "master" if at.start() < barrier.index("else") else "other groups"
        number = len(re.findall(re.escape(at[0]), barrier[: at.start()])) + 1
        if not at[1]:
            yield f"{side}, barrier {number} of the group", "left out", before + barrier[: at.start()] + ";" + barrier[at.end() :] + behind
            continue
        word = at[1].split("_")
        for kind, text in KINDS.items():
            changed = barrier[: at.start()] + f"{word[0]}_{kind}(" + barrier[at.end() :]
            yield f"{side}, {word[1]}", text, before + WEAKER + changed + behind


class Kernel:
    """The kernel with one text of the header."""

    def __init__(self, folder, number, header):
        self.folder = os.path.join(folder, str(number))
        os.mkdir(self.folder)
        for name, text in (("barrier.h", header), ("orders.cl", KERNEL)):
            with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
                file.write(text)

    def run(self, *options):
        """Exit status and output of one launch."""
        words = (96 + 36 * GROUPS, 2 * GROUPS * THREADS, 1)
        buffers = [f"--arg=buf:{name}:u32:{count}:zero" for name, count in zip(("state", "data", "wrong"), words)]
        command = [LOCKSTEP, "kernel", "orders.cl", "--grid", str(GROUPS), "--block", str(THREADS), *buffers, *options]
        run = subprocess.run(command, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return run.returncode, run.stdout

    def finds_race(self, *options):
        """Whether the check reports a race."""
        status, output = self.run("--check", "races=volatile", *options)
        if status not in (0, FINDING):
            sys.exit(f"{' '.join(options)}: exit status {status}\n{output}")
        return "\nrace (" in output

    def weak_outcomes(self, gpu, seeds, jitter):
        """Of `seeds` launches that reorder: in how many a thread read an old value, and how many hung."""
        old = hung = 0
        for seed in range(seeds):
            status, output = self.run("--gpu", gpu, "--weak", f"--set=weak.jitter={jitter}", "--seed", str(seed), "--dump", "wrong")
            if status not in (0, FINDING):
                sys.exit(f"--weak --seed {seed}: exit status {status}\n{output}")
            hung += status == FINDING and "hang (" in output
            old += status == 0 and not re.search(r"buffer wrong.*\n\s*0: 0$", output, re.M)
        return old, hung


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seeds", type=int, default=10, help="launches with --weak for each change")
    parser.add_argument("--jitter", type=int, default=400, help="weak.jitter, cycles")
    parser.add_argument("--table", action="store_true", help="print the table of the page")
    parser.add_argument("--gpu", default="v100", help="for --weak")
    arguments = parser.parse_args()
    wrong = []
    with open(os.path.join(ROOT, "device", "lockstep_barrier.h"), encoding="utf-8") as file:
        header = file.read()
    with tempfile.TemporaryDirectory() as folder:
        proved = Kernel(folder, 0, header)
        wrong += [f"the header on {gpu}: a race is reported" for gpu in GPUS if proved.finds_race("--gpu", gpu)]
        if proved.finds_race("--mode", "functional"):
            wrong.append("the header in functional mode: a race is reported")
        rows = [("unchanged", "", "no", *proved.weak_outcomes(arguments.gpu, arguments.seeds, arguments.jitter))]
        if any(rows[0][3:]):
            wrong.append("the header: an old value, or a hang")
        for number, (place, change, text) in enumerate(mutants_of(header), 1):
            kernel = Kernel(folder, number, text)
            found = kernel.finds_race("--gpu", arguments.gpu)
            if not found:
                wrong.append(f"{place}, {change}: no race is reported")
            rows.append((place, change, "yes" if found else "no", *kernel.weak_outcomes(arguments.gpu, arguments.seeds, arguments.jitter)))
    if arguments.table:
        print("| where | change | race | old values, of %d | hangs |\n|---|---|---|---|---|" % arguments.seeds)
        for row in rows:
            print("| %s | %s | %s | %d | %d |" % row)
    print("\n".join(wrong) or f"{len(rows) - 1} changes, each reported as a race")
    return 1 if wrong or len(rows) != 16 else 0


if __name__ == "__main__":
    sys.exit(main())
