/* Full tables with open addressing (waits.h).  The loop is played on: in a round one access looks at several words of
 * one buffer, at addresses that do not come from what was found there (that would be a list), and finds in none the
 * value of a free slot, with which it would end.  A scan of flags or of queues for work is the same but for what is
 * found: there all words are alike, mostly zero, and wait for something else. */
#include "check/play.h"

#include <stdlib.h>

/* What is compared with what the slots have. */
struct sought {
	uint64_t value;
	bool found;
};

static bool is_usual(uint64_t value, uint32_t bytes)
{
	return !wait_cut(bytes, value) || wait_cut(bytes, value) == wait_cut(bytes, ~0ull);
}

static int compare_addresses(const void *a, const void *b)
{
	uint64_t x = ((const struct play_look *)a)->word.address, y = ((const struct play_look *)b)->word.address;

	return x < y ? -1 : x > y;
}

static int compare_values(const void *a, const void *b)
{
	uint64_t x = ((const struct play_look *)a)->value, y = ((const struct play_look *)b)->value;

	return x < y ? -1 : x > y;
}

/* The looks of one access, one a word, by address; returns how many.  0: they are not all in one space. */
static uint32_t looks_of(const struct play *play, uint32_t pc, struct play_look *looks)
{
	uint32_t count = 0, kept = 0;

	for (uint32_t k = 0; k < play->count; k++)
		if (play->looks[k].pc == pc) {
			if (play->looks[k].word.space != play->looks[0].word.space)
				return 0;
			looks[count++] = play->looks[k];
		}
	qsort(looks, count, sizeof *looks, compare_addresses);
	for (uint32_t k = 0; k < count; k++)
		if (!kept || looks[kept - 1].word.address != looks[k].word.address)
			looks[kept++] = looks[k];
	return kept;
}

static bool in_one_buffer(const struct thread *t, const struct play_look *looks, uint32_t count)
{
	const struct address_space *space = t->core->machine->space;

	return looks[0].word.space != space_GLOBAL ||
	       space_find(space, looks[0].word.address, 1) == space_find(space, looks[count - 1].word.address, 1);
}

static uint32_t different_values(struct play_look *looks, uint32_t count)
{
	uint32_t different = 0;

	qsort(looks, count, sizeof *looks, compare_values);
	for (uint32_t k = 0; k < count; k++)
		different += !k || looks[k].value != looks[k - 1].value;
	return different;
}

/* The free slot's value: what the compare-and-swap expects, or, of a load, what it is compared with: rather 0 or all
 * ones, as most tables have it.  A register may have been used for something else since, so of the former it is what
 * was seen in the play. */
static struct sought free_value(const struct play_look *look, const struct insn *i, const struct compared *compared)
{
	struct sought sought = {.value = look->operand, .found = insn_is_swap(i)};

	for (uint32_t k = 0; k < compared->count && !insn_is_swap(i); k++)
		if (!sought.found ||
			(is_usual(compared->values[k], i->access.bytes) && !is_usual(sought.value, i->access.bytes)))
			sought = (struct sought){compared->values[k], true};
	return sought;
}

static bool is_table(const struct thread *t, struct code_range range, const struct play *play, uint32_t pc,
	struct play_look *looks, struct table *table)
{
	const struct insn *i = &t->r->warp.kernel->code[pc];
	struct compared compared = compared_with(t, pc, range);
	uint32_t count = looks_of(play, pc, looks), bytes = i->access.bytes;
	struct sought empty = {0};

	if (count)
		empty = free_value(&looks[0], i, &compared);
	if (count < 2 || !in_one_buffer(t, looks, count) || !compared.decides || compared.is_chase || !empty.found ||
		(bytes != 4 && bytes != 8))
		return false;
	for (uint32_t k = 0; k < count; k++)
		if (looks[k].value == wait_cut(bytes, empty.value))
			return false;
	*table = (struct table){.at = {.found = true,
					.pc = pc,
					.word = looks[0].word,
					.bytes = (uint8_t)bytes,
					.unblocks = true,
					.compared = compared},
		.slots = count,
		.last = looks[count - 1].word.address,
		.empty = wait_cut(bytes, empty.value),
		.has_empty = insn_is_swap(i) || is_usual(empty.value, bytes)};
	return is_usual(empty.value, bytes) || different_values(looks, count) > count / 2;
}

bool table_find(struct arena *arena, const struct thread *t, struct table *table, uint32_t *steps)
{
	struct code_range range;
	struct play play;
	struct play_look *looks;
	struct table found;
	bool any = false;

	if (!*steps || !wait_loop(t, &range))
		return false;
	play = play_on(arena, t, range, NULL, *steps);
	*steps -= play.steps;
	if (play.end != PLAY_ROUNDS || play.count < 2)
		return false;
	looks = arena_new_array(arena, struct play_look, play.count);
	for (uint32_t pc = range.first; pc <= range.last; pc++) {
		enum insn_kind kind = t->r->warp.kernel->code[pc].kind;

		/* With the first slot free the thread would end its search: a loop that waits until all words of an
		 * array have some value looks at them likewise, and spins on. */
		if ((kind != INSN_LOAD && kind != INSN_ATOMIC) || !is_table(t, range, &play, pc, looks, &found) ||
			(any && table->has_empty >= found.has_empty) ||
			!play_would_end(arena, t, range, &(struct play_change){found.at.word, found.empty}, play.steps))
			continue;
		*table = found;
		any = true;
	}
	return any;
}
