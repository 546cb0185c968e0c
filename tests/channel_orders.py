#!/usr/bin/env python3
"""Each order of the channels of lockstep_channels.h is needed, and the race check says so.

    LOCKSTEP=build/release/lockstep tests/channel_orders.py [--table]

Threads of several groups put elements in and take them off a narrow channel, so that places are used again and producers move the tail on for
each other.  As the header is, no race may be reported, in any variant, by any model of a GPU and by the functional mode, nor in any schedule of
three single threads.  Then one line at a time loses something: an acquire or a release becomes relaxed, or the lanes of a warp do not meet before or
behind their leader.  Each time a race must be reported, in a run on a GPU with independent threads or in one of the schedules.  Not among them is
the meeting within ch_publish_: neither shows that it is needed.  --table: as in docs/channels-proof.md."""
import argparse
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
LOCKSTEP = os.path.abspath(os.environ.get("LOCKSTEP", os.path.join(ROOT, "build", "release", "lockstep")))
GROUPS, THREADS, TIMES = 3, 64, 6
GPUS = ["gtx480", "gtx980", "v100", "radeon-r9", "apu-2014", "iris-6100", "mali-t628-4", "cpu-4"]
KERNEL = """
%s
#include "channels.h"
kernel void orders(global uchar *memory, global uint *seen)
{
	ch_channel c = ch_open(memory, 64, 8, 4, 2);
	const uint me = get_global_id(0);
	uint made = 0, found = 1;
	while (made < %d || found) {
		uint offset;
		if (made < %d) {
			uint first = ch_talloc(&c, 2);
			if (first != CH_NONE) {
				*(global uint *)ch_at(&c, first) = me;
				*(global uint *)ch_at(&c, first + 1) = me;
				ch_enq(&c, first, 2);
				made += 2;
			}
		}
		found = ch_claim(&c, &offset);
		if (found) {
			uint element = ch_deq(&c, offset);
			atomic_inc(&seen[*(global uint *)ch_at(&c, element)]);
			ch_tfree(&c, element);
		}
	}
}
"""
# Two groups of one thread put an element in, a third one takes what it finds: all schedules.
SCHEDULES = """
#define LOCKSTEP_CHANNELS_BASELINE
#include "channels.h"
kernel void orders(global uchar *memory, global uint *seen)
{
	ch_channel c = ch_open(memory, 2, 1, 4, 1);
	if (get_group_id(0) < 2) {
		uint first = ch_talloc(&c, 1);
		*(global uint *)ch_at(&c, first) = get_group_id(0);
		ch_enq(&c, first, 1);
	} else {
		for (uint k = 0; k < 2; k++) {
			uint offset;
			if (ch_claim(&c, &offset))
				atomic_inc(&seen[*(global uint *)ch_at(&c, ch_deq(&c, offset))]);
		}
	}
}
"""
# The functions beside those of the header, with less.
WEAKER = """
CH_FUNCTION_ void ch_store_relaxed_(CH_GLOBAL_ ch_uint_ *word, ch_uint_ value)
{
	atomic_store_explicit(CH_ATOMIC_(word), value, memory_order_relaxed, memory_scope_device);
}
CH_FUNCTION_ void ch_add_relaxed_(CH_GLOBAL_ ch_uint_ *word, ch_uint_ more)
{
	atomic_fetch_add_explicit(CH_ATOMIC_(word), more, memory_order_relaxed, memory_scope_device);
}
CH_FUNCTION_ ch_ulong_ ch_load_long_relaxed_(CH_GLOBAL_ ch_ulong_ *word)
{
	return atomic_load_explicit(CH_ATOMIC_LONG_(word), memory_order_relaxed, memory_scope_device);
}
"""
# Function of the header, what it has, what it gets, in words.
CHANGES = [
    ("ch_reclaim", "ch_load_acquire_", "ch_load_relaxed_", "a done count: no acquire"),
    ("ch_reclaim", "ch_swap_acq_rel_", "ch_swap_relaxed_", "the head: no release"),
    ("ch_talloc_alike_", "ch_load_acquire_", "ch_load_relaxed_", "the head: no acquire"),
    ("ch_talloc_alike_", "CH_MEET_(lanes);", ";", "lanes do not meet after the leader"),
    ("ch_enq_alike_", "ch_store_release_", "ch_store_relaxed_", "a slot: no release"),
    ("ch_enq_alike_", "CH_MEET_(lanes);", ";", "lanes do not meet before the leader"),
    ("ch_filled_to_", "ch_load_acquire_", "ch_load_relaxed_", "a slot of another thread: no acquire"),
    ("ch_publish_", "ch_swap_long_(CH_TAILS_(c), old, ch_tails_(end, end))", "ch_swap_long_relaxed_(CH_TAILS_(c), old, ch_tails_(end, end))", "the tail, moved over own elements: no release"),
    ("ch_publish_", "ch_swap_long_(CH_TAILS_(c), old, ch_tails_(reserved, to))", "ch_swap_long_relaxed_(CH_TAILS_(c), old, ch_tails_(reserved, to))", "the tail, moved over those of others: no release"),
    ("ch_dispatch", "ch_load_long_", "ch_load_long_relaxed_", "the tail: no acquire"),
    ("ch_claim", "CH_MEET_(alike);", ";", "lanes do not meet after the leader"),
    ("ch_tfree", "CH_MEET_(alike);", ";", "lanes do not meet before the leader"),
    ("ch_tfree", "ch_add_release_", "ch_add_relaxed_", "a done count: no release"),
]


