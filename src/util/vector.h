/* Growing arrays in an arena.
 *
 *     VECTOR(struct insn) code = {0};
 *     struct insn *i = vector_push(&arena, &code);   zeroed; the pointer is good until the next push
 *     for (uint32_t k = 0; k < code.count; k++) use(&code.at[k]);
 */
#ifndef LOCKSTEP_UTIL_VECTOR_H
#define LOCKSTEP_UTIL_VECTOR_H

#include "util/arena.h"

#include <stdint.h>

#define VECTOR(type)                                                                                                   \
	struct {                                                                                                       \
		type *at;                                                                                              \
		uint32_t count, capacity;                                                                              \
	}

#define vector_push(arena, v)                                                                                          \
	(vector_reserve_((arena), (void **)&(v)->at, &(v)->capacity, (v)->count, sizeof(*(v)->at)),                    \
		&(v)->at[(v)->count++])

/* Makes room for one more element behind `count`; new elements are zeroed. */
void vector_reserve_(struct arena *arena, void **at, uint32_t *capacity, uint32_t count, size_t element);

#endif
