/* In which order what the cores have put off in a quantum is carried out: by cycle, of one cycle by core, and of one
 * core as it was put off. */
#ifndef LOCKSTEP_MACHINE_RUNTIME_TURN_H
#define LOCKSTEP_MACHINE_RUNTIME_TURN_H

#include <stdint.h>

/* The first member of what is put into this order. */
struct turn {
	uint64_t cycle;
	uint32_t core, index; /* index: among those of the core */
};

/* For qsort. */
static inline int turn_order(const void *a, const void *b)
{
	const struct turn *x = a, *y = b;

	if (x->cycle != y->cycle)
		return x->cycle < y->cycle ? -1 : 1;
	if (x->core != y->core)
		return x->core < y->core ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

#endif
