/* What the seed draws of functional mode's turns: see drawn.h. */
#include "machine/gpu/drawn.h"

#include "util/text.h"

#include <assert.h>

/* Powers of two, so that short and long ones are as frequent. */
#define SPELL_SHORTEST 3 /* rounds */
#define SPELL_LONGEST 8
#define TURN_SHORTEST 2 /* instructions */
#define TURN_LONGEST 9
#define ORDERS_CUT_LEAST 3 /* 1 of 8 */
#define MEMORY_CUT_LEAST 5
#define DRAWN_NEVER 63

static uint32_t draw(struct drawn *drawn, uint32_t below)
{
	assert(below);
	return (uint32_t)((splitmix64(&drawn->random) >> 32) * below >> 32);
}

/* From `least` to `most`. */
static uint32_t draw_from(struct drawn *drawn, uint32_t least, uint32_t most)
{
	assert(least <= most);
	return least + draw(drawn, most - least + 1);
}

static bool one_of(struct drawn *drawn, uint8_t shift)
{
	assert(shift <= DRAWN_NEVER);
	return !(splitmix64(&drawn->random) >> 1 & ((1ull << shift) - 1));
}

static void begin_spell(struct drawn *drawn)
{
	assert(drawn->on);
	assert(!drawn->left);
	drawn->spell = splitmix64(&drawn->random);
	drawn->left = 1u << draw_from(drawn, SPELL_SHORTEST, SPELL_LONGEST);
	drawn->longest = 1u << draw_from(drawn, TURN_SHORTEST, TURN_LONGEST);
	drawn->orders_cut = (uint8_t)draw_from(drawn, 0, ORDERS_CUT_LEAST);
	drawn->memory_cut = draw(drawn, 4) ? (uint8_t)draw_from(drawn, 0, MEMORY_CUT_LEAST) : DRAWN_NEVER;
	drawn->favours = (uint8_t)draw(drawn, 4);
	drawn->pauses = (uint8_t)draw(drawn, 4);
	drawn->one_by_one = drawn->pauses == 3;
}

void drawn_begin(struct drawn *drawn, uint64_t seed, bool on)
{
	*drawn = (struct drawn){.random = seed, .on = on};
	assert(!drawn->left);
}

void drawn_begin_round(struct drawn *drawn)
{
	assert(drawn->on);
	if (!drawn->left)
		begin_spell(drawn);
	drawn->left--;
}

uint32_t drawn_length(struct drawn *drawn)
{
	uint32_t least = drawn->longest / 4;

	assert(least);
	return draw_from(drawn, least, drawn->longest);
}

/* Whether it orders threads, or other threads may wait for it: where the order of the warps matters most. */
static bool is_order(const struct insn *i)
{
	switch (i->kind) {
	case INSN_LOAD:
	case INSN_STORE: return i->access.order != order_NONE;
	case INSN_FRAGMENT:
	case INSN_MAP_COPY:
	case INSN_TEXTURE: return false;
	default: return true;
	}
}

bool drawn_end_before(struct drawn *drawn, const struct insn *i)
{
	assert(drawn->on);
	return one_of(drawn, is_order(i) ? drawn->orders_cut : drawn->memory_cut);
}

/* A number of this spell for a core. */
static uint64_t number_of(const struct drawn *drawn, uint32_t core, uint64_t what)
{
	uint64_t number = drawn->spell ^ what << 32 ^ core;

	assert(drawn->on);
	return splitmix64(&number);
}

uint64_t drawn_choose_from(const struct drawn *drawn, uint32_t core, uint64_t ready)
{
	uint64_t favoured = ready;

	assert(ready);
	for (uint32_t k = 0; k < drawn->favours; k++)
		favoured &= number_of(drawn, core, k + 1);
	return favoured ? favoured : ready;
}

bool drawn_pause(const struct drawn *drawn, uint32_t core)
{
	uint64_t shares = 1ull << drawn->pauses; /* 1, 2 or 4: all but 1 of them pause */

	assert(!drawn->one_by_one);
	assert(shares <= 4);
	return number_of(drawn, core, 0) % shares != 0;
}

uint64_t drawn_rank(const struct drawn *drawn, uint32_t core)
{
	assert(drawn->one_by_one);
	return number_of(drawn, core, 0);
}

bool drawn_early(const struct drawn *drawn, uint32_t core)
{
	return number_of(drawn, core, 64 + drawn->left) & 1;
}

uint32_t drawn_path(struct drawn *drawn, uint32_t others)
{
	assert(drawn->on);
	return others && !draw(drawn, 4) ? draw_from(drawn, 1, others) : 0;
}
