/* The rate of atomics on one slice. */
#include "memory/atomic_unit.h"

#include <assert.h>

#define PROBES 16

/* The entry of `word`, of those from `at` on, created if there is none.  In the rare case that busy words occupy all
 * entries that it could have, it shares the one that is free first, and waits for that. */
static __attribute__((noinline)) struct atomic_word *find_entry(
	struct atomic_unit *unit, uint32_t at, uint64_t word, uint64_t now)
{
	assert(at < ATOMIC_WORDS);
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

static inline struct atomic_word *word_entry(struct atomic_unit *unit, uint64_t word, uint64_t now)
{
	uint32_t at = (uint32_t)(word * 0x9e3779b97f4a7c15ull >> 56);
	return unit->words[at].word == word ? &unit->words[at] : find_entry(unit, at, word, now);
}

static uint32_t or_else(uint32_t value, uint32_t otherwise)
{
	return value ? value : otherwise;
}

/* Hundredths of the unit's cycle, in parts. */
static uint32_t hundredths(const struct atomic_unit *unit, uint32_t value)
{
	assert(unit->period);
	return (uint32_t)(((uint64_t)value * unit->period + 50) / 100);
}

void atomic_unit_create(struct atomic_unit *unit, const struct gpu_model *model)
{
	uint64_t one = 1 << ATOMIC_PARTS_BITS, clock = model->atomic_clock;
	uint32_t plain = model->atomic_interval * 100;

	assert(model->atomic_rate);
	assert(model->clock_core);
	unit->period = (uint32_t)(clock ? (model->clock_core * one + clock / 2) / clock : one);
	unit->period = or_else(unit->period, 1);
	unit->interval[ATOMIC_INTEGERS] = hundredths(unit, plain);
	unit->interval[ATOMIC_FLOATS] = hundredths(unit, or_else(model->atomic_float_interval, plain));
	unit->interval[ATOMIC_DOUBLES] = hundredths(unit, or_else(model->atomic_double_interval, plain));
	unit->rate[ATOMIC_INTEGERS] = model->atomic_rate;
	unit->rate[ATOMIC_FLOATS] = or_else(model->atomic_float_rate, model->atomic_rate);
	unit->rate[ATOMIC_DOUBLES] = or_else(model->atomic_double_rate, model->atomic_rate);
}

/* Core cycles that have begun within `parts`. */
static inline uint64_t whole(uint64_t parts)
{
	return (parts + (1 << ATOMIC_PARTS_BITS) - 1) >> ATOMIC_PARTS_BITS;
}

/* The time of the next free slot in the pipeline. */
static inline uint64_t next_slot(struct atomic_unit *unit, uint32_t rate, uint64_t start)
{
	assert(rate);
	if (unit->cycle < start) {
		unit->cycle = start;
		unit->used = 0;
	} else if (unit->used >= rate) {
		unit->cycle += unit->period;
		unit->used = 0;
	}
	unit->used++;
	assert(unit->used <= rate);
	assert(unit->cycle >= start);
	return unit->cycle;
}

uint64_t atomic_unit_serve(struct atomic_unit *unit, enum atomic_numbers numbers, const struct atomic_entry *entries,
	uint32_t count, uint64_t start)
{
	assert(numbers < ATOMIC_NUMBERS);
	assert(start < UINT64_MAX >> ATOMIC_PARTS_BITS);
	uint64_t first = start << ATOMIC_PARTS_BITS, done = first;
	uint32_t rate = unit->rate[numbers], interval = unit->interval[numbers];
	if (unit->numbers != numbers) { /* a cycle starts operations of one rate only */
		unit->used = unit->used ? UINT32_MAX : 0;
		unit->numbers = numbers;
	}
	for (uint32_t k = 0; k < count; k++) {
		uint64_t slot = next_slot(unit, rate, first);
		struct atomic_word *w = word_entry(unit, entries[k].address >> 2, slot);
		assert(w->word == entries[k].address >> 2);
		uint64_t begin = slot;
		if (w->free_at > slot) {
			begin = w->free_at;
			unit->conflicts++;
			unit->conflict_cycles += whole(begin - slot);
		}
		w->free_at = begin + interval;
		if (w->free_at > done)
			done = w->free_at;
	}
	unit->operations += count;
	return whole(done);
}
