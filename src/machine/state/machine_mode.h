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
	/* Whether a machine that is made for this launch runs so; asked in the order of the rows. */
	bool (*is_for)(const struct launch *first);
	/* Runs until at least one launch has finished: it is out of the list and its result is complete.  Null: the
	 * GPU is stuck. */
	struct launch *(*run)(struct machine *machine);
};

#endif
