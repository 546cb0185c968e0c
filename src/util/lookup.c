/* Tables from numbers to numbers: how they grow, and what is removed from them. */
#include "util/lookup.h"

#include <assert.h>
#include <string.h>

enum { FIRST_SIZE = 16 };

static void grow(struct arena *arena, struct lookup *table)
{
	struct lookup old = *table;

	assert(old.size <= UINT32_MAX / 2);
	table->size = old.size ? old.size * 2 : FIRST_SIZE;
	table->at = arena_new_array(arena, struct lookup_slot, table->size);
	for (uint32_t k = 0; k < old.size; k++)
		if (old.at[k].value)
			*lookup_slot_of(table, old.at[k].key) = old.at[k];
}

uint64_t *lookup_at(struct arena *arena, struct lookup *table, uint64_t key)
{
	struct lookup_slot *slot;

	if (table->count * 2 >= table->size)
		grow(arena, table);
	slot = lookup_slot_of(table, key);
	table->count += !slot->value;
	slot->key = key;
	return &slot->value;
}

/* Entries that were put after the slot because it was taken move back. */
void lookup_remove(struct lookup *table, uint64_t key)
{
	struct lookup_slot *slot = lookup_slot_of(table, key);
	uint32_t mask = table->size - 1;

	assert(slot->value);
	slot->value = 0;
	table->count--;
	for (uint32_t at = (uint32_t)(slot - table->at + 1) & mask; table->at[at].value; at = (at + 1) & mask) {
		struct lookup_slot moved = table->at[at];

		table->at[at].value = 0;
		*lookup_slot_of(table, moved.key) = moved;
	}
}

void lookup_clear(struct lookup *table)
{
	if (table->count)
		memset(table->at, 0, table->size * sizeof *table->at);
	table->count = 0;
}
