/* The accesses to a granule that has many: what is kept of them, and how they are judged.
 *
 * In most crowds no two accesses race: all are strong, wide, and of the same bytes.  Such a strong crowd is a hash
 * table of records by strand, so that one more costs no more than the first.  A record is forgotten when it is known to
 * be before another that stands for it: of a lock that is passed on, a few are left.  Other crowds have a list of some
 * records, and the strands' epochs for each place in the code with very many accesses. */
#include "race/judge.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define CROWD_RECORDS 8   /* of a list; then it is thinned out */
#define CROWD_ACCESSES 64 /* a strong crowd looks at its places once in so many */

/* ---- The accesses of a place ---- */

/* A place's strands are in a hash table of 4 << size entries, at most three quarters of them used.  Very many strands
 * are mostly neighbours in the same epoch: they become a clock, which then has few nodes. */
#define TABLE_SIZES 8

static uint32_t slots(const struct crowd_site *c)
{
	return c->table ? 4u << c->table_size : 0;
}

/* Where the strand is, or would be. */
static struct crowd_epoch *slot_of(const struct crowd_site *c, uint32_t strand)
{
	uint32_t mask = slots(c) - 1, slot = (strand * 0x9e3779b1u) >> 16 & mask;

	assert(c->table);
	assert(c->count < slots(c));
	while (c->table[slot].epoch && c->table[slot].strand != strand)
		slot = (slot + 1) & mask;
	return &c->table[slot];
}

/* The strand's last epoch; 0: none. */
static uint32_t site_at(const struct crowd_site *c, uint32_t strand)
{
	const struct crowd_epoch *e = c->table ? slot_of(c, strand) : NULL;

	return e && e->epoch ? e->epoch : clock_at(c->epochs, strand);
}

static struct crowd_epoch *table_take(struct races *races, uint32_t size)
{
	struct crowd_epoch *table = clock_memory(&races->clocks, size);

	assert(size < TABLE_SIZES);
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

/* The entries of the table go to the clock. */
static void fold(struct races *races, struct crowd_site *c)
{
	assert(c->table);
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
	assert(c->table);
	assert(c->table_size < TABLE_SIZES);
}

/* The strand was there in this epoch. */
static void site_add(struct races *races, struct crowd_site *c, uint32_t strand, uint32_t epoch)
{
	struct crowd_epoch *e;

	assert(epoch);
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
	assert(4 * c->count <= 3 * slots(c));
}

static void site_drop(struct races *races, struct crowd_site *c)
{
	table_drop(races, c);
	clock_drop(&races->clocks, c->epochs);
	c->epochs = CLOCK_NOTHING;
}

/* The lowest strand, outside [first, first + count), whose epoch the clock does not know. */
static bool site_beyond(const struct races *races, const struct crowd_site *c, vector_clock known, uint32_t first,
	uint32_t count, uint32_t *strand)
{
	bool found = false;

	assert(count);
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
	assert(!from->table == !from->count);
	*to = *from;
	clock_keep(to->epochs);
	if (!from->table)
		return;
	to->table = clock_memory(&races->clocks, from->table_size);
	memcpy(to->table, from->table, slots(from) * sizeof *to->table);
}

/* The record's place; unless `any_value`, the one where the same value was stored.  Null: there is none. */
static struct crowd_site *site_find(const struct crowd *crowd, const struct record *of, bool any_value)
{
	for (uint32_t k = 0; k < crowd->sites.count; k++)
		if (crowd->sites.at[k].site == of->site && (any_value || crowd->sites.at[k].value == of->value))
			return &crowd->sites.at[k];
	return NULL;
}

static struct crowd_site *site_new(struct races *races, struct crowd *crowd, const struct record *first)
{
	struct crowd_site *c = vector_push(races->arena, &crowd->sites);

	assert(first->site);
	*c = (struct crowd_site){.site = first->site, .value = first->value};
	return c;
}

/* The record joins those of its place. */
static void site_take(
	struct races *races, const struct race_launch *launch, struct crowd_site *c, const struct record *record)
{
	assert(c->site == record->site);
	c->mixed |= c->value != record->value;
	site_add(races, c, strand_number(launch, record->thread), record->epoch);
}

/* ---- Memory ---- */

#define LIST_SIZE 2 /* clock_memory */
_Static_assert(CROWD_RECORDS * sizeof(struct record) <= (size_t)32 << LIST_SIZE, "room for all records of a list");

/* The crowd has no records. */
static void empty_list(struct races *races, struct crowd *crowd)
{
	crowd->size = LIST_SIZE;
	crowd->at = clock_memory(&races->clocks, LIST_SIZE);
	memset(crowd->at, 0, (size_t)32 << LIST_SIZE);
	crowd->count = 0;
}

static struct crowd *take(struct races *races, uint32_t *number)
{
	struct crowd *crowd;

