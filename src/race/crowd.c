/* The accesses of a granule that has many: what is kept of them. */
#include "race/parts.h"

#include <string.h>

/* ---- The accesses of a place ---- */

/* A place's strands are in a hash table of 4 << size entries, of which three quarters are used at most.  Where very
 * many come they are mostly neighbours in the same epoch: these are a clock, which then has few nodes. */
#define TABLE_SIZES 8

static uint32_t slots(const struct crowd_site *c)
{
	return c->table ? 4u << c->table_size : 0;
}

/* Where the strand is, or would be. */
static struct crowd_epoch *slot_of(const struct crowd_site *c, uint32_t strand)
{
	uint32_t mask = slots(c) - 1, slot = (strand * 0x9e3779b1u) >> 16 & mask;

	while (c->table[slot].epoch && c->table[slot].strand != strand)
		slot = (slot + 1) & mask;
	return &c->table[slot];
}

uint32_t crowd_site_at(const struct crowd_site *c, uint32_t strand)
{
	const struct crowd_epoch *e = c->table ? slot_of(c, strand) : NULL;

	return e && e->epoch ? e->epoch : clock_at(c->epochs, strand);
}

static struct crowd_epoch *table_take(struct races *races, uint32_t size)
{
	struct crowd_epoch *table = clock_memory(&races->clocks, size);

	memset(table, 0, (4u << size) * sizeof *table);
	return table;
}

static void table_drop(struct races *races, struct crowd_site *c)
{
	if (c->table)
		clock_give_back(&races->clocks, c->table, c->table_size);
	c->table = NULL;
	c->count = 0;
	c->table_size = 0;
}

/* What is in the table becomes part of the clock. */
static void fold(struct races *races, struct crowd_site *c)
{
	for (uint32_t k = 0; k < slots(c); k++)
		if (c->table[k].epoch)
			c->epochs = clock_set(&races->clocks, c->epochs, c->table[k].strand, 1, c->table[k].epoch);
	table_drop(races, c);
}

static void grow(struct races *races, struct crowd_site *c)
{
	struct crowd_site old = *c;

	c->table_size = (uint8_t)(old.table_size + 1);
	c->table = table_take(races, c->table_size);
	for (uint32_t k = 0; k < slots(&old); k++)
		if (old.table[k].epoch)
			*slot_of(c, old.table[k].strand) = old.table[k];
	table_drop(races, &old);
}

void crowd_site_add(struct races *races, struct crowd_site *c, uint32_t strand, uint32_t epoch)
{
	struct crowd_epoch *e;

	if (!c->table)
		c->table = table_take(races, 0);
	e = slot_of(c, strand);
	if (e->epoch) {
		e->epoch = epoch;
		return;
	}
	if (4 * (c->count + 1u) > 3 * slots(c)) {
		if (c->table_size == TABLE_SIZES - 1)
			fold(races, c);
		if (c->table)
			grow(races, c);
		else
			c->table = table_take(races, 0);
		e = slot_of(c, strand);
	}
	*e = (struct crowd_epoch){.strand = strand, .epoch = epoch};
	c->count++;
}

void crowd_site_drop(struct races *races, struct crowd_site *c)
{
	table_drop(races, c);
	clock_drop(&races->clocks, c->epochs);
	c->epochs = CLOCK_NOTHING;
}

bool crowd_site_beyond(const struct races *races, const struct crowd_site *c, vector_clock known, uint32_t first,
	uint32_t count, uint32_t *strand)
{
	bool found = false;

	for (uint32_t k = 0; k < slots(c); k++) {
		const struct crowd_epoch *e = &c->table[k];

		if (e->epoch && e->strand - first >= count && (!found || e->strand < *strand) &&
			!chain_knows(races, known, e->strand, e->epoch)) {
			*strand = e->strand;
			found = true;
		}
	}
	for (uint32_t from = 0, s; clock_beyond(c->epochs, known, from, first, count, &s); from = s + 1) {
		if (found && s >= *strand)
			break;
		if (!chain_knows(races, known, s, clock_at(c->epochs, s))) {
			*strand = s;
			return true;
		}
	}
	return found;
}

static void site_copy(struct races *races, struct crowd_site *to, const struct crowd_site *from)
{
	*to = *from;
	clock_keep(to->epochs);
	if (!from->table)
		return;
	to->table = clock_memory(&races->clocks, from->table_size);
	memcpy(to->table, from->table, slots(from) * sizeof *to->table);
}

/* ---- Crowds ---- */

struct crowd *crowd_take(struct races *races, uint32_t *number)
{
	if (!races->crowds.count)
		vector_push(races->arena, &races->crowds); /* number 0 is none */
	*number = races->free_crowd;
	if (*number) {
		races->free_crowd = races->crowds.at[*number].next_free;
	} else {
		*number = races->crowds.count;
		vector_push(races->arena, &races->crowds);
	}
	races->crowds.at[*number].count = 0;
	races->crowds.at[*number].sites.count = 0;
	return &races->crowds.at[*number];
}

void crowd_drop(struct races *races, uint32_t number)
{
	struct crowd *crowd = &races->crowds.at[number];

	for (uint32_t k = 0; k < crowd->sites.count; k++)
		crowd_site_drop(races, &crowd->sites.at[k]);
	crowd->sites.count = 0;
	crowd->count = 0;
	crowd->next_free = races->free_crowd;
	races->free_crowd = number;
}

struct granule crowd_copy_granule(struct races *races, const struct granule *from)
{
	struct granule copy = *from;
	struct crowd *crowd;
	struct crowd *old;
	uint32_t number;

	if (from->at[1].site != SITE_CROWD)
		return copy;
	crowd = crowd_take(races, &number);
	old = &races->crowds.at[from->at[1].thread];
	memcpy(crowd->at, old->at, sizeof crowd->at);
	crowd->count = old->count;
	crowd->strong_bytes = old->strong_bytes;
	for (uint32_t k = 0; k < old->sites.count; k++)
		site_copy(races, vector_push(races->arena, &crowd->sites), &old->sites.at[k]);
	copy.at[1].thread = number;
	return copy;
}
