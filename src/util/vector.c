/* Growing arrays: capacity doubles, the old array stays in the arena. */
#include "util/vector.h"

#include <assert.h>
#include <string.h>

enum { FIRST_CAPACITY = 8 };

void vector_reserve_(struct arena *arena, void **at, uint32_t *capacity, uint32_t count, size_t element)
{
	if (count == *capacity) {
		assert(count <= UINT32_MAX / 2);
		uint32_t larger = count ? count * 2 : FIRST_CAPACITY;
		void *grown = arena_array(arena, larger, element);
		if (count)
			memcpy(grown, *at, count * element);
		*at = grown;
		*capacity = larger;
	}
	/* The owner may have shortened the vector, so the place can hold an old element. */
	memset((char *)*at + count * element, 0, element);
}
