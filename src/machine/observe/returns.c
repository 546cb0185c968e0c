/* The states that warps have come back to: a set of hashes.  See returns.h. */
#include "machine/observe/returns.h"

#include <string.h>

#define FIRST_SIZE 256u

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
	hash = mixed(mixed(hash + 0x9e3779b97f4a7c15ull) ^ word);
	return hash ? hash : 1;
}

/* The slot that has `hash`, or the free one for it. */
static uint64_t *place_of(const struct returns *returns, uint64_t hash)
{
	uint32_t at = (uint32_t)hash & (returns->size - 1);

	while (returns->slot[at] && returns->slot[at] != hash)
		at = (at + 1) & (returns->size - 1);
	return &returns->slot[at];
}

static void grow(struct arena *arena, struct returns *returns)
{
	struct returns old = *returns;

	returns->size = old.size ? old.size * 2 : FIRST_SIZE;
	returns->slot = arena_new_array(arena, uint64_t, returns->size);
	for (uint32_t k = 0; k < old.size; k++)
		if (old.slot[k])
			*place_of(returns, old.slot[k]) = old.slot[k];
}

bool returns_add(struct arena *arena, struct returns *returns, uint32_t warp, const uint8_t *state, size_t bytes)
{
	uint64_t hash = hash_of(warp, state, bytes), *place;

	if (returns->count >= returns->size / 2)
		grow(arena, returns);
	place = place_of(returns, hash);
	if (*place)
		return false;
	*place = hash;
	returns->count++;
	return true;
}

void returns_clear(struct returns *returns)
{
	if (returns->count)
		memset(returns->slot, 0, returns->size * sizeof *returns->slot);
	returns->count = 0;
}
