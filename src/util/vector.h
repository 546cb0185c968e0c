/* Growing arrays in an arena.
 *
 *     VECTOR(struct insn) code = {0};
 *     struct insn *i = vector_push(&arena, &code);   zeroed; the pointer is good until the next push
 *     for (uint32_t k = 0; k < code.count; k++) use(&code.at[k]);
 */
#ifndef LOCKSTEP_UTIL_VECTOR_H
#define LOCKSTEP_UTIL_VECTOR_H

#include "util/arena.h"

#include <string.h>

#define VECTOR(type)                                                                                                   \
	struct {                                                                                                       \
		type *at;                                                                                              \
		uint32_t count, capacity;                                                                              \
	}

#define vector_push(arena, v)                                                                                          \
	(vector_make_room_((arena), (void **)&(v)->at, &(v)->capacity, (v)->count, sizeof(*(v)->at)),                  \
		&(v)->at[(v)->count++])

/* Twice the capacity, or the first. */
void vector_grow_(struct arena *arena, void **at, uint32_t *capacity, size_t element);

/* Makes room for one more element behind `count`, and zeroes it: the owner may have shortened the vector, so the place
 * can hold an old one. */
static inline void vector_make_room_(struct arena *arena, void **at, uint32_t *capacity, uint32_t count, size_t element)
{
	if (count == *capacity)
		vector_grow_(arena, at, capacity, element);
	memset((char *)*at + count * element, 0, element);
}

#endif
