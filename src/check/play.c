/* A thread's loop played on (play.h): the instructions' own functions compute on a copy of the warp's registers, as in
 * ahead.c, but along the one way that memory as it is leads. */
#include "check/play.h"

#include "check/ahead_state.h"
#include "machine/lsu/access.h"
#include "util/vector.h"

#include <string.h>

#define MOST_COMPARISONS 16

struct comparison {
	uint64_t left, right;
	uint8_t bytes;
};

struct player {
	struct walk *walk;
	const struct thread *thread;
	struct code_range range;
	const struct play_change *change;
	VECTOR(struct play_look) looks;
	struct arena *arena;
	/* The state at a backward branch, copied after so many, each time twice as many (Brent's way of finding
	 * cycles). */
	uint64_t *copy, *now;
	struct comparison comparisons[MOST_COMPARISONS]; /* the first of the play */
	uint32_t comparison_count;
	uint32_t copied_pc, copied_looks, branches, next_copy;
	bool has_copy;
};

/* ---- States ---- */

static uint32_t words_of(const struct walk *w)
{
	return 2 * w->slots + w->predicates;
}

static void save(const struct walk *w, uint64_t *to)
{
	const struct warp *warp = &w->scratch.warp;

	for (uint32_t k = 0; k < w->slots; k++) {
		*to++ = warp->bank[0][(size_t)k * warp->lanes + w->lane];
		*to++ = ((const uint64_t *)(const void *)(warp->bank[1] + (size_t)k * warp->lanes))[w->lane];
	}
	for (uint32_t k = 0; k < w->predicates; k++)
		*to++ = warp->predicates[k] >> w->lane & 1;
}

/* A backward branch is taken.  True: it was before, in the very same state. */
static bool comes_back(struct player *p, uint32_t pc)
{
	size_t bytes = words_of(p->walk) * sizeof *p->copy;

	if (p->has_copy && pc == p->copied_pc) {
		save(p->walk, p->now);
		if (!memcmp(p->now, p->copy, bytes))
			return true;
	}
	if (++p->branches < p->next_copy)
		return false;
	save(p->walk, p->copy);
	p->has_copy = true;
	p->copied_pc = pc;
	p->copied_looks = p->looks.count;
	p->next_copy = 2 * p->branches;
	return false;
}

/* ---- Memory ---- */

/* Where it goes, and what is there; false: not known. */
static bool find_word(struct player *p, const struct insn *i, struct word *word, uint64_t *value)
{
	struct walk *w = p->walk;
	lane_mask lane = 1ull << w->lane;
	uint64_t address[CORE_WARPS];
	const uint8_t *at = NULL;

	if (i->access.elements != 1 || i->access.bytes > 8 || i->access.space == space_SURFACE)
		return false;
	word->space = access_addresses_of(address, &w->scratch.warp, i, &lane);
	word->address = address[w->lane];
	if (lane && (word->space == space_GLOBAL || word->space == space_SHARED))
		at = walk_memory(w, word, i->access.bytes);
	if (!at)
		return false;
	*value = 0;
	memcpy(value, at, i->access.bytes);
	if (p->change && p->change->word.space == word->space && p->change->word.address == word->address)
		*value = p->change->value;
	return true;
}

static void put(struct walk *w, const struct insn *i, uint64_t value)
{
	if (i->d == SLOT_NONE)
		return;
	if (i->access.register_bytes == 8)
		((uint64_t *)slot_at(&w->scratch.warp, i->d))[w->lane] = value;
	else
		((uint32_t *)slot_at(&w->scratch.warp, i->d))[w->lane] = (uint32_t)value;
}

static uint64_t signed_value(const struct insn *i, uint64_t value)
{
	uint32_t unused = 64 - 8u * i->access.bytes;

	return i->flags & INSN_SIGNED ? (uint64_t)((int64_t)(value << unused) >> unused) : value;
}

/* Executes a load, a store or an atomic.  False: what follows is not known; PLAY_WRITES or PLAY_LOST is in *end. */
static bool play_access(struct player *p, const struct insn *i, enum play_end *end)
{
	struct word word;
	uint64_t value;
	bool writes = i->kind != INSN_LOAD, has_operand = writes && i->s[1] != SLOT_NONE && i->s_bytes[1] >= 4;

	*end = PLAY_LOST;
	if (i->kind == INSN_LOAD && (i->access.space == space_PARAM || i->access.space == space_CONST))
		return walk_load_fixed(p->walk, i);
	if (i->kind == INSN_STORE_UNLOCK || !find_word(p, i, &word, &value))
		return false;
	*vector_push(p->arena, &p->looks) = (struct play_look){.pc = (uint32_t)(i - p->walk->kernel->code),
		.word = word,
		.value = value,
		.operand = has_operand ? walk_bits(p->walk, i->s[1], i->s_bytes[1]) : 0};
	if (writes && !walk_changes_nothing(p->walk, i, value)) {
		*end = PLAY_WRITES;
		return false;
	}
	if (i->kind != INSN_STORE)
		put(p->walk, i, i->kind == INSN_LOAD ? signed_value(i, value) : value);
	return true;
}

/* ---- Steps ---- */

static bool is_computed(const struct insn *i)
{
	return i->kind == INSN_PLAIN && !i->inserted &&
	       !(ptx_ops[i->op].effects & (EFFECT_CROSS_LANE | EFFECT_CARRY)) && i->op != OP_activemask;
}

