/* What happens before what: fences, releases and acquires, barriers. */
#include "race/parts.h"

#include <string.h>

bool order_is_before(const struct races *races, const struct race_warp *warp, uint32_t strand, const struct strand *u,
	uint32_t thread, uint32_t epoch)
{
	const struct race_group *group = warp->group;
	uint32_t other = strand_number(group->launch, thread);

	if (other == strand)
		return true;
	if (thread - group->first < group->launch->group_lanes && epoch <= u->floor)
		return true;
	return chain_knows(races, u->knows.clock, other, epoch);
}

/* ---- Helpers ---- */

uint32_t order_number(const struct race_warp *warp, const struct strand *u)
{
	return strand_number(warp->group->launch, warp->first) + (uint32_t)(u - warp->strand);
}

lane_mask order_strands(const struct race_warp *warp, lane_mask lanes)
{
	if (warp->group->launch->shift)
		return lanes != 0;
	return lanes;
}

static void learn(struct races *races, struct known *into, const struct known *what)
{
	known_join(&races->clocks, into, what);
}

/* The strand learns something in its present epoch. */
static void know(struct races *races, const struct race_warp *warp, struct strand *u, const struct known *what)
{
	vector_clock before = u->knows.clock;

	learn(races, &u->knows, what);
	if (u->knows.clock == before)
		return;
	u->knows.thread = order_number(warp, u);
	u->knows.epoch = u->epoch;
	chain_learned(races, u, what);
}

static void know_all(struct races *races, const struct race_warp *warp, struct strand *u, const struct knowledge *what)
{
	for (uint32_t k = 0; k < what->count; k++)
		know(races, warp, u, &what->part[k]);
}

static void become(struct races *races, vector_clock *clock, vector_clock what)
{
	vector_clock old = *clock;

	*clock = clock_keep(what);
	clock_drop(&races->clocks, old);
}

/* ---- Words ---- */

static uint32_t slot_of(const struct sync_table *table, uint64_t key)
{
	uint64_t hash = key * 0x9e3779b97f4a7c15u;
	uint32_t slot = (uint32_t)(hash >> 32) & (table->size - 1);

	while (table->at[slot].used && table->at[slot].key != key)
		slot = (slot + 1) & (table->size - 1);
	return slot;
}

static struct sync_word *find(const struct sync_table *table, uint64_t key)
{
	struct sync_word *w = table->count ? &table->at[slot_of(table, key)] : NULL;

	return w && w->used ? w : NULL;
}

static void grow(struct races *races, struct sync_table *table)
{
	struct sync_table old = *table;

	table->size = old.size ? old.size * 2 : 16;
	table->at = arena_new_array(races->arena, struct sync_word, table->size);
	for (uint32_t k = 0; k < old.size; k++)
		if (old.at[k].used)
			table->at[slot_of(table, old.at[k].key)] = old.at[k];
}

static struct sync_word *make(struct races *races, struct sync_table *table, uint64_t key)
{
	struct sync_word *w = find(table, key);

	if (w)
		return w;
	if (table->count * 2 >= table->size)
		grow(races, table);
	w = &table->at[slot_of(table, key)];
	w->used = true;
	w->key = key;
	w->wide = w->near = KNOWLEDGE_NOTHING;
	w->heard = w->fenced = CLOCK_NOTHING;
	w->writers = NULL;
	w->writes = 0;
	w->chain = NO_CHAIN;
	w->taken = false;
	w->generation = 0;
	w->writer = UINT32_MAX;
	table->count++;
	return w;
}

/* ---- The strands that wrote a word ---- */

static struct writers *writers_take(struct races *races)
{
	struct writers *writers = races->free_writers;

	if (!writers)
		return arena_new(races->arena, struct writers);
	races->free_writers = writers->next_free;
	memset(writers, 0, sizeof *writers);
	return writers;
}

static void writers_drop(struct races *races, struct writers *writers)
{
	if (!writers)
		return;
	writers->next_free = races->free_writers;
	races->free_writers = writers;
}

