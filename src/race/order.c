/* What happens before what: fences, releases and acquires, barriers. */
#include "race/parts.h"

#include <assert.h>
#include <string.h>

enum clock_glance order_is_before(const struct races *races, const struct race_warp *warp, uint32_t strand,
	const struct strand *u, uint32_t thread, uint32_t epoch, bool must)
{
	const struct race_group *group = warp->group;
	uint32_t other = strand_number(group->launch, thread);

	assert(epoch);
	assert(warp->strand <= u);
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
	assert(u >= warp->strand);
	assert(u < warp->strand + warp->strands);
	return strand_number(warp->group->launch, warp->first) + (uint32_t)(u - warp->strand);
}

lane_mask order_strands(const struct race_warp *warp, lane_mask lanes)
{
	return warp->group->launch->shift ? lanes != 0 : lanes;
}

/* The strand learns something, in its current epoch. */
static void know(struct races *races, const struct race_warp *warp, struct strand *u, const struct known *what)
{
	assert(u->epoch);
	put_off_end(races, warp->group);
	if (!known_join(&races->clocks, &u->knows, what))
		return;
	u->knows.thread = order_number(warp, u);
	u->knows.epoch = u->epoch;
	chain_learned(races, u, what);
}

static void know_all(struct races *races, const struct race_warp *warp, struct strand *u, const struct knowledge *what)
{
	EACH_PART(part, what)
		know(races, warp, u, part);
}

/* The strand learns from a word, as others may. */
static void know_word(struct races *races, const struct race_warp *warp, struct strand *u, const struct knowledge *what)
{
	EACH_PART(part, what)
		known_join_long(part);
	know_all(races, warp, u, what);
}

/* ---- Strong reads and writes ---- */

/* The strand observes something; it knows it at its next fence. */
static void observe(struct races *races, struct strand *u, enum reach reach, const struct knowledge *what)
{
	assert(reach < REACHES);
	EACH_PART(part, what)
		if (!known_is_in(u->knows.clock, part))
			knowledge_add(&races->clocks, &u->observed[reach], part);
}

static void forget_polled(struct races *races, struct race_warp *warp, uint32_t lane)
{
	assert(warp->polled);
	assert(warp->unfenced >> lane & 1);
	knowledge_forget(&races->clocks, &warp->polled[lane].unfenced);
	warp->unfenced &= ~((lane_mask)1 << lane);
}

static lane_mask lanes_of(const struct race_warp *warp, const struct strand *u)
{
	assert(u >= warp->strand);
	assert(u < warp->strand + warp->strands);
	return warp->group->launch->shift ? ~(lane_mask)0 : (lane_mask)1 << (u - warp->strand);
}

void order_note_observed(struct races *races, struct race_warp *warp, struct strand *u)
{
	EACH_LANE(lane, warp->unfenced & lanes_of(warp, u)) {
		observe(races, u, REACH_WIDE, &warp->polled[lane].unfenced);
		forget_polled(races, warp, (uint32_t)lane);
	}
	assert(!(warp->unfenced & lanes_of(warp, u)));
}

/* Whether the word is as the lane has read it last, in the same way; from now on it is so. */
static bool is_polled(struct polled *p, const struct sync_word *w, uint8_t how)
{
	assert(w->writes);
	if (p->writes == w->writes && p->name == w->name && p->how == how)
		return true;
	p->name = w->name;
	p->writes = w->writes;
	p->how = how;
	return false;
}

static bool is_in(const struct knowledge *what, const struct knowledge *in)
{
	if (in->count != 1)
		return false;
	EACH_PART(part, what)
		if (part->clock != in->one.clock && !known_is_in(in->one.clock, part))
			return false;
	return true;
}

/* What the word passes on is to be observed later.  What was read of another word is observed now, unless one of them
 * includes the other: a thread that has taken a lock mostly reads no news in what it guards.  Of the same word, what is
 * read now includes what was read before. */
static void observe_later(struct races *races, struct race_warp *warp, uint32_t lane, const struct sync_word *w)
{
	struct polled *p = &warp->polled[lane];

	assert(lane < warp->group->launch->lanes);
	assert(warp->polled);
	if ((warp->unfenced >> lane & 1) && (p->unfenced_name != w->name || p->unfenced_generation != w->generation)) {
		if (is_in(&w->wide, &p->unfenced))
			return;
		if (!is_in(&p->unfenced, &w->wide))
			observe(races, strand_of(warp, lane), REACH_WIDE, &p->unfenced);
	}
	knowledge_become(&races->clocks, &p->unfenced, &w->wide);
	p->unfenced_name = w->name;
	p->unfenced_generation = w->generation;
	warp->unfenced |= (lane_mask)1 << lane;
}

