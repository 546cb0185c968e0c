/* Loads that an L1 answered with bytes that are no longer in memory.
 *
 * A *stale hit* is a hit in an L1 that gave a lane a byte which memory no longer held.  It is counted by lines, as hits
 * are (l1tex__stale_hits.sum), and judged against memory as it is when the hit's quantum is over.  A hit is judged if
 * its line was written in an earlier quantum, and not before the L1 asked for its bytes.  It is not judged while a
 * store of the core itself is on its way whose bytes the line has taken, since then memory is old.  All of this is the
 * same for any number of threads.
 *
 * The latest of them are remembered, to explain their consequences. */
#ifndef LOCKSTEP_MACHINE_LSU_STALE_H
#define LOCKSTEP_MACHINE_LSU_STALE_H

#include "machine/state/core.h"

/* A core remembers this many combinations of launch, instruction, work-group and line, the first ones that it meets. */
#define STALE_READS 32
#define STALE_NO_LANE 0xff
#define STALE_NO_PC UINT32_MAX

/* When a line was written that a core has an old copy of, and what wrote it. */
struct stale_write {
	uint64_t cycle; /* in which the quantum began */
	bool once;
	/* The writer, when it was one instruction of one work-group, in one quantum. */
	bool is_known;
	uint64_t launch; /* its ordinal */
	uint32_t core, group;
	uint32_t pc; /* STALE_NO_PC: not known */
};

/* The stale hits of one instruction, work-group and line; where nothing else is said, the latest of them. */
struct stale_read {
	uint64_t launch;          /* its ordinal */
	uint32_t core, group, pc; /* group: flat */
	uint32_t thread;          /* of the group, flat: the lowest lane that got old bytes */
	uint64_t address;         /* what it read: the first element with an old byte, */
	uint32_t bytes;           /* its size */
	uint64_t cycle;           /* of the read */
	uint64_t first_cycle;     /* of the first */
	uint64_t times;           /* how many there were */
	/* The L1's bytes are from cycle `fetched` or later.  The line was written since then, last in the quantum that
	 * began at write.cycle; if not write.once, also in quanta before, and it is not known which of these wrote
	 * what is read. */
	uint64_t fetched;
	struct stale_write write;
	uint64_t line;
	uint32_t first_thread;      /* of the warp */
	uint8_t reader[LINE_BYTES]; /* of each byte that was old: the lowest lane that read it; of the others
				       STALE_NO_LANE */
};

/* The unit has a hit on a line that was written since: writes it down, to be judged. */
void stale_suspect(
	struct core *core, const struct operation *op, const struct transaction *t, const struct l1_line *hit);

/* Goes through all that are remembered: returns the one after `previous`, or the first if that is null; null: there are
 * no more.  Valid until the machine runs again. */
const struct stale_read *stale_next(const struct machine *machine, const struct stale_read *previous);

#endif
