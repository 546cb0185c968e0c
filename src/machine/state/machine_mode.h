/* The ways in which a machine runs: rows of modes.def. */
#ifndef LOCKSTEP_MACHINE_STATE_MACHINE_MODE_H
#define LOCKSTEP_MACHINE_STATE_MACHINE_MODE_H

#include <stdbool.h>
#include <stdint.h>

struct launch;
struct machine;

struct machine_mode {
	const char *clock_unit; /* "cycle", "turn" */
	/* In these, since the machine began: cycles up to the end of a quantum, rounds of turns. */
	uint64_t (*clock)(const struct machine *machine);
	uint32_t clock_cycles; /* that one of them counts as, where a limit is in cycles */
	/* Cores have turns one after another, by number, each with a clock of its own; else all have one clock. */
	bool takes_turns;
	/* Memory answers within the instruction, without L1s, crossbar and partitions; else later. */
	bool at_once;
	/* What may wait for a time, a try_wait, is answered at once. */
	bool never_waits;
	/* Asynchronous copies end when copy_end says so, not when they are issued. */
	bool copies_end_later;
	/* What was issued is counted by blocks of code (launch->runs), else by instruction. */
	bool counts_blocks;
	/* What limits are in, cycles or warp instructions: of a launch since it began, or of all (null) since the
	 * machine was made. */
	uint64_t (*elapsed)(const struct machine *machine, const struct launch *launch);
	/* Before a launch comes onto the machine; null: nothing. */
	void (*join)(struct machine *machine, const struct launch *launch);
	/* Makes the result's counters, when it has ended: machine_count() and what else the mode counts. */
	void (*count)(struct launch *launch);
	/* Whether a machine that is made for this launch runs so; asked in the order of the rows.  Null: any does. */
	bool (*is_for)(const struct launch *first);
	/* Runs until at least one launch has finished: it is out of the list and its result is complete.  Null: the
	 * GPU is stuck. */
	struct launch *(*run)(struct machine *machine);
};

#endif