/* A read that acquires also acquires what earlier reads of the same word have seen, even if a store of another thread
 * has hidden it since: 8.8, acquire pattern, a strong read and then an acquire of the same location. */
static void know_hidden(struct races *races, struct race_warp *warp, uint32_t lane, const struct site *site,
	const struct sync_word *w, const struct lookup *table)
{
	const struct race_group *group = warp->group;
	struct strand *u = strand_of(warp, lane);
	const struct polled *p = &warp->polled[lane];
	const struct told *told = word_hidden(u, w);
	enum race_scope between;

	assert(site->acquires);
	assert(warp->polled);
	if (site_is_wide(site) && (warp->unfenced >> lane & 1) && p->unfenced_name == w->name &&
		p->unfenced_generation != w->generation) {
		know_word(races, warp, u, &p->unfenced);
		forget_polled(races, warp, lane);
	}
	if (!told || told->fenced == CLOCK_NOTHING)
		return;
	between = scope_between(group, told->writer << group->launch->shift);
	if (table == &group->words || (between != RACE_SCOPE_WIDE && rule_includes(site->scope, between)) ||
		(site_is_wide(site) && !group->launch->narrow))
		know(races, warp, u, &(struct known){.clock = told->fenced});
}

/* The strand learns, at once or at a fence.sc, what a fence.sc of another passes on in that reach. */
static void learn_sc(struct races *races, const struct race_warp *warp, struct strand *u, enum reach reach,
	const struct knowledge *what)
{
	assert(reach < REACHES);
	if (!what)
		return;
	if (u->covered_sc[reach]) {
		know_word(races, warp, u, what);
		return;
	}
	EACH_PART(part, what)
		if (!known_is_in(u->knows.clock, part))
			knowledge_add(&races->clocks, &u->observed_sc[reach], part);
}

/* What the word passes on from one fence.sc to another. */
static void read_sc(struct races *races, struct race_warp *warp, struct strand *u, const struct site *site,
	const struct sync_word *w, const struct lookup *table)
{
	struct race_group *group = warp->group;
	struct sync_word *s = word_find(table, word_sc_key(w));

	assert(group->launch->meets_sc);
	if (!s)
		return;
	if (group->launch->narrow)
		learn_sc(races, warp, u, REACH_GROUP, word_near(races, &group->words, table, s, false));
	if (group->cluster && group->launch->narrow && rule_includes(site->scope, RACE_SCOPE_CLUSTER))
		learn_sc(races, warp, u, REACH_CLUSTER, word_near(races, &group->cluster->words, table, s, false));
	if (site_is_wide(site))
		learn_sc(races, warp, u, REACH_WIDE, &s->wide);
}

static void write_sc(struct races *races, struct race_warp *warp, const struct known *fenced, const struct site *site,
	const struct sync_word *w, struct lookup *table, bool hides)
{
	struct race_group *group = warp->group;
	struct sync_word *s = word_find(table, word_sc_key(w));

	assert(group->launch->meets_sc);
	if (!s && fenced[REACH_GROUP].clock == CLOCK_NOTHING)
		return;
	if (!s)
		s = word_make(races, table, word_sc_key(w));
	else if (hides)
		word_empty(races, s);
	if (site_is_wide(site))
		knowledge_add(&races->clocks, &s->wide, &fenced[REACH_WIDE]);
	if (!group->launch->narrow)
		return;
	if (group->cluster && rule_includes(site->scope, RACE_SCOPE_CLUSTER))
		knowledge_add(&races->clocks, word_near(races, &group->cluster->words, table, s, true),
			&fenced[REACH_CLUSTER]);
	knowledge_add(&races->clocks, word_near(races, &group->words, table, s, true), &fenced[REACH_GROUP]);
}

/* The strand learns, `now` or at its next fence, what the word passes on within the cluster. */
static void read_in_cluster(struct races *races, struct race_warp *warp, struct strand *u, struct sync_word *w,
	const struct lookup *table, bool now)
{
	const struct knowledge *what = word_near(races, &warp->group->cluster->words, table, w, false);

	assert(warp->group->cluster);
	assert(!now || warp->group->launch->reaches > REACH_CLUSTER);
	if (what && now)
		know_word(races, warp, u, what);
	else if (what)
		observe(races, u, REACH_CLUSTER, what);
}