/* The strand writes the word. */
static void writers_note(struct races *races, struct sync_word *w, uint32_t strand)
{
	struct writer *oldest;

	w->writes++;
	if (!w->writers)
		w->writers = writers_take(races);
	oldest = w->writers->at;
	for (struct writer *at = w->writers->at; at < w->writers->at + WRITERS; at++) {
		if (at->writes && at->strand == strand) {
			at->writes = w->writes;
			return;
		}
		if (at->writes < oldest->writes)
			oldest = at;
	}
	*oldest = (struct writer){.strand = strand, .writes = w->writes};
}

/* The number of the strand's last write of the word.  0 if it is forgotten: if it came behind a read, those that are
 * not forgotten did, too, so that one of them is told. */
static uint32_t writers_latest(const struct sync_word *w, uint32_t strand)
{
	for (const struct writer *at = w->writers->at; w->writers && at < w->writers->at + WRITERS; at++)
		if (at->writes && at->strand == strand)
			return at->writes;
	return 0;
}

static void empty(struct races *races, struct sync_word *w)
{
	knowledge_forget(&races->clocks, &w->wide);
	knowledge_forget(&races->clocks, &w->near);
	w->generation++;
}

void sync_clear(struct races *races, struct sync_table *table)
{
	for (uint32_t k = 0; table->count && k < table->size; k++)
		if (table->at[k].used) {
			empty(races, &table->at[k]);
			clock_drop(&races->clocks, table->at[k].heard);
			writers_drop(races, table->at[k].writers);
			clock_drop(&races->clocks, table->at[k].fenced);
			table->at[k].used = false;
		}
	table->count = 0;
}

#define NEAR_KEY ((uint64_t)1 << 59) /* no address is so high */

/* What the word hands on within the warp's group; null: nothing. */
static struct knowledge *near(
	struct races *races, struct race_warp *warp, const struct sync_table *table, struct sync_word *w, bool makes)
{
	struct sync_table *own = &warp->group->words;
	struct sync_word *n = w;
	uint32_t generation = w->generation;

	if (table != own)
		n = makes ? make(races, own, NEAR_KEY | w->key) : find(own, NEAR_KEY | w->key);
	if (!n)
		return NULL;
	if (n->generation != generation) {
		knowledge_forget(&races->clocks, &n->near);
		n->generation = generation;
	}
	return &n->near;
}

/* ---- Strong reads and writes ---- */

static const struct heard *heard_by(const struct strand *u, uint64_t word, uint8_t space)
{
	for (uint32_t k = 0; u->heard && k < HEARD_WORDS; k++)
		if (u->heard[k].word == word && u->heard[k].space == space)
			return &u->heard[k];
	return NULL;
}

static struct heard *heard_take(struct races *races)
{
	struct heard *heard = races->free_heard.count ? races->free_heard.at[--races->free_heard.count]
						      : arena_new_array(races->arena, struct heard, HEARD_WORDS);

	for (uint32_t h = 0; h < HEARD_WORDS; h++)
		heard[h] = (struct heard){.clock = CLOCK_NOTHING, .fenced = CLOCK_NOTHING, .writer = CLOCK_NO_THREAD};
	return heard;
}

static void heard_drop(struct races *races, struct heard *heard)
{
	for (uint32_t h = 0; h < HEARD_WORDS; h++) {
		clock_drop(&races->clocks, heard[h].clock);
		clock_drop(&races->clocks, heard[h].fenced);
	}
	*vector_push(races->arena, &races->free_heard) = heard;
}

static void hear(struct races *races, struct strand *u, const struct sync_word *w, uint8_t space)
{
	const struct heard *known = heard_by(u, w->key, space);
	struct heard *h;

	if (!u->heard)
		u->heard = heard_take(races);
	h = &u->heard[known ? (uint32_t)(known - u->heard) : u->heard_next++ % HEARD_WORDS];
	h->writes = w->writes;
	become(races, &h->clock, w->heard);
	h->writer = w->writer;
	h->epoch = w->writer_epoch;
	h->word = w->key;
	h->space = space;
	become(races, &h->fenced, w->fenced);
}

bool order_is_observed(struct races *races, const struct race_warp *warp, const struct strand *u, uint64_t word,
	uint8_t space, uint32_t strand, bool has_read)
{
	const struct heard *h = heard_by(u, word, space);
	const struct sync_word *w = find(space == space_SHARED ? &warp->group->words : &races->words, word);

	return h && w ? writers_latest(w, strand) <= h->writes : has_read && u->heard_next > HEARD_WORDS;
}