static void note_comparison(struct player *p, const struct insn *i)
{
	uint8_t bytes = i->s_bytes[0];

	if (i->op != OP_setp || i->s[0] == SLOT_NONE || i->s[1] == SLOT_NONE || (bytes != 4 && bytes != 8) ||
		i->s_bytes[1] != bytes || p->comparison_count == MOST_COMPARISONS)
		return;
	p->comparisons[p->comparison_count++] =
		(struct comparison){walk_bits(p->walk, i->s[0], bytes), walk_bits(p->walk, i->s[1], bytes), bytes};
}

/* Executes the instruction at *pc and goes to the next.  False: the play is over, by *end. */
static bool step(struct player *p, uint32_t *pc, enum play_end *end)
{
	struct walk *w = p->walk;
	const struct insn *i = &w->kernel->code[*pc];
	bool skipped = (w->scratch.warp.predicates[i->guard] >> w->lane & 1) == i->guard_invert;

	*end = PLAY_LOST;
	++*pc;
	if (skipped)
		return true;
	switch (i->kind) {
	case INSN_PLAIN:
		if (!is_computed(i))
			return false;
		note_comparison(p, i);
		i->exec(&w->scratch.warp, i, 1ull << w->lane);
		return true;
	case INSN_BRANCH:
		if (i->target >= *pc) {
			*pc = i->target;
			return true;
		}
		*end = PLAY_ROUNDS;
		*pc = i->target;
		return !comes_back(p, (uint32_t)(i - w->kernel->code));
	case INSN_EXIT: *end = PLAY_LEAVES; return false;
	case INSN_LOAD:
	case INSN_STORE:
	case INSN_ATOMIC: return play_access(p, i, end);
	case INSN_FENCE:
	case INSN_NANOSLEEP: return true;
	default: return false;
	}
}

/* ---- Rounds ---- */

static struct play play(struct player *p, uint32_t most_steps)
{
	const struct thread *t = p->thread;
	struct position position = thread_position(t);
	struct play play = {.end = PLAY_LOST};
	uint32_t pc = position.pc;
	bool goes_on = true;

	if (position.state != THREAD_RUNS || pc < p->range.first || pc > p->range.last)
		return play;
	p->walk = walk_begin_at(t, pc);
	p->copy = arena_new_array(p->arena, uint64_t, words_of(p->walk));
	p->now = arena_new_array(p->arena, uint64_t, words_of(p->walk));
	for (; goes_on && play.steps < most_steps; play.steps++) {
		if (pc < p->range.first || pc > p->range.last) {
			play.end = PLAY_LEAVES;
			break;
		}
		goes_on = step(p, &pc, &play.end);
	}
	walk_end(p->walk);
	play.looks = p->looks.at;
	play.count = p->looks.count;
	if (goes_on && play.steps == most_steps) {
		play.end = PLAY_LOST;
	} else if (play.end == PLAY_ROUNDS) {
		play.looks += p->copied_looks;
		play.count -= p->copied_looks;
	}
	return play;
}

struct play play_on(struct arena *arena, const struct thread *t, struct code_range range,
	const struct play_change *change, uint32_t most_steps)
{
	struct player p = {.thread = t, .range = range, .change = change, .arena = arena, .next_copy = 1};

	return play(&p, most_steps);
}

#define WISH_STEPS 10000u /* a loop that waits for one word is short */

bool play_operand(const struct thread *t, const struct wait *wait, uint64_t *value)
{
	struct arena arena = {0};
	struct code_range range;
	struct play play = {0};
	bool found = false;

	if (wait_loop(t, &range))
		play = play_on(&arena, t, range, NULL, WISH_STEPS);
	for (uint32_t k = 0; k < play.count && !found; k++) {
		found = play.looks[k].pc == wait->pc && play.looks[k].word.address == wait->word.address;
		*value = play.looks[k].operand;
	}
	arena_free(&arena);
	return found;
}

/* ---- What would end the wait ---- */

bool play_would_end(struct arena *arena, const struct thread *t, struct code_range range,
	const struct play_change *change, uint32_t most_steps)
{
	struct play play = play_on(arena, t, range, change, most_steps);

	return play.end == PLAY_LEAVES || play.end == PLAY_WRITES;
}

uint32_t play_wishes(const struct thread *t, const struct wait *wait, uint64_t *values, uint32_t most)
{
	struct arena arena = {0};
	struct player p = {.thread = t, .arena = &arena, .next_copy = 1};
	uint64_t now = wait_value(t, wait);
	uint32_t count = 0;

	if ((wait->bytes != 4 && wait->bytes != 8) || !wait_loop(t, &p.range))
		return 0;
	play(&p, WISH_STEPS);
	for (uint32_t k = 0; k < 3 * p.comparison_count && count < most; k++) {
		const struct comparison *c = &p.comparisons[k / 3];
		uint64_t by = c->right - c->left, value = k % 3 == 0 ? now + by : k % 3 == 1 ? now - by : c->right;
		struct play_change change = {wait->word, wait_cut(wait->bytes, value)};
		bool has_it = change.value == now;

		for (uint32_t n = 0; n < count; n++)
			has_it |= values[n] == change.value;
		if (!has_it && play_would_end(&arena, t, p.range, &change, WISH_STEPS))
			values[count++] = change.value;
	}
	arena_free(&arena);
	return count;
}