	*number = races->free_crowd;
	if (*number) {
		races->free_crowd = races->crowds.at[*number].next_free;
	} else {
		*number = races->crowds.count;
		vector_push(races->arena, &races->crowds);
	}
	crowd = &races->crowds.at[*number];
	assert(*number);
	assert(*number < races->crowds.count);
	crowd->sites.count = 0;
	crowd->strong_bytes = crowd->pause = 0;
	crowd->hand = crowd->accesses = 0;
	return crowd;
}

void crowd_drop(struct races *races, uint32_t number)
{
	struct crowd *crowd = &races->crowds.at[number];

	assert(number);
	assert(number < races->crowds.count);
	for (uint32_t k = 0; k < crowd->sites.count; k++)
		site_drop(races, &crowd->sites.at[k]);
	clock_give_back(&races->clocks, crowd->at, crowd->size);
	crowd->next_free = races->free_crowd;
	races->free_crowd = number;
}

struct granule crowd_copy_granule(struct races *races, const struct granule *from)
{
	struct granule copy = *from;
	struct crowd *crowd;
	const struct crowd *old;
	uint32_t number;

	if (from->at[1].site != SITE_CROWD)
		return copy;
	assert(from->at[1].thread);
	assert(from->at[1].thread < races->crowds.count);
	crowd = take(races, &number);
	old = &races->crowds.at[from->at[1].thread];
	crowd->at = clock_memory(&races->clocks, old->size);
	memcpy(crowd->at, old->at, (size_t)32 << old->size);
	crowd->size = old->size;
	crowd->count = old->count;
	crowd->strong_bytes = old->strong_bytes;
	for (uint32_t k = 0; k < old->sites.count; k++)
		site_copy(races, vector_push(races->arena, &crowd->sites), &old->sites.at[k]);
	copy.at[1].thread = number;
	return copy;
}

/* ---- Records: a list, or in a strong crowd a hash table, at most three quarters of it used ---- */

static uint32_t room(const struct crowd *crowd)
{
	return (32u << crowd->size) / (uint32_t)sizeof(struct record);
}

static uint32_t home_of(const struct crowd *crowd, uint32_t strand)
{
	assert(crowd->strong_bytes || crowd->count == 0);
	return (uint32_t)((uint64_t)(strand * 0x9e3779b1u) * room(crowd) >> 32);
}

static uint32_t next_of(const struct crowd *crowd, uint32_t slot)
{
	assert(slot < room(crowd));
	return slot + 1 == room(crowd) ? 0 : slot + 1;
}

static void table_insert(struct crowd *crowd, uint32_t strand, const struct record *record)
{
	uint32_t slot = home_of(crowd, strand);

	assert(record->site);
	assert(record->site != SITE_CROWD);
	assert(crowd->count < room(crowd));
	while (crowd->at[slot].site)
		slot = next_of(crowd, slot);
	crowd->at[slot] = *record;
	crowd->count++;
}

/* Records that follow it in a row of used slots move up, if they are not where they belong. */
static void table_remove(struct crowd *crowd, const struct race_launch *launch, uint32_t slot)
{
	assert(slot < room(crowd));
	assert(crowd->at[slot].site);
	assert(crowd->count);
	for (uint32_t at = next_of(crowd, slot); crowd->at[at].site; at = next_of(crowd, at)) {
		uint32_t home = home_of(crowd, strand_number(launch, crowd->at[at].thread));

		if (slot < at ? home <= slot || home > at : home <= slot && home > at) {
			crowd->at[slot] = crowd->at[at];
			slot = at;
		}
	}
	crowd->at[slot].site = 0;
	crowd->count--;
}

/* The same records in a table of another size. */
static void table_resize(struct races *races, const struct race_launch *launch, struct crowd *crowd, uint32_t size)
{
	struct crowd old = *crowd;

	assert(crowd->strong_bytes);
	crowd->size = (uint8_t)size;
	crowd->at = clock_memory(&races->clocks, size);
	memset(crowd->at, 0, (size_t)32 << size);
	crowd->count = 0;
	for (uint32_t k = 0; k < room(&old); k++)
		if (old.at[k].site)
			table_insert(crowd, strand_number(launch, old.at[k].thread), &old.at[k]);
	clock_give_back(&races->clocks, old.at, old.size);
}

/* Records go to the epochs of their places. */
static void fold_records(struct races *races, const struct race_launch *launch, struct crowd *crowd)
{
	assert(crowd->strong_bytes);
	assert(crowd->count);
	for (uint32_t k = 0; k < room(crowd); k++) {
		const struct record *y = &crowd->at[k];
		struct crowd_site *to = y->site ? site_find(crowd, y, true) : NULL;

		if (y->site)
			site_take(races, launch, to ? to : site_new(races, crowd, y), y);
	}
	clock_give_back(&races->clocks, crowd->at, crowd->size);
	empty_list(races, crowd);
}

/* Some of it may race with others now: it becomes a list. */
static void end_strong(struct races *races, const struct race_launch *launch, struct crowd *crowd)
{
	struct record list[CROWD_RECORDS];
	uint16_t count = 0;

	assert(crowd->strong_bytes);
	if (crowd->count > CROWD_RECORDS)
		fold_records(races, launch, crowd);
	assert(crowd->count <= CROWD_RECORDS);
	for (uint32_t k = 0; k < room(crowd); k++)
		if (crowd->at[k].site)
			list[count++] = crowd->at[k];
	if (crowd->size != LIST_SIZE)
		table_resize(races, launch, crowd, LIST_SIZE);
	memcpy(crowd->at, list, count * sizeof *list);
	crowd->count = count;
	crowd->strong_bytes = 0;
}

static bool is_alike(const struct record *a, const struct record *b)
{
	return a->site == b->site && a->value == b->value;
}

/* The most frequent records, of one site and one value, go to their place. */
static void thin_out(struct races *races, const struct race_launch *launch, struct crowd *crowd)
{
	uint32_t most = 0, kept = 0;
	struct record usual = {0};
	struct crowd_site *to;

	assert(!crowd->strong_bytes);
	assert(crowd->count == CROWD_RECORDS);
	for (uint32_t k = 0; k < crowd->count; k++) {
		uint32_t same = 0;

		for (uint32_t n = 0; n < crowd->count; n++)
			same += is_alike(&crowd->at[n], &crowd->at[k]);
		if (same > most) {
			most = same;
			usual = crowd->at[k];
		}
	}
	to = site_find(crowd, &usual, false);
	if (!to)
		to = site_new(races, crowd, &usual);
	for (uint32_t k = 0; k < crowd->count; k++) {
		const struct record *y = &crowd->at[k];

		if (is_alike(y, &usual))
			site_take(races, launch, to, y);
		else
			crowd->at[kept++] = *y;
	}
	crowd->count = (uint16_t)kept;
	assert(kept < CROWD_RECORDS);
}

/* ---- Joining ---- */

#define MOST_STRONG 9 /* clock_memory: some thousand records */

static void make_room(struct races *races, const struct race_launch *launch, struct crowd *crowd)
{
	assert(crowd->strong_bytes);
	assert(crowd->count < room(crowd));
	if (4 * (crowd->count + 1u) <= 3 * room(crowd))
		return;
	if (crowd->size == MOST_STRONG)
		fold_records(races, launch, crowd);
	else
		table_resize(races, launch, crowd, crowd->size + 1u);
}

/* The record takes the place of one of the same strand for which it stands. */
static void join_table(struct races *races, const struct access *x, struct crowd *crowd)
{
	const struct race_launch *launch = x->warp->group->launch;
	struct crowd_site *place = site_find(crowd, &x->record, true);

	assert(crowd->strong_bytes);
	if (place) {
		site_take(races, launch, place, &x->record);
		return;
	}
	for (uint32_t at = home_of(crowd, x->strand); crowd->at[at].site; at = next_of(crowd, at)) {
		struct record *y = &crowd->at[at];

		if (strand_number(launch, y->thread) == x->strand &&
			(y->site == x->record.site || site_stands_for(x->site, &races->sites.at[y->site]))) {
			*y = x->record;
			return;
		}
	}
	make_room(races, launch, crowd);
	table_insert(crowd, x->strand, &x->record);
}

void crowd_join(struct races *races, const struct access *x, struct crowd *crowd)
{
	if (crowd->strong_bytes && crowd->strong_bytes != crowd_strong_bytes(x->site))
		end_strong(races, x->warp->group->launch, crowd);
	if (crowd->strong_bytes) {
		join_table(races, x, crowd);
		return;
	}
	if (crowd->count == CROWD_RECORDS)
		thin_out(races, x->warp->group->launch, crowd);
	assert(crowd->count < CROWD_RECORDS);
	crowd->at[crowd->count++] = x->record;
}

void crowd_begin(struct races *races, const struct race_launch *launch, struct granule *g)
{
	uint8_t first = crowd_strong_bytes(&races->sites.at[g->at[0].site]);
	uint32_t number;
	struct crowd *crowd = take(races, &number);

	assert(g->at[0].site);
	assert(g->at[1].site);
	assert(g->at[1].site != SITE_CROWD);
	empty_list(races, crowd);
	crowd->strong_bytes = crowd_strong_bytes(&races->sites.at[g->at[1].site]);
	if (!crowd->strong_bytes) {
		crowd->at[crowd->count++] = g->at[1];
	} else {
		table_insert(crowd, strand_number(launch, g->at[1].thread), &g->at[1]);
		if (first == crowd->strong_bytes) {
			table_insert(crowd, strand_number(launch, g->at[0].thread), &g->at[0]);
			g->at[0] = (struct record){0};
		}
	}
	g->at[1] = (struct record){.site = SITE_CROWD, .thread = number};
}

bool crowd_has(const struct access *x, const struct crowd *crowd)
{
	assert(x->record.epoch);
	for (uint32_t k = 0; k < crowd->sites.count; k++) {
		const struct crowd_site *c = &crowd->sites.at[k];

		if (c->site == x->record.site && (c->mixed || c->value == x->record.value) &&
			site_at(c, x->strand) == x->record.epoch)
			return true;
	}
	if (crowd->strong_bytes) {
		for (uint32_t at = home_of(crowd, x->strand); crowd->at[at].site; at = next_of(crowd, at))
			if (!memcmp(&crowd->at[at], &x->record, sizeof x->record))
				return true;
		return false;
	}
	for (uint32_t k = 0; k < crowd->count; k++)
		if (!memcmp(&crowd->at[k], &x->record, sizeof x->record))
			return true;
	return false;
}

bool crowd_has_read(const struct races *races, const struct access *x, const struct crowd *crowd)
{
	uint32_t count = crowd->strong_bytes ? room(crowd) : crowd->count; /* a free slot's site reads nothing */
	bool has = false;

	assert(!races->sites.at[0].reads);
	for (uint32_t k = 0; k < count; k++) {
		const struct site *site = &races->sites.at[crowd->at[k].site];

		has |= strand_number(x->warp->group->launch, crowd->at[k].thread) == x->strand && site->reads &&
		       site->strong;
	}
	for (uint32_t k = 0; k < crowd->sites.count; k++) {
		const struct site *site = &races->sites.at[crowd->sites.at[k].site];

		has |= site->reads && site->strong && site_at(&crowd->sites.at[k], x->strand);
	}
	return has;
}

/* ---- Judging ---- */

/* The lowest of a place's strands with which the access is not ordered; `strong`: those of its own group, or cluster,
 * do not count.  An atomic is only taken to observe what it may race with: to forget the rest by that is not worth it.
 */
enum strong_for { STRONG_FOR_NONE, STRONG_FOR_GROUP, STRONG_FOR_CLUSTER };
static bool site_races(struct races *races, const struct access *x, const struct crowd_site *c, enum strong_for strong,
	bool may_race, uint32_t *strand)
{
	const struct race_group *group = x->warp->group;
	const struct race_launch *launch = group->launch;
	uint32_t of = launch->group_stride * (strong == STRONG_FOR_CLUSTER ? launch->cluster : 1);
	uint32_t first = strand_number(launch, group->first - (group->first - launch->first) % of);
	uint32_t count = of >> launch->shift;

	assert(c->site);
	assert(group->first - launch->first < launch->threads);
	if (!strong) {
		first = x->strand;
		count = 1;
	}
	if (!site_beyond(races, c, x->u->knows.clock, first, count, strand))
		return false;
	/* If it has observed the word's writes, all are taken for observed. */
	return (x->site->is_atomic && !may_race) ||
	       !pair_is_read(races, x, *strand << group->launch->shift, site_at(c, *strand), &races->sites.at[c->site]);
}

static void judge_sites(struct races *races, struct access *x, struct crowd *crowd, uint64_t address)
{
	uint32_t kept = 0;
	/* Where a place cannot race, to see whether it can be forgotten costs more than to keep it. */
	bool thins = crowd->accesses % CROWD_ACCESSES == 0 && clock_is_joined(x->u->knows.clock);

	for (uint32_t k = 0; k < crowd->sites.count; k++) {
		struct crowd_site c = crowd->sites.at[k];
		const struct site *site = &races->sites.at[c.site];
		enum strong_for strong = rule_is_morally_strong(x->site, site, RACE_SCOPE_CLUSTER) ? STRONG_FOR_CLUSTER
					 : rule_is_morally_strong(x->site, site, RACE_SCOPE_GROUP) ? STRONG_FOR_GROUP
												   : STRONG_FOR_NONE;
		bool may_race = rule_may_race(x->site, site, RACE_SCOPE_WIDE);
		bool unordered;
		uint32_t strand;

		if (may_race && site_races(races, x, &c, strong, may_race, &strand)) {
			struct record y = {.thread = strand << x->warp->group->launch->shift,
				.epoch = site_at(&c, strand),
				.site = c.site,
				.value = c.mixed ? (uint16_t)~x->record.value : c.value};

			pair_tell(races, x, &y, address);
		}
		unordered = !site_stands_for(x->site, site) || (!may_race && !thins) ||
			    site_races(races, x, &c, STRONG_FOR_NONE, may_race, &strand);
		if (unordered)
			crowd->sites.at[kept++] = c;
		else
			site_drop(races, &c);
	}
	assert(kept <= crowd->sites.count);
	crowd->sites.count = kept;
}

static int by_thread(const void *left, const void *right)
{
	const struct record *a = left, *b = right;

	return a->thread != b->thread ? (a->thread < b->thread ? -1 : 1) : a->site < b->site ? -1 : a->site > b->site;
}

/* Judges the records, those of a table in the order of their threads, and forgets some. */
static void judge_records(struct races *races, struct access *x, struct crowd *crowd, uint64_t address)
{
	uint16_t kept = 0;

	if (crowd->strong_bytes) {
		for (uint32_t k = 0; k < room(crowd); k++)
			if (crowd->at[k].site)
				crowd->at[kept++] = crowd->at[k];
		assert(kept == crowd->count);
		qsort(crowd->at, kept, sizeof *crowd->at, by_thread);
		kept = 0;
	}
	for (uint32_t k = 0; k < crowd->count; k++)
		if (pair_judge(races, x, &crowd->at[k], address))
			crowd->at[kept++] = crowd->at[k];
	assert(kept <= crowd->count);
	if (crowd->strong_bytes) {
		memset(&crowd->at[kept], 0, (room(crowd) - kept) * sizeof *crowd->at);
		table_resize(races, x->warp->group->launch, crowd, crowd->size);
	}
	crowd->count = kept;
}

void crowd_judge(struct races *races, struct access *x, struct granule *g, uint64_t address)
{
	uint32_t number = g->at[1].thread;
	struct crowd *crowd = &races->crowds.at[number];

	assert(g->at[1].site == SITE_CROWD);
	assert(number);
	assert(number < races->crowds.count);
	crowd->accesses++;
	judge_records(races, x, crowd, address);
	judge_sites(races, x, crowd, address);
	if (!crowd->count && !crowd->sites.count) {
		crowd_drop(races, number);
		g->at[1] = (struct record){0};
	}
}

#define PAUSE 8 /* accesses without a search, after a search that found nothing */

/* Forgets the next record or two, if they are seen to be before the access and it stands for them. */
static void forget_some(struct races *races, const struct access *x, struct crowd *crowd)
{
	assert(crowd->strong_bytes);
	assert(crowd->strong_bytes == crowd_strong_bytes(x->site));
	if (crowd->pause) {
		crowd->pause--;
		return;
	}
	crowd->pause = PAUSE;
	for (uint32_t tries = 0; tries < 2 && crowd->count > 1; tries++) {
		const struct record *y;

		do
			crowd->hand = crowd->hand + 1 < room(crowd) ? crowd->hand + 1 : 0;
		while (!crowd->at[crowd->hand].site);
		y = &crowd->at[crowd->hand];
		if (!site_stands_for(x->site, &races->sites.at[y->site]) ||
			order_is_before(races, x->warp, x->strand, x->u, y->thread, y->epoch, false) != CLOCK_HAS)
			continue;
		table_remove(crowd, x->warp->group->launch, crowd->hand);
		crowd->pause = 0;
	}
}

void crowd_join_strong(struct races *races, struct access *x, struct crowd *crowd, uint64_t address)
{
	assert(crowd->strong_bytes);
	assert(crowd->strong_bytes == crowd_strong_bytes(x->site));
	if (++crowd->accesses % CROWD_ACCESSES == 0)
		judge_sites(races, x, crowd, address);
	if (x->site->writes)
		forget_some(races, x, crowd);
	join_table(races, x, crowd);
}