/* What the strand has observed, and does not know already, is known at its next fence. */
static void observe(struct races *races, struct strand *u, enum reach reach, const struct knowledge *what)
{
	for (uint32_t k = 0; k < what->count; k++)
		if (!known_is_in(u->knows.clock, &what->part[k]))
			knowledge_add(&races->clocks, &u->observed[reach], &what->part[k]);
}

void order_read(struct races *races, struct race_warp *warp, uint32_t lane, const struct site *site, uint64_t key,
	struct sync_table *table)
{
	struct sync_word *w = find(table, key);
	struct strand *u = strand_of(warp, lane);
	const struct knowledge *group, nothing = {0}, *of[REACHES];

	if (!w)
		return;
	group = near(races, warp, table, w, false);
	of[REACH_GROUP] = group ? group : &nothing;
	of[REACH_WIDE] = site->wide ? &w->wide : &nothing;
	for (uint32_t reach = 0; reach < REACHES; reach++) {
		bool now = site->acquires || u->covered[REACH_WIDE] || (reach == REACH_GROUP && u->covered[reach]);

		if (now)
			know_all(races, warp, u, of[reach]);
		else
			observe(races, u, reach, of[reach]);
	}
	if (w->writes)
		hear(races, u, w, table == &races->words ? space_GLOBAL : space_SHARED);
}

void order_write(struct races *races, struct race_warp *warp, uint32_t lane, const struct site *site, uint64_t key,
	struct sync_table *table)
{
	struct sync_word *w = make(races, table, key);
	struct strand *u = strand_of(warp, lane);
	uint32_t strand = order_number(warp, u);
	struct known what;

	/* A store hides what was there, but not what the same thread released there before: 8.8, release pattern. */
	if (!site->is_rmw && w->writer != strand)
		empty(races, w);
	if (site->releases)
		what = chain_event(races, u, strand);
	if (site->wide)
		knowledge_add(&races->clocks, &w->wide, site->releases ? &what : &u->fenced[REACH_WIDE]);
	if (!site->releases) {
		what = u->fenced[REACH_GROUP];
		clock_keep(what.clock);
	}
	if (what.clock != CLOCK_NOTHING)
		knowledge_add(&races->clocks, near(races, warp, table, w, true), &what);
	chain_written(races, u, w, &what, site->is_rmw, w->writer == strand);
	become(races, &w->fenced, what.clock);
	known_forget(&races->clocks, &what);
	writers_note(races, w, strand);
	become(races, &w->heard, u->knows.clock);
	w->writer = strand;
	w->writer_epoch = u->wrote = u->epoch;
	if (site->releases)
		u->epoch++;
}

/* ---- Fences ---- */

void races_fence(struct races *races, struct race_warp *warp, lane_mask lanes, bool wide)
{
	enum reach widest = wide ? REACH_WIDE : REACH_GROUP;

	EACH_LANE(k, order_strands(warp, lanes)) {
		struct strand *u = &warp->strand[k];
		struct known now;

		for (uint32_t reach = 0; reach <= widest; reach++) {
			know_all(races, warp, u, &u->observed[reach]);
			knowledge_forget(&races->clocks, &u->observed[reach]);
			u->covered[reach] |= u->outstanding != 0;
		}
		now = chain_event(races, u, order_number(warp, u));
		for (uint32_t reach = 0; reach <= widest; reach++)
			known_become(&races->clocks, &u->fenced[reach], &now);
		known_forget(&races->clocks, &now);
		u->epoch++;
	}
}

/* ---- Threads that meet ----
 *
 * What a thread's fence handed on, and what it has observed and not fenced yet, is for those that it meets, too: all
 * threads fence and come to a barrier, and one raises the flag behind it; or one sees the flag, and all fence behind
 * the barrier.  Fences are ordered among each other (8.9.3, Fence-SC order), which is why programs may do so. */

static void open_meeting(struct meeting *m)
{
	m->known = KNOWN_NOTHING;
	for (uint32_t reach = 0; reach < REACHES; reach++) {
		m->fenced[reach] = KNOWN_NOTHING;
		m->observed[reach] = KNOWLEDGE_NOTHING;
	}
}

