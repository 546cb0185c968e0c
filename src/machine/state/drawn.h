/* What the seed draws of functional mode's turns (machine/gpu/drawn.h). */
#ifndef LOCKSTEP_MACHINE_STATE_DRAWN_H
#define LOCKSTEP_MACHINE_STATE_DRAWN_H

#include <stdbool.h>
#include <stdint.h>

struct drawn {
	uint64_t random;
	bool on;            /* lengths of turns and the choice of warps are drawn; else only the choice */
	uint64_t spell;     /* a number of this spell's own */
	uint32_t left;      /* of the spell, in rounds */
	uint32_t longest;   /* instructions of a turn */
	uint8_t orders_cut; /* a turn ends before 1 of 1 << this of the instructions that order threads ... */
	uint8_t memory_cut; /* ... and of the other accesses to memory that threads share; see DRAWN_NEVER */
	uint8_t favours;    /* a core's warps that run before all others: 1 of 1 << this; 0: there are no such */
	uint8_t pauses;     /* likewise the cores that take turns before all others */
	bool one_by_one;    /* the first of the cores that can takes all turns; `pauses` does not count */
};

#endif
