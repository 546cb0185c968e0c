/* The states that warps have come back to: a set of hashes.  See returns.h. */
#include "machine/observe/returns.h"

#include <assert.h>
#include <string.h>

/* The last step of splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014). */
static uint64_t mixed(uint64_t z)
{
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

static uint64_t hash_of(uint32_t warp, const uint8_t *state, size_t bytes)
{
	uint64_t hash = mixed((uint64_t)warp << 32 ^ bytes), word;

	for (; bytes >= sizeof word; bytes -= sizeof word, state += sizeof word) {
		memcpy(&word, state, sizeof word);
		hash = mixed(hash + 0x9e3779b97f4a7c15ull) ^ word;
	}
	word = 0;
	if (bytes)
		memcpy(&word, state, bytes);
	return mixed(mixed(hash + 0x9e3779b97f4a7c15ull) ^ word);
}

bool returns_add(struct arena *arena, struct lookup *returns, uint32_t warp, const uint8_t *state, size_t bytes)
{
	uint64_t *place = lookup_at(arena, returns, hash_of(warp, state, bytes));
	bool is_new = !*place;

	assert(bytes && *place <= 1);
	*place = 1;
	return is_new;
}
