#!/usr/bin/env python3
"""The channels of lockstep_channels.h wait for no thread: all schedules of small launches, with lockstep kernel --schedules.

    LOCKSTEP=build/release/lockstep tests/channel_progress.py [--limit N] [--table]

Under `unfair` no work-group is guaranteed anything, so a kernel always finishes exactly if no group can repeat a step for ever, whatever the
others do: its operations are lock-free (paper 5, section 3.2: "lock-free, non-blocking").  In each schedule the kernels trap if an element
is lost, comes out twice, or stays behind one that was enqueued before.  Two changes of the header must be told: a tail of the control array that is moved on
in the order of reservation, as by producers that wait for each other; and one that no thread moves on for others.  --table: as in
docs/channels-proof.md."""
import argparse
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
LOCKSTEP = os.environ.get("LOCKSTEP", os.path.join(ROOT, "build", "release", "lockstep"))
FINISHES, HANGS, FAULTS = "always finishes", "may hang", "faults"
SOURCE = """
#define %s
#include "channels.h"

void must(bool holds)
{
	if (!holds)
		__builtin_trap();
}

uint put(const ch_channel *c)
{
	uint first = ch_talloc(c, 1);
	if (first == CH_NONE)
		return 0;
	*(global uint *)ch_at(c, first) = get_group_id(0) + 1;
	ch_enq(c, first, 1);
	return 1;
}

uint get(const ch_channel *c)
{
	uint offset, element, value;
	if (!ch_claim(c, &offset))
		return 0;
	element = ch_deq(c, offset);
	value = *(global uint *)ch_at(c, element);
	must(value >= 1 && value <= get_num_groups(0));
	ch_tfree(c, element);
	return value;
}

/* One in, one out, in a channel of two. */
kernel void through(global uint *memory, global uint *seen)
{
	ch_channel c = ch_open(memory, 2, 1, 4, 1);
	uint value;
	put(&c);
	value = get(&c);
	must(value == 0 || (atomic_or(seen, 1u << value) >> value & 1) == 0);
}

/* One in each: when all have returned all are ready. */
kernel void enqueue(global uint *memory, global uint *seen)
{
	ch_channel c = ch_open(memory, 4, 1, 4, 1);
	put(&c);
	if (atomic_inc(seen) == get_num_groups(0) - 1)
		must(ch_ready(&c) == get_num_groups(0));
}

/* A channel of one: an element comes into the place of another.  What went in and did not come out is ready in the end. */
kernel void again(global uint *memory, global uint *seen)
{
	ch_channel c = ch_open(memory, 1, 1, 4, 1);
	uint left = put(&c), last;
	left -= get(&c) != 0;
	if (get_group_id(0) == 0)
		left += put(&c);
	last = atomic_add(seen, 0x10000 + left);
	if (last >> 16 == get_num_groups(0) - 1)
		must(ch_ready(&c) == (last + left & 0xffff));
}

/* Group 0 has reserved, and enqueues when the element that group 1 has reserved behind it is out (times t1 to t8 of Figure 4). */
kernel void overtake(global uint *memory, global uint *seen)
{
	ch_channel c = ch_open(memory, 2, 1, 4, 1);
	volatile global uint *step = seen;
	if (get_group_id(0) == 0) {
		uint first = ch_talloc(&c, 1);
		*(global uint *)ch_at(&c, first) = 1;
		*step = 1;
		while (*step != 2)
			;
		ch_enq(&c, first, 1);
		must(ch_ready(&c) == 1);
	} else {
		while (*step != 1)
			;
		put(&c);
		must(get(&c) == 2);
		*step = 2;
	}
}
"""
# A producer that waits for those that have reserved before it; and one that leaves when it is not the first.
PUBLISH = "	} while (!CH_MOVE_(lanes, seen == old, lead) || to != reserved);\n"
CHANGES = {
    "none": lambda text: text,
    "waits": lambda text: replaced(text, "		if (to == tail)\n			return;", "		if (to == tail)\n			continue;").replace(
        PUBLISH, "	} while ((int)((ch_uint_)ch_touch_long_(CH_TAILS_(c)) - end) < 0);\n"),
    "leaves": lambda text: replaced(text, "	if (CH_MOVE_(lanes, seen == old, lead))\n		return;\n", "	return;\n"),
}
# Kernel, groups, change, what unfair and fair must give.
KERNELS = [
    ("through", 2, "none", FINISHES, None),  # what finishes under unfair does under fair
    ("enqueue", 2, "none", FINISHES, None),
    ("again", 2, "none", FINISHES, None),
    ("overtake", 2, "none", HANGS, FINISHES),  # its own flags wait
    ("enqueue", 2, "waits", HANGS, FINISHES),
    ("enqueue", 2, "leaves", FAULTS, None),
]


def replaced(text, old, new):
    """The text with one place changed, which must be there."""
    if text.count(old) != 1:
        sys.exit(f"lockstep_channels.h: expected once: {old!r}")
    return text.replace(old, new)


def verdict_of(folder, kernel, model, groups, limit):
    """What --schedules finds: the JSON report's progress."""
    command = [LOCKSTEP, "kernel", os.path.join(folder, "progress.cl"), "--kernel", kernel, "--grid", str(groups)]
    command += ["--arg=buf:memory:u32:256:zero", "--arg=buf:seen:u32:1:zero", "--mode", "functional", "--dispatch", model]
    run = subprocess.run(command + ["--schedules", str(limit), "--report", "json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if run.returncode not in (0, 3, 4):  # 3: hangs, 4: faults
        sys.exit(f"{kernel}, {model}: exit status {run.returncode}\n{run.stderr}")
    return json.loads(run.stdout)["launches"][0]["progress"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--limit", type=int, default=100000, help="schedules for each verdict, at most")
    parser.add_argument("--table", action="store_true", help="print the table of the page")
    arguments = parser.parse_args()
    wrong, rows, checked = [], [], 0
    with open(os.path.join(ROOT, "device", "lockstep_channels.h"), encoding="utf-8") as file:
        header = file.read()
    for variant in ("LOCKSTEP_CHANNELS_BASELINE", "LOCKSTEP_CHANNELS_PADDED"):
        for name, groups, change, *wanted in KERNELS:
            with tempfile.TemporaryDirectory() as folder:
                for file_name, text in (("channels.h", CHANGES[change](header)), ("progress.cl", SOURCE % variant)):
                    with open(os.path.join(folder, file_name), "w", encoding="utf-8") as file:
                        file.write(text)
                cells = []
                for model, expected in zip(("unfair", "fair"), wanted):
                    if expected is None:
                        cells.append("")
                        continue
                    checked += 1
                    seen = verdict_of(folder, name, model, groups, arguments.limit)
                    if seen["verdict"] != expected:
                        wrong.append(f"{variant}, {name} ({change}), {model}: {seen['verdict']}, expected {expected}")
                    cells.append(f"{seen['verdict']}: {seen['schedule'] or format(seen['states'], ',') + ' states'}")
                rows.append([variant.rsplit("_", 1)[1].lower(), name, groups, change, *cells])
    if arguments.table:
        print("| variant | kernel | groups | change | unfair | fair |\n|" + "---|" * 6)
        for row in rows:
            print("|", " | ".join(str(cell) for cell in row), "|")
    print("\n".join(wrong) or f"{checked} verdicts as expected")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
