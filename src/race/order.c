/* What happens before what: fences, releases and acquires, barriers. */
#include "race/parts.h"

#include <string.h>

enum clock_glance order_is_before(const struct races *races, const struct race_warp *warp, uint32_t strand,
	const struct strand *u, uint32_t thread, uint32_t epoch, bool must)
{
	const struct race_group *group = warp->group;
	uint32_t other = strand_number(group->launch, thread);

	if (other == strand)
		return CLOCK_HAS;
	if (thread - group->first < group->launch->group_lanes && epoch <= u->floor)
		return CLOCK_HAS;
	if (must)
		return chain_knows(races, u->knows.clock, other, epoch) ? CLOCK_HAS : CLOCK_LACKS;
	return chain_glance(races, u->knows.clock, other, epoch);
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
	if (!known_join(&races->clocks, &u->knows, what))
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

/* It learns of a word, as others may. */
static void know_word(struct races *races, const struct race_warp *warp, struct strand *u, const struct knowledge *what)
{
	for (uint32_t k = 0; k < what->count; k++)
		known_join_long(&what->part[k]);
	know_all(races, warp, u, what);
}

static void become(struct races *races, vector_clock *clock, vector_clock what)
{
	vector_clock old = *clock;

	*clock = clock_keep(what);
	clock_drop(&races->clocks, old);
}

/* ---- Words ---- */

static struct version *version_take(struct races *races)
{
	struct version *v = races->free_versions;

	if (!v)
		return arena_new(races->arena, struct version);
	races->free_versions = v->next_free;
	return v;
}

static void version_drop(struct races *races, struct version *v)
{
	if (!v || --v->references)
		return;
	knowledge_forget(&races->clocks, &v->wide);
	knowledge_forget(&races->clocks, &v->near);
	clock_drop(&races->clocks, v->heard);
	clock_drop(&races->clocks, v->fenced);
	v->next_free = races->free_versions;
	races->free_versions = v;
}

/* The word's last version, to be changed. */
static struct version *version_change(struct races *races, struct sync_word *w)
{
	struct version *old = w->last, *v;

	if (old->references == 1)
		return old;
	v = w->last = version_take(races);
	*v = *old;
	v->references = 1;
	v->wide = v->near = KNOWLEDGE_NOTHING;
	knowledge_become(&races->clocks, &v->wide, &old->wide);
	knowledge_become(&races->clocks, &v->near, &old->near);
	clock_keep(v->heard);
	clock_keep(v->fenced);
	old->references--;
	return v;
}

static uint32_t slot_of(const struct sync_table *table, uint64_t key)
{
	uint64_t hash = key * 0x9e3779b97f4a7c15u;
	uint32_t slot = (uint32_t)(hash >> 32) & (table->size - 1);

	while (table->at[slot].last && table->at[slot].key != key)
		slot = (slot + 1) & (table->size - 1);
	return slot;
}

static struct sync_word *find(const struct sync_table *table, uint64_t key)
{
	struct sync_word *w = table->count ? &table->at[slot_of(table, key)] : NULL;

	return w && w->last ? w : NULL;
}

static void grow(struct races *races, struct sync_table *table)
{
	struct sync_table old = *table;

	table->size = old.size ? old.size * 2 : 16;
	table->at = arena_new_array(races->arena, struct sync_word, table->size);
	for (uint32_t k = 0; k < old.size; k++)
		if (old.at[k].last)
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
	*w = (struct sync_word){.key = key, .last = version_take(races), .chain = NO_CHAIN};
	*w->last = (struct version){.references = 1,
		.word = key,
		.space = table == &races->words ? space_GLOBAL : space_SHARED,
		.heard = CLOCK_NOTHING,
		.fenced = CLOCK_NOTHING,
		.writer = UINT32_MAX};
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

/* The strand writes the word, for the `writes`th time. */
static void writers_note(struct races *races, struct sync_word *w, uint32_t strand, uint32_t writes)
{
	struct writer *oldest;

	if (!w->writers)
		w->writers = writers_take(races);
	oldest = w->writers->at;
	for (struct writer *at = w->writers->at; at < w->writers->at + WRITERS; at++) {
		if (at->writes && at->strand == strand) {
			at->writes = writes;
			return;
		}
		if (at->writes < oldest->writes)
			oldest = at;
	}
	*oldest = (struct writer){.strand = strand, .writes = writes};
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

static void empty(struct races *races, struct version *v)
{
	knowledge_forget(&races->clocks, &v->wide);
	knowledge_forget(&races->clocks, &v->near);
	v->near_more = false;
	v->generation++;
}

void sync_clear(struct races *races, struct sync_table *table)
{
	for (uint32_t k = 0; table->count && k < table->size; k++)
		if (table->at[k].last) {
			version_drop(races, table->at[k].last);
			writers_drop(races, table->at[k].writers);
			table->at[k].last = NULL;
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
	uint32_t generation = w->last->generation;

	if (table != own)
		n = makes ? make(races, own, NEAR_KEY | w->key) : find(own, NEAR_KEY | w->key);
	if (!n)
		return NULL;
	if (n->last->generation != generation) {
		knowledge_forget(&races->clocks, &n->last->near);
		n->last->generation = generation;
	}
	return &n->last->near;
}

/* ---- Strong reads and writes ---- */

static struct heard *heard_by(const struct strand *u, uint64_t word, uint8_t space)
{
	for (uint32_t k = 0; u->heard && k < HEARD_WORDS; k++)
		if (u->heard[k].word == word && u->heard[k].of && u->heard[k].of->space == space)
			return &u->heard[k];
	return NULL;
}

static struct heard *heard_take(struct races *races)
{
	if (races->free_heard.count)
		return races->free_heard.at[--races->free_heard.count];
	return arena_new_array(races->arena, struct heard, HEARD_WORDS);
}

static void heard_drop(struct races *races, struct heard *heard)
{
	for (uint32_t h = 0; h < HEARD_WORDS; h++) {
		version_drop(races, heard[h].of);
		heard[h] = (struct heard){0};
	}
	*vector_push(races->arena, &races->free_heard) = heard;
}

static void hear(struct races *races, struct strand *u, struct version *v)
{
	struct heard *h = heard_by(u, v->word, v->space);

	if (!u->heard)
		u->heard = heard_take(races);
	if (!h)
		h = &u->heard[u->heard_next++ % HEARD_WORDS];
	if (h->of == v)
		return;
	v->references++;
	version_drop(races, h->of);
	h->word = v->word;
	h->of = v;
}

bool order_is_observed(struct races *races, const struct race_warp *warp, const struct strand *u, uint64_t word,
	uint8_t space, uint32_t strand, bool has_read)
{
	const struct heard *h = heard_by(u, word, space);
	const struct sync_word *w = find(space == space_SHARED ? &warp->group->words : &races->words, word);

	return h && w ? writers_latest(w, strand) <= h->of->writes : has_read && u->heard_next > HEARD_WORDS;
}

/* What the strand has observed, and does not know already, is known at its next fence. */
static void observe(struct races *races, struct strand *u, enum reach reach, const struct knowledge *what)
{
	for (uint32_t k = 0; k < what->count; k++)
		if (!known_is_in(u->knows.clock, &what->part[k]))
			knowledge_add(&races->clocks, &u->observed[reach], &what->part[k]);
}

static void forget_polled(struct races *races, struct race_warp *warp, uint32_t lane)
{
	version_drop(races, warp->polled[lane].unfenced);
	warp->polled[lane].unfenced = NULL;
	warp->unfenced &= ~((lane_mask)1 << lane);
}

static lane_mask lanes_of(const struct race_warp *warp, const struct strand *u)
{
	return warp->group->launch->shift ? ~(lane_mask)0 : (lane_mask)1 << (u - warp->strand);
}

void order_note_observed(struct races *races, struct race_warp *warp, struct strand *u)
{
	EACH_LANE(lane, warp->unfenced & lanes_of(warp, u)) {
		observe(races, u, REACH_WIDE, &warp->polled[lane].unfenced->wide);
		forget_polled(races, warp, (uint32_t)lane);
	}
}

/* What a lane reads in a word, to be observed later; of what it read in the same word before that has all. */
static void observe_later(struct races *races, struct race_warp *warp, uint32_t lane, struct version *v)
{
	struct polled *p = &warp->polled[lane];

	if (p->unfenced && (p->unfenced->word != v->word || p->unfenced->space != v->space ||
				   p->unfenced->generation != v->generation)) {
		observe(races, strand_of(warp, lane), REACH_WIDE, &p->unfenced->wide);
		forget_polled(races, warp, lane);
	}
	v->references++;
	version_drop(races, p->unfenced);
	p->unfenced = v;
	warp->unfenced |= (lane_mask)1 << lane;
}

/* Whether the word is as the lane has read it last, in the same way; from now on it is. */
static bool is_polled(struct races *races, struct race_warp *warp, uint32_t lane, const struct version *v, uint8_t how)
{
	struct polled *p;

	if (!warp->polled)
		warp->polled = arena_new_array(races->arena, struct polled, warp->group->launch->lanes);
	p = &warp->polled[lane];
	if (p->writes == v->writes && p->word == v->word && p->space == v->space && p->how == how)
		return true;
	p->writes = v->writes;
	p->word = v->word;
	p->space = v->space;
	p->how = how;
	return false;
}

void order_read(struct races *races, struct race_warp *warp, uint32_t lane, const struct site *site, uint64_t key,
	struct sync_table *table)
{
	struct sync_word *w = find(table, key);
	struct strand *u = strand_of(warp, lane);
	struct version *v = w ? w->last : NULL;
	bool now_wide = site->acquires || u->covered[REACH_WIDE], now_near = now_wide || u->covered[REACH_GROUP];
	const struct knowledge *near_by;

	if (!v || !v->writes)
		return;
	if (is_polled(races, warp, lane, v, (uint8_t)(site->wide | now_near << 1 | now_wide << 2))) {
		if (!heard_by(u, v->word, v->space))
			hear(races, u, v);
		return;
	}
	near_by = warp->group->launch->narrow && (!site->wide || v->near_more) ? near(races, warp, table, w, false)
									       : NULL;
	if (near_by && now_near)
		know_word(races, warp, u, near_by);
	else if (near_by)
		observe(races, u, REACH_GROUP, near_by);
	if (site->wide && now_wide)
		know_word(races, warp, u, &v->wide);
	else if (site->wide && v->wide.count)
		observe_later(races, warp, lane, v);
	hear(races, u, v);
}

void order_write(struct races *races, struct race_warp *warp, uint32_t lane, const struct site *site, uint64_t key,
	struct sync_table *table)
{
	struct sync_word *w = make(races, table, key);
	struct version *v = version_change(races, w);
	struct strand *u = strand_of(warp, lane);
	uint32_t strand = order_number(warp, u);
	struct known what;

	/* A store hides what was there, but not what the same thread released there before: 8.8, release pattern. */
	if (!site->is_rmw && v->writer != strand)
		empty(races, v);
	if (site->releases)
		what = chain_event(races, u, strand);
	if (site->wide)
		knowledge_add(&races->clocks, &v->wide, site->releases ? &what : &u->fenced[REACH_WIDE]);
	if (!site->releases) {
		what = u->fenced[REACH_GROUP];
		clock_keep(what.clock);
	}
	v->near_more |= !site->wide || (!site->releases && what.clock != u->fenced[REACH_WIDE].clock);
	if (what.clock != CLOCK_NOTHING && warp->group->launch->narrow)
		knowledge_add(&races->clocks, near(races, warp, table, w, true), &what);
	chain_written(races, u, w, &what, site->is_rmw, v->writer == strand);
	become(races, &v->fenced, what.clock);
	known_forget(&races->clocks, &what);
	writers_note(races, w, strand, ++v->writes);
	become(races, &v->heard, u->knows.clock);
	v->writer = strand;
	v->writer_epoch = u->wrote = u->epoch;
	if (site->releases)
		u->epoch++;
}

/* The strand knows what its lanes have read. */
static void know_polled(struct races *races, struct race_warp *warp, struct strand *u)
{
	EACH_LANE(lane, warp->unfenced & lanes_of(warp, u)) {
		know_word(races, warp, u, &warp->polled[lane].unfenced->wide);
		forget_polled(races, warp, (uint32_t)lane);
	}
}

/* ---- Fences ---- */

void races_fence(struct races *races, struct race_warp *warp, lane_mask lanes, bool wide)
{
	enum reach widest = wide ? REACH_WIDE : REACH_GROUP;

	EACH_LANE(k, order_strands(warp, lanes)) {
		struct strand *u = &warp->strand[k];
		struct known now;

		if (wide)
			know_polled(races, warp, u);
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

		order_note_observed(races, warp, u);
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
		struct version *v =
			version_change(races, make(races, table_of(races, warp, kind), key_of(kind, what[l])));

		order_give(races, warp, (uint32_t)l, &v->wide);
	}
}

void races_get(
	struct races *races, struct race_warp *warp, lane_mask lanes, enum race_handle kind, const uint64_t *what)
{
	EACH_LANE(l, lanes) {
		const struct sync_word *w = find(table_of(races, warp, kind), key_of(kind, what[l]));

		if (w)
			know_word(races, warp, strand_of(warp, (uint32_t)l), &w->last->wide);
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
	if (warp->polled)
		memset(warp->polled, 0, warp->group->launch->lanes * sizeof *warp->polled);
}

void order_end_warp(struct races *races, struct race_warp *warp)
{
	EACH_LANE(lane, warp->unfenced)
		forget_polled(races, warp, (uint32_t)lane);
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
