/* Which strands have accessed the words of shared memory.
 *
 * An access cannot race if nobody else has written its words, nor, where it writes, read them.  That is all that is
 * asked here, of words of OWNED_BYTES: where strands share a word in bytes, the answer is that they may race. */
#include "race/owners.h"

#include <assert.h>
#include <string.h>

#define MANY 0xffffu     /* in place of a reader */
#define JUST_NOW 0x8000u /* with a writer: a lane of this very instruction */

/* Words that are taken together. */
typedef uint16_t block __attribute__((vector_size(16)));
#define BLOCK 8u

_Static_assert(sizeof(block) == BLOCK * sizeof(uint16_t), "that many");
_Static_assert(sizeof(struct owners) <= (size_t)32 << OWNERS_SIZE, "clock_memory of that size");

void owners_make(struct races *races, struct page *page)
{
	assert(page_is_put_off(page));
	assert(!page->owners);
	page->owners = clock_memory(&races->clocks, OWNERS_SIZE);
	memset(page->owners, 0, sizeof *page->owners);
}

static struct owners *owners_of(const struct shadow *shadow, uint32_t word)
{
	const struct page *page = shadow->page[word / OWNED_WORDS];

	assert(page_is_put_off(page));
	assert(page->owners);
	return page->owners;
}

/* ---- Words ---- */

static bool claim_word(const struct shadow *shadow, uint32_t word, uint32_t owner, bool writes)
{
	struct owners *o = owners_of(shadow, word);
	uint16_t *reader = &o->reader[word % OWNED_WORDS], *writer = &o->writer[word % OWNED_WORDS];

	assert(owner);
	if (*writer && *writer != owner)
		return false;
	if (writes) {
		*writer = (uint16_t)owner;
		return !*reader || *reader == owner;
	}
	*reader = (uint16_t)(!*reader || *reader == owner ? owner : MANY);
	return true;
}

static block load(const uint16_t *from)
{
	block b;

	memcpy(&b, from, sizeof b);
	return b;
}

static bool is_zero(block b)
{
	uint64_t part[2];

	_Static_assert(sizeof part == sizeof b, "all of it");
	memcpy(part, &b, sizeof b);
	return !(part[0] | part[1]);
}

/* As many neighbours as a block has, each of the owner that stands there. */
static bool claim_block(const struct shadow *shadow, uint32_t word, const uint16_t *owner, bool writes)
{
	struct owners *o = owners_of(shadow, word);
	uint16_t *reader = &o->reader[word % OWNED_WORDS], *writer = &o->writer[word % OWNED_WORDS];
	block own = load(owner), r = load(reader), w = load(writer);
	block others_read = (block)((r != 0) & (r != own)), others_wrote = (block)((w != 0) & (w != own));

	assert(word % OWNED_WORDS + BLOCK <= OWNED_WORDS);
	if (writes) {
		memcpy(writer, &own, sizeof own);
		return is_zero(others_wrote | others_read);
	}
	own |= others_read; /* MANY */
	memcpy(reader, &own, sizeof own);
	return is_zero(others_wrote);
}

/* Whether the units are neighbours, in one page. */
static bool is_block(const uint16_t *unit)
{
	static const uint16_t count[BLOCK] = {0, 1, 2, 3, 4, 5, 6, 7};

	return unit[0] % OWNED_WORDS <= OWNED_WORDS - BLOCK && is_zero(load(unit) - load(count) - unit[0]);
}

/* ---- An instruction ---- */

static void owners_of_lanes(const struct claim *c, uint16_t *owner)
{
	static const uint16_t count[BLOCK] = {0, 1, 2, 3, 4, 5, 6, 7};
	uint32_t at = 0;

	assert(c->lanes);
	if (c->each && c->lanes & (c->lanes + 1)) {
		EACH_LANE(l, c->lanes)
			owner[at++] = (uint16_t)(c->owner + (uint32_t)l);
		return;
	}
	for (; at < c->count; at += BLOCK) {
		block b = (c->each ? load(count) + (uint16_t)at : (block){0}) + (uint16_t)c->owner;

		memcpy(owner + at, &b, sizeof b);
	}
}

/* The words of a lane's unit; what is less than a word is in one. */
static uint32_t first_word(const struct claim *c, uint16_t unit)
{
	return ((uint32_t)unit << c->shift) / OWNED_BYTES;
}

static uint32_t end_word(const struct claim *c, uint16_t unit)
{
	return ((((uint32_t)unit + 1) << c->shift) + OWNED_BYTES - 1) / OWNED_BYTES;
}

static bool claim_unit(const struct shadow *shadow, const struct claim *c, uint16_t unit, uint32_t owner)
{
	for (uint32_t word = first_word(c, unit); word < end_word(c, unit); word++)
		if (!claim_word(shadow, word, owner, c->writes))
			return false;
	return true;
}

/* All lanes read the same. */
static bool read_same(const struct shadow *shadow, const struct claim *c, const uint16_t *owner)
{
	if (!claim_unit(shadow, c, c->unit[0], owner[0]))
		return false;
	return !c->each || c->count == 1 || claim_unit(shadow, c, c->unit[0], owner[1]);
}

static bool is_growing(const struct claim *c)
{
	bool grows = true;

	for (uint32_t k = 1; k < c->count; k++)
		grows &= c->unit[k - 1] < c->unit[k];
	return grows;
}

/* Lanes that are one strand write them: two that write the same word at once race.  Each lane turns the mark of its
 * words on, and then off. */
static bool are_apart(const struct shadow *shadow, const struct claim *c)
{
	bool apart = true;

	assert(!c->each);
	assert(c->writes);
	for (uint32_t turn = 0; turn < 2; turn++)
		for (uint32_t k = 0; k < c->count; k++) {
			for (uint32_t word = first_word(c, c->unit[k]); word < end_word(c, c->unit[k]); word++) {
				uint16_t *writer = &owners_of(shadow, word)->writer[word % OWNED_WORDS];

				apart &= *writer == (turn ? c->owner | JUST_NOW : c->owner);
				*writer = (uint16_t)(*writer ^ JUST_NOW);
			}
		}
	return apart;
}

bool owners_claim(const struct shadow *shadow, const struct claim *c)
{
	uint16_t owner[64];

	assert(c->count);
	assert(c->count <= 64);
	assert(c->owner + 64 < JUST_NOW);
	owners_of_lanes(c, owner);
	if (c->same && !c->writes)
		return read_same(shadow, c, owner);
	for (uint32_t k = 0; k < c->count;) {
		bool row = c->shift == 2 && k + BLOCK <= c->count && is_block(c->unit + k);

		if (!(row ? claim_block(shadow, c->unit[k], owner + k, c->writes)
			  : claim_unit(shadow, c, c->unit[k], owner[k])))
			return false;
		k += row ? BLOCK : 1;
	}
	return !c->writes || c->each || is_growing(c) || are_apart(shadow, c);
}
