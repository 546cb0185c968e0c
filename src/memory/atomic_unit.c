/* The rate of atomics on one slice. */
#include "memory/atomic_unit.h"

#include <string.h>

#define PROBES 16

/* The entry of `word`, created if there is none.  In the rare case that busy words occupy all entries that it could
 * have, it shares the one that is free first, and waits for that. */
static struct atomic_word *word_entry(struct atomic_unit *unit, uint64_t word, uint64_t now)
{
	uint32_t at = (uint32_t)(word * 0x9e3779b97f4a7c15ull >> 56);
	struct atomic_word *place = NULL, *first_free = NULL;
	for (uint32_t k = 0; k < PROBES; k++) {
		struct atomic_word *w = &unit->words[(at + k) % ATOMIC_WORDS];
		if (w->word == word)
			return w;
		if (!place && w->free_at <= now)
			place = w;
		if (!first_free || w->free_at < first_free->free_at)
			first_free = w;
	}
	if (!place)
		place = first_free;
	place->word = word;
	return place;
}

/* The cycle of the next free slot in the pipeline. */
static uint64_t next_slot(struct atomic_unit *unit, uint64_t start)
{
	if (unit->cycle < start) {
		unit->cycle = start;
		unit->used = 0;
	} else if (unit->used == unit->rate) {
		unit->cycle++;
		unit->used = 0;
	}
	unit->used++;
	return unit->cycle;
}

uint64_t atomic_unit_serve(struct atomic_unit *unit, const struct atomic_entry *entries, uint32_t count, uint64_t start)
{
	uint64_t done = start;
	for (uint32_t k = 0; k < count; k++) {
		uint64_t slot = next_slot(unit, start);
		struct atomic_word *w = word_entry(unit, entries[k].address >> 2, slot);
		uint64_t begin = slot;
		if (w->free_at > slot) {
			begin = w->free_at;
			unit->conflicts++;
			unit->conflict_cycles += begin - slot;
		}
		w->free_at = begin + unit->interval;
		if (w->free_at > done)
			done = w->free_at;
	}
	unit->operations += count;
	return done;
}

void atomic_unit_restart(struct atomic_unit *unit)
{
	unit->cycle = unit->used = 0;
	unit->operations = unit->conflicts = unit->conflict_cycles = 0;
	memset(unit->words, 0, sizeof(unit->words));
}
