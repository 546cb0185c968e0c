/* Growing arrays: capacity doubles, the old array stays in the arena. */
#include "util/vector.h"

#include <assert.h>
#include <string.h>

enum { FIRST_CAPACITY = 8 };

void vector_grow_(struct arena *arena, void **at, uint32_t *capacity, size_t element)
{
	uint32_t count = *capacity, larger = count ? count * 2 : FIRST_CAPACITY;
	assert(count <= UINT32_MAX / 2);
	void *grown = arena_array(arena, larger, element);
	if (count)
		memcpy(grown, *at, count * element);
	*at = grown;
	*capacity = larger;
}