void order_read(struct races *races, struct race_warp *warp, uint32_t lane, const struct site *site,
	struct sync_word *w, const struct lookup *table)
{
	struct strand *u = strand_of(warp, lane);
	struct race_group *group = warp->group;
	bool now_wide = rule_acquires_alone(site) || u->covered[REACH_WIDE];
	bool now_cluster = now_wide || u->covered[REACH_CLUSTER];
	bool now_near = now_cluster || u->covered[REACH_GROUP];
	uint8_t how = (uint8_t)(site->scope | now_near << 2 | now_cluster << 3 | now_wide << 4 |
				u->covered_sc[REACH_GROUP] << 5 | u->covered_sc[REACH_WIDE] << 6);
	const struct knowledge *near_by;

	assert(site->reads);
	assert(site->strong);
	if (!w || !w->writes)
		return;
	if (!warp->polled)
		warp->polled = arena_new_array(races->arena, struct polled, group->launch->lanes);
	if (is_polled(&warp->polled[lane], w, how)) {
		if (!word_is_heard(u, w))
			word_hear(races, u, w, site);
		return;
	}
	if (rule_acquires_alone(site))
		know_hidden(races, warp, lane, site, w, table);
	if (group->launch->meets_sc)
		read_sc(races, warp, u, site, w, table);
	near_by = group->launch->narrow && (!site_is_wide(site) || w->near_more)
			  ? word_near(races, &group->words, table, w, false)
			  : NULL;
	if (near_by && now_near)
		know_word(races, warp, u, near_by);
	else if (near_by)
		observe(races, u, REACH_GROUP, near_by);
	if (group->cluster && group->launch->narrow && rule_includes(site->scope, RACE_SCOPE_CLUSTER))
		read_in_cluster(races, warp, u, w, table, now_cluster);
	if (site_is_wide(site) && now_wide)
		know_word(races, warp, u, &w->wide);
	else if (site_is_wide(site) && w->wide.count)
		observe_later(races, warp, lane, w);
	word_hear(races, u, w, site);
}

static bool has_access(const struct races *races, const struct knowledge *what, uint32_t strand, uint32_t epoch)
{
	assert(epoch);
	if (what)
		EACH_PART(part, what)
			if (chain_knows(races, part->clock, strand, epoch))
				return true;
	return false;
}

bool order_is_acquired(struct races *races, const struct race_warp *warp, const struct site *site, struct sync_word *w,
	const struct lookup *table, uint32_t strand, uint32_t epoch)
{
	struct race_group *group = warp->group;

	assert(rule_acquires_alone(site));
	assert(w->name);
	if (site_is_wide(site) && has_access(races, &w->wide, strand, epoch))
		return true;
	if (!group->launch->narrow)
		return false;
	if (group->cluster && rule_includes(site->scope, RACE_SCOPE_CLUSTER) &&
		has_access(races, word_near(races, &group->cluster->words, table, w, false), strand, epoch))
		return true;
	return has_access(races, word_near(races, &group->words, table, w, false), strand, epoch);
}

/* What a write passes on by itself, or by its thread's last fence; the reference is the caller's. */
static struct known passed_on(
	struct races *races, struct strand *u, uint32_t strand, const struct site *site, const struct passing *passes)
{
	struct known what = passes ? passes->event : u->fenced[REACH_GROUP];

	if (!rule_releases_alone(site) && passes)
		what = passes->fenced[REACH_GROUP];
	else if (rule_releases_alone(site) && !passes)
		return chain_event(races, u, strand);
	assert(!passes || passes->epoch <= u->epoch);
	clock_keep(what.clock);
	return what;
}

void order_write(struct races *races, struct race_warp *warp, uint32_t lane, const struct site *site,
	struct sync_word *w, struct lookup *table, const struct passing *passes)
{
	struct strand *u = strand_of(warp, lane);
	struct race_group *group = warp->group;
	const struct known *fenced = passes ? passes->fenced : u->fenced;
	struct writer by = {.strand = order_number(warp, u),
		.epoch = passes ? passes->epoch : u->epoch,
		.floor = passes ? passes->floor : u->floor,
		.fenced = passes ? passes->fenced_to : u->fenced_to};
	bool hides = rule_hides(site, w->writer == by.strand), releases = rule_releases_alone(site);
	struct known what;

