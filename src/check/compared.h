/* What a loop compares with the value that it loads, and whether a branch depends on that value. */
#ifndef LOCKSTEP_CHECK_COMPARED_H
#define LOCKSTEP_CHECK_COMPARED_H

#include "check/thread.h"

#define COMPARED_VALUES 4

struct compared {
	uint64_t values[COMPARED_VALUES]; /* distinct, as the lane's registers are now */
	uint32_t count;
	bool decides;  /* a branch within the range depends on what is loaded */
	bool is_chase; /* the address of the next load is computed from what is loaded: a walk along pointers */
};

/* Of the value that the load or atomic at `pc` returns. */
struct compared compared_with(const struct thread *t, uint32_t pc, struct code_range range);

#endif
