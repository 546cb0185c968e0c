/* Which bytes nothing has written. */
#include "init/init.h"

#include <string.h>

/* The bits of a word that stand for bytes [at, end), numbered from the word's first. */
static uint64_t part(uint64_t word, uint64_t at, uint64_t end)
{
	uint64_t first = at > word * 64 ? at - word * 64 : 0, last = end - word * 64;
	uint64_t below = first ? ~0ull << first : ~0ull;

	return last >= 64 ? below : below & ((1ull << last) - 1);
}

void init_bits_begin(struct init_bits *bits, struct arena *arena, uint64_t bytes)
{
	uint64_t words = bytes / 64 + 2; /* one behind the end, for reads that straddle two */

	if (words > bits->capacity) {
		bits->words = arena_new_array(arena, uint64_t, words);
		bits->capacity = words;
	}
	memset(bits->words, 0xff, words * sizeof *bits->words); /* those behind the end are never asked for */
	bits->base = 0;
	bits->bytes = bytes;
	bits->left = bytes;
}

void init_bits_define(struct init_bits *bits, uint64_t at, uint64_t bytes)
{
	uint64_t from = at - bits->base, end = from + bytes, gone = 0;

	for (uint64_t word = from / 64; bytes && word <= (end - 1) / 64; word++) {
		uint64_t mask = part(word, from, end);

		if (!(__atomic_load_n(&bits->words[word], __ATOMIC_RELAXED) & mask))
			continue;
		mask &= __atomic_fetch_and(&bits->words[word], ~mask, __ATOMIC_RELAXED);
		gone += (uint64_t)__builtin_popcountll(mask);
	}
	if (gone)
		__atomic_fetch_sub(&bits->left, gone, __ATOMIC_RELAXED);
}

void init_bits_undefine(struct init_bits *bits, uint64_t at, uint64_t bytes)
{
	uint64_t from = at - bits->base, end = from + bytes, more = 0;

	for (uint64_t word = from / 64; bytes && word <= (end - 1) / 64; word++) {
		uint64_t mask = part(word, from, end);

		mask &= ~__atomic_fetch_or(&bits->words[word], mask, __ATOMIC_RELAXED);
		more += (uint64_t)__builtin_popcountll(mask);
	}
	__atomic_fetch_add(&bits->left, more, __ATOMIC_RELAXED);
}

uint64_t init_bits_count(const struct init_bits *bits, uint64_t at, uint64_t bytes, uint64_t *first)
{
	uint64_t from = at - bits->base, end = from + bytes, count = 0;

	for (uint64_t word = from / 64; bytes && word <= (end - 1) / 64; word++) {
		uint64_t found = __atomic_load_n(&bits->words[word], __ATOMIC_RELAXED) & part(word, from, end);

		if (found && !count)
			*first = bits->base + word * 64 + (uint64_t)__builtin_ctzll(found);
		count += (uint64_t)__builtin_popcountll(found);
	}
	return count;
}

struct inits *inits_create(struct found_list *found, uint64_t base, uint64_t bytes)
{
	struct inits *inits = arena_new(found->arena, struct inits);

	inits->found = found;
	inits->global.words = arena_reserve(found->arena, (bytes / 64 + 2) * sizeof *inits->global.words);
	inits->global.base = base;
	inits->global.bytes = bytes;
	return inits;
}
