/* Growing arrays: capacity doubles, the old array stays in the arena. */
#include "util/vector.h"

#include <assert.h>

enum { FIRST_CAPACITY = 8 };

void vector_grow_(struct arena *arena, void **at, uint32_t *capacity, size_t element)
{
	uint32_t larger = *capacity ? *capacity * 2 : FIRST_CAPACITY;
	assert(*capacity <= UINT32_MAX / 2);
	*at = arena_grow(arena, *at, *capacity * element, larger * element);
	*capacity = larger;
}
