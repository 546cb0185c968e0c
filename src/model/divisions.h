/* The memory of a core that its L1 and its shared memory divide among them: l1.divisions.
 *
 * From Volta on the two are one memory, of which shared memory has one of a few sizes and the L1 the rest (CUDA C++
 * Programming Guide, sections of compute capability 7.x, 8.x and 9.0).  The driver takes the least that holds as many
 * work-groups as fit on the core (measured on an H200: docs/silicon.md). */
#ifndef LOCKSTEP_MODEL_DIVISIONS_H
#define LOCKSTEP_MODEL_DIVISIONS_H

#include "model/model.h"

#include <stdbool.h>

#define MOST_DIVISIONS 16

struct divisions {
	uint32_t count; /* 0: the L1 has all its ways, always */
	uint32_t ways[MOST_DIVISIONS];
	uint32_t shared[MOST_DIVISIONS]; /* bytes, ascending */
};

/* Reads the model's text; false when it is no list of ascending sizes, or a size is not a whole number of the L1's ways
 * or leaves none. */
bool divisions_read(const struct gpu_model *model, struct divisions *divisions);

/* The ways of the L1 of a core with so many bytes of shared memory in use; `all` is what it has where nothing is
 * divided. More than the largest division counts as that. */
uint32_t divisions_ways(const struct divisions *divisions, uint64_t shared, uint32_t all);

#endif