static void close_meeting(struct races *races, struct meeting *m)
{
	known_forget(&races->clocks, &m->known);
	for (uint32_t reach = 0; reach < REACHES; reach++) {
		known_forget(&races->clocks, &m->fenced[reach]);
		knowledge_forget(&races->clocks, &m->observed[reach]);
	}
}

static void add_run(struct races *races, struct meeting *m, uint32_t first, uint32_t count, uint32_t epoch)
{
	m->known.clock = clock_set(&races->clocks, m->known.clock, first, count, epoch);
	m->known.thread = CLOCK_NO_THREAD; /* no thread knew that */
}

/* Adds what strands know, and did; of neighbours with equal epochs at once.  Their next epoch begins. */
static void gather(struct races *races, struct race_warp *warp, lane_mask strands, struct meeting *m, uint32_t *latest)
{
	vector_clock last = CLOCK_NOTHING;

	EACH_LANE(k, strands) {
		struct strand *u = &warp->strand[k];

		if (u->knows.clock != last)
			learn(races, &m->known, &u->knows);
		last = u->knows.clock;
		for (uint32_t reach = 0; reach < REACHES; reach++) {
			learn(races, &m->fenced[reach], &u->fenced[reach]);
			knowledge_join(&races->clocks, &m->observed[reach], &u->observed[reach]);
		}
		if (u->epoch > *latest)
			*latest = u->epoch;
	}
	for (uint32_t k = 0; k < warp->strands;) {
		uint32_t first = k, epoch = warp->strand[k].epoch;

		for (; k < warp->strands && strands >> k & 1 && warp->strand[k].epoch == epoch; k++)
			;
		if (k > first)
			add_run(races, m, order_number(warp, &warp->strand[first]), k - first, epoch);
		else
			k++;
	}
	EACH_LANE(k, strands)
		warp->strand[k].epoch++;
}

/* The strands waited for all that met; `latest` is no earlier than what these have done. */
static void go_on(
	struct races *races, struct race_warp *warp, lane_mask strands, const struct meeting *m, uint32_t latest)
{
	EACH_LANE(k, strands) {
		struct strand *u = &warp->strand[k];

		if (latest >= u->epoch)
			u->epoch = latest + 1;
		known_become(&races->clocks, &u->knows, &m->known);
		u->knows.thread = order_number(warp, u);
		u->knows.epoch = u->epoch;
		for (uint32_t reach = 0; reach < REACHES; reach++) {
			known_become(&races->clocks, &u->fenced[reach], &m->fenced[reach]);
			knowledge_become(&races->clocks, &u->observed[reach], &m->observed[reach]);
			u->fenced[reach].thread = order_number(warp, u); /* what hears of the next epoch has all this */
			u->fenced[reach].epoch = u->epoch;
		}
	}
}

void races_together(struct races *races, struct race_warp *warp, lane_mask lanes, lane_mask members)
{
	struct meeting m;
	uint32_t latest = 0;

	if (warp->group->launch->shift)
		return;
	if (!(lanes & ~warp->together)) { /* they met those that went on before */
		warp->together &= ~lanes;
		return;
	}
	members |= lanes;
	open_meeting(&m);
	gather(races, warp, members, &m, &latest);
	EACH_LANE(k, members) /* one epoch for all: the next barrier then has one run of them */
		add_run(races, &m, order_number(warp, &warp->strand[k]), 1, latest);
	go_on(races, warp, members, &m, latest);
	close_meeting(races, &m);
	warp->together = members & ~lanes;
}

/* ---- Barriers ---- */

void races_arrive(struct races *races, struct race_warp *warp, uint32_t barrier, lane_mask lanes, bool waits)
{
	struct race_barrier *b = &warp->group->barrier[barrier];

	if (!b->used) {
		*b = (struct race_barrier){.used = true};
		open_meeting(&b->meeting);
	}
	gather(races, warp, order_strands(warp, lanes), &b->meeting, &b->latest);
	if (waits)
		warp->waits[barrier] |= order_strands(warp, lanes);
	else
		b->arrives_only = true;
}

static lane_mask all_strands(const struct race_warp *warp)
{
	return warp->strands == 64 ? ~(lane_mask)0 : ((lane_mask)1 << warp->strands) - 1;
}

