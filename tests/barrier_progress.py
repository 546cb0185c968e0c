#!/usr/bin/env python3
"""Under which progress models discovery and the barriers of lockstep_barrier.h end, over all schedules of small launches.

    LOCKSTEP=build/release/lockstep tests/barrier_progress.py [--groups N] [--limit SCHEDULES] [--poll] [--table]

In each schedule the kernels check what paper 4 promises (section 3.1): at least one group takes part; the numbers of those that do are
contiguous from 0 and each is one group's; behind a barrier each finds what all the others did before.  A broken promise is a trap, and the verdict
`faults`.  The verdicts expected are by hand.  A group that polls waits for one that has started and not yet left the protocol, so it is
enough that groups which have started run on: fair, obe, hsa-obe and lobe promise that, hsa and unfair do not.  Without discovery, groups
wait for others that may never start, and only fair is enough.  --poll: the poll of discovery alone, without numbers, barriers and checks, which
have more states than can be seen with four groups.  --table: as in docs/portable-barrier-proof.md."""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
LOCKSTEP = os.path.abspath(os.environ.get("LOCKSTEP", os.path.join(ROOT, "build", "release", "lockstep")))
MODELS = ["fair", "hsa", "obe", "hsa-obe", "lobe", "unfair"]
STARTED_RUN_ON = ["fair", "obe", "hsa-obe", "lobe"]
KERNELS = {
    "discovery, ticket lock": ("found_ticket", STARTED_RUN_ON),
    "discovery, spin lock": ("found_spin", STARTED_RUN_ON),
    "discovery and XF": ("met_xf", STARTED_RUN_ON),
    "discovery and central": ("met_central", STARTED_RUN_ON),
    "discovery and grid": ("met_grid", STARTED_RUN_ON),
    "discovery and tree": ("met_tree", STARTED_RUN_ON),
    "discovery and dissemination": ("met_dissemination", STARTED_RUN_ON),
    "XF without discovery": ("assumed_xf", ["fair"]),
    "central without discovery": ("assumed_central", ["fair"]),
    "grid without discovery": ("assumed_grid", ["fair"]),
    "tree without discovery": ("assumed_tree", ["fair"]),
    "dissemination without discovery": ("assumed_dissemination", ["fair"]),
}
POLLS = {
    "poll, ticket lock": ("poll_ticket", STARTED_RUN_ON),
    "poll, spin lock": ("poll_spin", STARTED_RUN_ON),
}
SOURCE = """
#include "lockstep_barrier.h"

void must(bool holds)
{
	if (!holds)
		__builtin_trap();
}

/* The bits of `taken`: a group has this number. */
void take(const p_context *p, global uint *taken, bool takes_part)
{
	uint bit;

	must(p_get_num_groups(p) >= 1);
	if (!takes_part)
		return;
	must(p_get_group_id(p) < p_get_num_groups(p));
	bit = 1u << p_get_group_id(p);
	must((atomic_or(taken, bit) & bit) == 0);
}

void meet(const p_context *p, global uint *taken)
{
	must(*(volatile global uint *)taken == (1u << p_get_num_groups(p)) - 1);
}

kernel void found_ticket(global uint *state, global uint *taken)
{
	p_context p;
	take(&p, taken, p_discover_with(&p, state, P_TICKET_LOCK, 0));
}

kernel void found_spin(global uint *state, global uint *taken)
{
	p_context p;
	take(&p, taken, p_discover_with(&p, state, P_SPIN_LOCK, 0));
}

void poll(global uint *state, int lock)
{
	p_context p;
	p.state = state;
	p.launched = p_native_groups_();
	p_poll_(&p, lock, 0);
}

kernel void poll_ticket(global uint *state, global uint *taken) { poll(state, P_TICKET_LOCK); }
kernel void poll_spin(global uint *state, global uint *taken) { poll(state, P_SPIN_LOCK); }

#define BARRIER(kind)                                                \\
	kernel void met_##kind(global uint *state, global uint *taken)     \\
	{                                                                  \\
		p_context p;                                                     \\
		if (!p_discover(&p, state))                                      \\
			return;                                                        \\
		take(&p, taken, true);                                           \\
		p_barrier_##kind(&p);                                            \\
		meet(&p, taken);                                                 \\
	}                                                                  \\
	kernel void assumed_##kind(global uint *state, global uint *taken) \\
	{                                                                  \\
		p_context p;                                                     \\
		p_assume(&p, state);                                             \\
		take(&p, taken, true);                                           \\
		p_barrier_##kind(&p);                                            \\
		meet(&p, taken);                                                 \\
	}
BARRIER(xf)
BARRIER(central)
BARRIER(tree)
BARRIER(grid)
BARRIER(dissemination)
"""


def verdict_of(path, kernel, model, groups, limit):
    """What --schedules finds: the JSON report's progress."""
    buffers = [f"--arg=buf:state:u32:{96 + 36 * groups}:zero", "--arg=buf:taken:u32:1:zero"]
    command = [LOCKSTEP, "kernel", path, "--kernel", kernel, "--grid", str(groups), *buffers]
    command += ["--mode", "functional", "--dispatch", model, "--schedules", str(limit), "--report", "json"]
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if run.returncode not in (0, 3, 4):  # 3: hangs, 4: faults
        sys.exit(f"{kernel}, {model}: exit status {run.returncode}\n{run.stderr}")
    return json.loads(run.stdout)["launches"][0]["progress"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--groups", type=int, default=2)
    parser.add_argument("--limit", type=int, default=100000, help="schedules for each verdict, at most")
    parser.add_argument("--poll", action="store_true", help="the poll of discovery alone")
    parser.add_argument("--table", action="store_true", help="print the table of the page")
    arguments = parser.parse_args()
    wrong, rows = [], []
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "progress.cl")
        shutil.copy(os.path.join(ROOT, "device", "lockstep_barrier.h"), folder)
        with open(path, "w", encoding="utf-8") as file:
            file.write(SOURCE)
        for name, (kernel, enough) in (POLLS if arguments.poll else KERNELS).items():
            cells = []
            for model in MODELS:
                seen = verdict_of(path, kernel, model, arguments.groups, arguments.limit)
                wanted = "always finishes" if model in enough else "may hang"
                if seen["verdict"] != wanted:
                    wrong.append(f"{name}, {model}: {seen['verdict']}, expected {wanted}")
                cells.append(f"{seen['states']:,}" if seen["verdict"] == "always finishes" else seen.get("schedule") or seen["verdict"])
            rows.append([name, *cells])
    if arguments.table:
        print("| |", " | ".join(MODELS), "|\n|" + "---|" * (len(MODELS) + 1))
        for row in rows:
            print("|", " | ".join(row), "|")
    print("\n".join(wrong) or f"{len(rows) * len(MODELS)} verdicts as expected")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