	assert(w->writes < UINT32_MAX);
	word_changes(races, w);
	if (group->launch->meets_sc)
		write_sc(races, warp, passes ? passes->fenced_sc : u->fenced_sc, site, w, table, hides);
	if (hides)
		word_empty(races, w);
	what = passed_on(races, u, by.strand, site, passes);
	if (site_is_wide(site))
		knowledge_add(&races->clocks, &w->wide, releases ? &what : &fenced[REACH_WIDE]);
	if (group->cluster && group->launch->narrow && rule_includes(site->scope, RACE_SCOPE_CLUSTER))
		knowledge_add(&races->clocks, word_near(races, &group->cluster->words, table, w, true),
			releases ? &what : &fenced[REACH_CLUSTER]);
	w->near_more |= !site_is_wide(site) || (!releases && what.clock != fenced[REACH_WIDE].clock);
	if (what.clock != CLOCK_NOTHING && group->launch->narrow)
		knowledge_add(&races->clocks, word_near(races, &group->words, table, w, true), &what);
	w->site = !w->writes || w->since > w->writes || w->site == site->number ? site->number : 0;
	chain_written(races, u, w, &what, site->is_rmw, w->writer == by.strand);
	if (releases)
		by.fenced = by.epoch;
	word_written(races, w, &by, passes ? passes->heard : u->knows.clock, what.clock);
	known_forget(&races->clocks, &what);
	u->takes |= site->takes;
	if (passes)
		return;
	u->wrote = u->epoch;
	u->epoch += releases;
}

/* The strand knows what its lanes have read. */
static void know_polled(struct races *races, struct race_warp *warp, struct strand *u)
{
	lane_mask lanes = warp->unfenced & lanes_of(warp, u);
	struct known all[64 * KNOWLEDGE_PARTS], last;
	uint32_t count = 0;

	if (!lanes)
		return;
	put_off_end(races, warp->group);
	EACH_LANE(lane, lanes)
		EACH_PART(part, &warp->polled[lane].unfenced) {
			known_join_long(part);
			all[count++] = *part;
			assert(count <= sizeof all / sizeof *all);
		}
	if (known_join_all(&races->clocks, &u->knows, all, count, &last)) {
		u->knows.thread = order_number(warp, u);
		u->knows.epoch = u->epoch;
		chain_learned(races, u, &last);
	}
	EACH_LANE(lane, lanes)
		forget_polled(races, warp, (uint32_t)lane);
}

/* ---- Fences ---- */

static bool is_within(enum reach reach, enum race_scope scope)
{
	static const uint8_t threads[] = {
		[REACH_GROUP] = RACE_SCOPE_GROUP, [REACH_CLUSTER] = RACE_SCOPE_CLUSTER, [REACH_WIDE] = RACE_SCOPE_WIDE};

	assert(reach < REACHES);
	return rule_includes((uint8_t)scope, (enum race_scope)threads[reach]);
}

/* The strand knows what it has observed; `sc`: by a fence.sc. */
static void fence_acquires(
	struct races *races, struct race_warp *warp, struct strand *u, enum race_scope scope, bool sc)
{
	assert(warp->group->launch->reaches <= REACHES);
	u->heard_fenced = (uint8_t)((1u << u->heard_count) - 1);
	if (scope == RACE_SCOPE_WIDE)
		know_polled(races, warp, u);
	for (enum reach reach = 0; reach < warp->group->launch->reaches; reach++) {
		if (!is_within(reach, scope))
			continue;
		know_all(races, warp, u, &u->observed[reach]);
		knowledge_forget(&races->clocks, &u->observed[reach]);
		u->covered[reach] |= u->outstanding != 0;
		if (!sc)
			continue;
		know_all(races, warp, u, &u->observed_sc[reach]);
		knowledge_forget(&races->clocks, &u->observed_sc[reach]);
		u->covered_sc[reach] |= u->outstanding != 0;
	}
}

/* The strand's strong writes pass on what it knows and did. */
static void fence_releases(
	struct races *races, struct race_warp *warp, struct strand *u, enum race_scope scope, bool sc)
{
	struct known now = chain_event(races, u, order_number(warp, u));

	assert(u->epoch < UINT32_MAX);
	for (enum reach reach = 0; reach < warp->group->launch->reaches; reach++)
		if (is_within(reach, scope)) {
			known_become(&races->clocks, &u->fenced[reach], &now);
			if (sc)
				known_become(&races->clocks, &u->fenced_sc[reach], &now);
		}
	known_forget(&races->clocks, &now);
	u->fenced_to = u->epoch++;
}

void races_fence(
	struct races *races, struct race_warp *warp, lane_mask lanes, enum race_fence what, enum race_scope scope)
{
	bool sc = rule_has_fence_sc_order(what) && warp->group->launch->meets_sc;

