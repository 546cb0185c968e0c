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
int turn_order(const void *a, const void *b);

#endif
