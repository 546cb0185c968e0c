/* A hash table from numbers to numbers, in an arena.  A value is never 0: that is a key which is not there.  Where it
 * stands for something, it is a pointer, or a place in an array plus one.
 *
 * Open addressing, at most half full.  Nothing may depend on the order of the slots. */
#ifndef LOCKSTEP_UTIL_LOOKUP_H
#define LOCKSTEP_UTIL_LOOKUP_H

#include "util/arena.h"

struct lookup_slot {
	uint64_t key, value; /* value: 0: the slot is free */
};

/* Zero-initialised: empty. */
struct lookup {
	struct lookup_slot *at;
	uint32_t count, size; /* size: slots, a power of two; 0: none yet */
};

/* The key's slot, or the free one for it; the table has slots. */
static inline struct lookup_slot *lookup_slot_of(const struct lookup *table, uint64_t key)
{
	uint32_t at = (uint32_t)(key * 0x9e3779b97f4a7c15ull >> 32) & (table->size - 1);

	while (table->at[at].value && table->at[at].key != key)
		at = (at + 1) & (table->size - 1);
	return &table->at[at];
}

/* 0: it is not there. */
static inline uint64_t lookup_get(const struct lookup *table, uint64_t key)
{
	return table->count ? lookup_slot_of(table, key)->value : 0;
}

static inline void *lookup_get_pointer(const struct lookup *table, uint64_t key)
{
	return (void *)(uintptr_t)lookup_get(table, key);
}

/* The key's value, good until the next call; 0: it is new, and to be set at once. */
uint64_t *lookup_at(struct arena *arena, struct lookup *table, uint64_t key);
/* The key is there. */
void lookup_remove(struct lookup *table, uint64_t key);
/* Forgets all; the room is kept. */
void lookup_clear(struct lookup *table);

/* A number of which each bit depends on all of the words so far, from 0 on, and the next one. */
static inline uint64_t lookup_mix(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * 0x9e3779b97f4a7c15ull;
	return hash ^ hash >> 32;
}

#endif