	assert(what);
	EACH_LANE(k, order_strands(warp, lanes)) {
		if (rule_fence_acquires(what))
			fence_acquires(races, warp, &warp->strand[k], scope, sc);
		if (rule_fence_releases(what))
			fence_releases(races, warp, &warp->strand[k], scope, sc);
	}
}

/* ---- Locks and the like ---- */

static uint64_t key_of(enum race_handle kind, uint64_t what)
{
	assert(what >> 60 == 0);
	return (uint64_t)(kind + 1) << 60 | what; /* no address is so high */
}

static struct lookup *table_of(struct races *races, struct race_warp *warp, enum race_handle kind)
{
	return kind == RACE_HANDLE_BIT ? &warp->group->words : &races->words;
}

void order_give(struct races *races, struct race_warp *warp, uint32_t lane, struct knowledge *into)
{
	struct strand *u = strand_of(warp, lane);
	struct known now = chain_event(races, u, order_number(warp, u));

	assert(u->epoch < UINT32_MAX);
	knowledge_add(&races->clocks, into, &now);
	known_forget(&races->clocks, &now);
	u->epoch++;
}

void order_get(struct races *races, struct race_warp *warp, uint32_t lane, const struct knowledge *what)
{
	know_word(races, warp, strand_of(warp, lane), what);
}

void order_give_fenced(struct races *races, struct race_warp *warp, uint32_t lane, struct knowledge *into)
{
	knowledge_add(&races->clocks, into, &strand_of(warp, lane)->fenced[REACH_GROUP]);
}

void order_observe(struct races *races, struct race_warp *warp, uint32_t lane, const struct knowledge *what)
{
	observe(races, strand_of(warp, lane), REACH_GROUP, what);
}

void order_note_relaxed(struct races *races, struct race_warp *warp, uint32_t lane, struct knowledge *into)
{
	struct strand *u = strand_of(warp, lane);
	struct known now = u->knows;

	assert(u->epoch < UINT32_MAX);
	clock_keep(now.clock);
	known_mark(&races->clocks, &now, order_number(warp, u), u->epoch);
	knowledge_add(&races->clocks, into, &now);
	known_forget(&races->clocks, &now);
	u->epoch++;
}

void races_give(
	struct races *races, struct race_warp *warp, lane_mask lanes, enum race_handle kind, const uint64_t *what)
{
	assert(lanes);
	EACH_LANE(l, lanes) {
		struct sync_word *w = word_make(races, table_of(races, warp, kind), key_of(kind, what[l]));

		order_give(races, warp, (uint32_t)l, &w->wide);
	}
}

void races_get(
	struct races *races, struct race_warp *warp, lane_mask lanes, enum race_handle kind, const uint64_t *what)
{
	assert(lanes);
	EACH_LANE(l, lanes) {
		const struct sync_word *w = word_find(table_of(races, warp, kind), key_of(kind, what[l]));

		if (w)
			order_get(races, warp, (uint32_t)l, &w->wide);
	}
}

/* ---- Warps ---- */

void order_begin_warp(struct race_warp *warp)
{
	assert(!warp->unfenced);
	assert(warp->strands <= warp->group->strands);
	for (uint32_t k = 0; k < warp->strands; k++) {
		struct strand *u = &warp->strand[k];

		*u = (struct strand){.epoch = 1};
		u->knows.clock = clock_keep(warp->group->launch->start);
	}
	for (uint32_t b = 0; b < 16; b++)
		warp->waits[b] = 0;
	warp->together = 0;
	release_begin_warp(warp);
	if (warp->polled)
		memset(warp->polled, 0, warp->group->launch->lanes * sizeof *warp->polled);
}

void order_end_warp(struct races *races, struct race_warp *warp)
{
	EACH_LANE(lane, warp->unfenced)
		forget_polled(races, warp, (uint32_t)lane);
	sent_end_warp(races, warp);
	assert(!warp->unfenced);
	for (uint32_t k = 0; k < warp->strands; k++) {
		struct strand *u = &warp->strand[k];

		known_forget(&races->clocks, &u->knows);
		knowledge_forget(&races->clocks, &u->relaxed);
		for (uint32_t reach = 0; reach < REACHES; reach++) {
			knowledge_forget(&races->clocks, &u->observed[reach]);
			known_forget(&races->clocks, &u->fenced[reach]);
			knowledge_forget(&races->clocks, &u->observed_sc[reach]);
			known_forget(&races->clocks, &u->fenced_sc[reach]);
		}
		word_forget_heard(races, u);
	}
}