void races_open(struct races *races, struct race_group *group, uint32_t barrier)
{
	struct race_barrier *b = &group->barrier[barrier];
	const struct race_launch *launch = group->launch;
	bool all = !b->arrives_only;

	if (!b->used)
		return;
	for (uint32_t k = 0; k < launch->warps; k++)
		all &= group->warp[k].waits[barrier] == all_strands(&group->warp[k]);
	if (all)
		add_run(races, &b->meeting, strand_number(launch, group->first), launch->group_lanes >> launch->shift,
			b->latest);
	for (uint32_t k = 0; k < launch->warps; k++) {
		struct race_warp *warp = &group->warp[k];
		lane_mask strands = warp->waits[barrier];

		go_on(races, warp, strands, &b->meeting, b->latest);
		if (all)
			EACH_LANE(n, strands)
				warp->strand[n].floor = b->latest;
		warp->waits[barrier] = 0;
	}
	order_close_barrier(races, b);
}

void order_close_barrier(struct races *races, struct race_barrier *b)
{
	if (b->used)
		close_meeting(races, &b->meeting);
	b->used = false;
}

/* ---- Locks and the like ---- */

static uint64_t key_of(enum race_handle kind, uint64_t what)
{
	return (uint64_t)(kind + 1) << 60 | what; /* no address is so high */
}

static struct sync_table *table_of(struct races *races, struct race_warp *warp, enum race_handle kind)
{
	return kind == RACE_HANDLE_BIT ? &warp->group->words : &races->words;
}

void order_give(struct races *races, struct race_warp *warp, uint32_t lane, struct knowledge *into)
{
	struct strand *u = strand_of(warp, lane);
	struct known now = chain_event(races, u, order_number(warp, u));

	knowledge_add(&races->clocks, into, &now);
	known_forget(&races->clocks, &now);
	u->epoch++;
}

void order_get(struct races *races, struct race_warp *warp, uint32_t lane, const struct knowledge *what)
{
	know_all(races, warp, strand_of(warp, lane), what);
}

void races_give(
	struct races *races, struct race_warp *warp, lane_mask lanes, enum race_handle kind, const uint64_t *what)
{
	EACH_LANE(l, lanes) {
		struct sync_word *w = make(races, table_of(races, warp, kind), key_of(kind, what[l]));

		order_give(races, warp, (uint32_t)l, &w->wide);
	}
}

void races_get(
	struct races *races, struct race_warp *warp, lane_mask lanes, enum race_handle kind, const uint64_t *what)
{
	EACH_LANE(l, lanes) {
		const struct sync_word *w = find(table_of(races, warp, kind), key_of(kind, what[l]));

		if (w)
			order_get(races, warp, (uint32_t)l, &w->wide);
	}
}

/* ---- Warps ---- */

void order_begin_warp(struct races *races, struct race_warp *warp)
{
	(void)races;
	for (uint32_t k = 0; k < warp->strands; k++) {
		struct strand *u = &warp->strand[k];

		*u = (struct strand){.epoch = 1, .chain = NO_CHAIN, .knows = KNOWN_NOTHING};
		u->knows.clock = clock_keep(warp->group->launch->start);
		for (uint32_t h = 0; h < HELD_CHAINS; h++)
			u->held[h] = NO_CHAIN;
		for (uint32_t reach = 0; reach < REACHES; reach++) {
			u->fenced[reach] = KNOWN_NOTHING;
			u->observed[reach] = KNOWLEDGE_NOTHING;
		}
	}
	for (uint32_t b = 0; b < 16; b++)
		warp->waits[b] = 0;
	warp->together = 0;
}

void order_end_warp(struct races *races, struct race_warp *warp)
{
	for (uint32_t k = 0; k < warp->strands; k++) {
		struct strand *u = &warp->strand[k];

		known_forget(&races->clocks, &u->knows);
		for (uint32_t reach = 0; reach < REACHES; reach++) {
			knowledge_forget(&races->clocks, &u->observed[reach]);
			known_forget(&races->clocks, &u->fenced[reach]);
		}
		if (u->heard)
			heard_drop(races, u->heard);
		u->heard = NULL;
	}
}