def weakened(header, function, old, new):
    """The header with one operation of a function changed."""
    start = re.search(r"^CH_FUNCTION_ [\w ]+\b%s\(const ch_channel" % function, header, re.M).start()
    end = header.index("\n}\n", start)
    if header.count(old, start, end) != 1:
        sys.exit(f"lockstep_channels.h: {function}: expected once: {old}")
    at = header.index("/* ---- Producers ---- */")
    return header[:at] + WEAKER + header[at:start] + header[start:end].replace(old, new) + header[end:]


def finds_race(header, kernel, *options):
    """Whether the check reports a race."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (("channels.h", header), ("orders.cl", kernel)):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(text)
        buffers = [f"--arg=buf:{name}:u32:{count}:zero" for name, count in (("memory", 4096), ("seen", GROUPS * THREADS))]
        command = [LOCKSTEP, "kernel", "orders.cl", *buffers, "--check", "races=volatile", *options]
        run = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if run.returncode != 0:
            sys.exit(f"{' '.join(options)}: exit status {run.returncode}\n{run.stdout}")
        return "\nrace (" in run.stdout


def races_in_run(header, variant, *options):
    """In one launch of many threads."""
    return finds_race(header, KERNEL % (variant, TIMES, TIMES), "--grid", str(GROUPS), "--block", str(THREADS), *options)


def races_in_schedules(header):
    """In all schedules of few."""
    return finds_race(header, SCHEDULES, "--grid", "3", "--mode", "functional", "--dispatch", "unfair", "--schedules", "100000")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--table", action="store_true", help="print the table of the page")
    arguments = parser.parse_args()
    wrong, rows = [], []
    with open(os.path.join(ROOT, "device", "lockstep_channels.h"), encoding="utf-8") as file:
        header = file.read()
    for variant in ("", "#define LOCKSTEP_CHANNELS_BASELINE", "#define LOCKSTEP_CHANNELS_PADDED"):
        for options in [["--mode", "functional"]] + [["--gpu", gpu] for gpu in (GPUS if not variant else ["v100"])]:
            if races_in_run(header, variant, *options):
                wrong.append(f"{variant} {' '.join(options)}: a race is reported")
    if races_in_schedules(header):
        wrong.append("all schedules: a race is reported")
    for function, old, new, words in CHANGES:
        text = weakened(header, function, old, new)
        found = "in a run" if races_in_run(text, "", "--gpu", "v100") else "in all schedules" if races_in_schedules(text) else "no"
        if found == "no":
            wrong.append(f"{function}, {words}: no race is reported")
        rows.append((function.removesuffix("_alike_").removesuffix("_"), words, found))
    if arguments.table:
        print("| function | change | race |\n|---|---|---|")
        for row in rows:
            print("| %s | %s | %s |" % row)
    print("\n".join(wrong) or f"{len(rows)} changes, each reported as a race")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
