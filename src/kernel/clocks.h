/* What the clock decides in a kernel: which loops end because time goes on, and which registers only hold the time.
 *
 * A loop ends by the clock if one of its exits compares a clock that it reads, or the difference of that and something
 * that stays the same in the loop, with something that stays the same: once true it stays true, and it becomes true.
 * What else the loop does (it may poll a word, too) does not matter.
 *
 * A register holds the time if all that is ever written to it is computed from clocks and from what has nothing to do
 * with them.  A sum of times is none: it counts. */
#ifndef LOCKSTEP_KERNEL_CLOCKS_H
#define LOCKSTEP_KERNEL_CLOCKS_H

#include "kernel/insn.h"

/* Of an instruction: bits. */
enum clock_mark {
	CLOCK_TEST = 1 << 0,  /* an exit of a loop that is taken when the time has come */
	CLOCK_WRAPS = 1 << 1, /* likewise, by 32 bits of a clock: these begin anew */
	CLOCK_LOOP = 1 << 2,  /* a branch within a loop that has a CLOCK_TEST or CLOCK_WRAPS */
	/* from the end of another loop to its header: an exit of it depends on what it counts or moves on */
	CLOCK_COUNTED = 1 << 3,
};

/* Registers that hold the time where a branch goes back, in the frame of the entry; or that held it and hold nothing
 * now. */
struct clock_values {
	slot_ref *slot; /* of 32 bits each; of a wide register one per slot */
	uint16_t *predicate;
	uint32_t slot_count, predicate_count;
};

struct kernel_clocks {
	uint8_t *marks;              /* per pc of the entry: enum clock_mark */
	struct clock_values **times; /* per pc of the entry: of a backward branch, else null */
	/* An exit of a loop, or what a loop does that others may notice, depends on a clock in another way than by a
	 * test. */
	bool decides;
	/* Times go where they are not followed: to memory in a loop, or through a function that reads a clock. */
	bool escape;
};

struct decoder;
/* Null: the kernel reads no clock.  When all functions are decoded. */
struct kernel_clocks *clocks_find(struct decoder *d);

#endif
