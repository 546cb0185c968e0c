/* Fills of memory by the host: by large copies, and zeros at no cost where nothing was ever written. */
#include "memory/address_space.h"

#include <assert.h>
#include <string.h>

enum {
	BLOCK = 4096
}; /* bytes of copies of the pattern that are made first, so that the rest is written by large copies */

static bool is_zero(const uint8_t *pattern, size_t bytes)
{
	for (size_t k = 0; k < bytes; k++)
		if (pattern[k])
			return false;
	return true;
}

/* Whether the pages belong to the space: none of them is shared with the application. */
static bool is_own(const struct address_space *space, const uint8_t *to, size_t bytes)
{
	uint64_t offset = (uint64_t)((uintptr_t)to - (uintptr_t)space->bytes);
	const struct allocation *a = space_find(space, GLOBAL_BASE + offset, bytes); /* elsewhere none is */
	return a && !a->shared;
}

void space_fill(const struct address_space *space, void *to, size_t bytes, const void *pattern, size_t pattern_bytes)
{
	assert(pattern_bytes);
	assert(pattern_bytes <= BLOCK);
	uint8_t block[BLOCK], *at = to;
	size_t filled = 0;
	if (is_zero(pattern, pattern_bytes)) {
		if (is_own(space, at, bytes))
			arena_clear(at, bytes);
		else
			memset(at, 0, bytes);
		return;
	}
	for (; filled + pattern_bytes <= BLOCK && filled < bytes; filled += pattern_bytes)
		memcpy(block + filled, pattern, pattern_bytes);
	for (size_t k = 0; k < bytes; k += filled)
		memcpy(at + k, block, bytes - k < filled ? bytes - k : filled);
}
