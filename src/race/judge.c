/* Accesses: whether one races with a remembered one, and which ones to remember. */
#include "race/judge.h"

#include <assert.h>
#include <string.h>

/* ---- A granule ---- */

static struct crowd *crowd_of(const struct races *races, const struct granule *g)
{
	assert(g->at[1].site != SITE_CROWD || g->at[1].thread < races->crowds.count);
	return g->at[1].site == SITE_CROWD ? &races->crowds.at[g->at[1].thread] : NULL;
}

static void remember(struct races *races, const struct access *x, struct granule *g)
{
	assert(x->record.site);
	assert(x->record.epoch);
	if (!g->at[0].site) {
		g->at[0] = x->record;
		return;
	}
	if (!g->at[1].site) {
		g->at[1] = x->record;
		return;
	}
	if (g->at[1].site != SITE_CROWD)
		crowd_begin(races, x->warp->group->launch, g);
	crowd_join(races, x, crowd_of(races, g));
}

static bool is_own_read(const struct races *races, const struct access *x, const struct record *y)
{
	const struct site *site = &races->sites.at[y->site];

	assert(y->site < races->sites.count);
	return strand_number(x->warp->group->launch, y->thread) == x->strand && site->reads && site->strong;
}

static bool has_read(const struct races *races, const struct access *x, const struct granule *g)
{
	const struct crowd *crowd = crowd_of(races, g);

	assert(x->u->forgets);
	return is_own_read(races, x, &g->at[0]) ||
	       (crowd ? crowd_has_read(races, x, crowd) : is_own_read(races, x, &g->at[1]));
}

static void judge_granule(struct races *races, struct access *x, struct granule *g, uint64_t address)
{
	struct crowd *crowd = crowd_of(races, g);
	uint8_t bytes = crowd_strong_bytes(x->site);
	bool is_strong = crowd && bytes && crowd->strong_bytes == bytes;

	assert(g->at[0].site || g->at[1].site);
	if (is_strong && !g->at[0].site) {
		crowd_join_strong(races, x, crowd, address);
		return;
	}
	/* Nothing can happen between an access from this place in this epoch and this one, so what races with this
	 * races with that, and was told. */
	if (crowd && x->site->is_atomic && crowd_has(x, crowd))
		return;
	x->has_read = !x->site->is_atomic && x->u->forgets && has_read(races, x, g);
	if (g->at[0].site && !pair_judge(races, x, &g->at[0], address))
		g->at[0].site = 0;
	if (is_strong) {
		crowd_join_strong(races, x, crowd, address);
		return;
	}
	if (crowd)
		crowd_judge(races, x, g, address);
	else if (g->at[1].site && !pair_judge(races, x, &g->at[1], address))
		g->at[1].site = 0;
	remember(races, x, g);
}

void judge_one_granule(struct races *races, struct access *x, struct granule *g, uint64_t address)
{
	assert(x->record.site);
	assert(x->record.epoch);
	if (!g->at[0].site && !g->at[1].site)
		g->at[0] = x->record;
	else if (memcmp(&g->at[0], &x->record, sizeof x->record))
		judge_granule(races, x, g, address);
}

/* ---- An instruction ---- */

static struct shadow *shadow_of(struct races *races, const struct race_warp *warp, uint8_t space)
{
	struct race_group *group = warp->group;

	if (space != space_SHARED)
		return &races->global;
	return group->cluster ? &group->cluster->shared : &group->shared;
}

static void judge_element(struct races *races, struct access *x, struct shadow *shadow, uint64_t address)
{
	uint32_t count, size;
	struct granule *g = shadow_at(races, shadow, address, x->site->bytes, &count, &size);

	assert(x->site->bytes);
	assert(x->site->bytes <= 16);
	x->address = address;
	for (uint32_t k = 0; k < count; k++)
		judge_one_granule(races, x, &g[k], address + k * size);
}

static void judge_lane(struct races *races, struct access *x, struct shadow *shadow)
{
	uint64_t address = x->all->address[x->lane];

	assert(x->all->insn->access.elements);
	assert(x->lane < 64);
	for (uint32_t e = 0; e < x->all->insn->access.elements; e++, address += x->site->bytes)
		judge_element(races, x, shadow, address);
}

/* ---- Blocks ---- */

#define BLOCK_PART 16u /* bytes */

void judge_block(struct races *races, struct race_warp *warp, uint32_t lane, const struct record *record, uint8_t space,
	uint64_t address, uint64_t bytes)
{
	struct shadow *shadow = shadow_of(races, warp, space);
	struct site site = races->sites.at[record->site];
	const struct race_access all = {
		.insn = &site.kernel->code[site.pc], .lanes = (lane_mask)1 << lane, .space = space};
	struct access x = {.warp = warp,
		.all = &all,
		.site = &site,
		.u = strand_of(warp, lane),
		.lane = lane,
		.strand = strand_number(warp->group->launch, warp->first + lane),
		.record = *record};

	assert(record->site);
	assert(record->site < races->sites.count);
	assert(!site.is_atomic || (site.bytes && site.bytes <= BLOCK_PART));
	for (uint64_t end = address + bytes; address < end; address += site.bytes) {
		uint64_t most = site.is_atomic ? races->sites.at[record->site].bytes : BLOCK_PART;
		uint64_t part = (address | most) & -(address | most);

		while (part > end - address)
			part /= 2;
		site.bytes = (uint8_t)part;
		judge_element(races, &x, shadow, address);
	}
}

void races_block(struct races *races, struct race_warp *warp, uint32_t pc, uint32_t lane, uint8_t space,
	uint64_t address, uint64_t bytes, bool writes)
{
	struct strand *u = strand_of(warp, lane);
	uint16_t site = judge_block_site(races, warp->group->launch, pc, !writes, 0);

	order_go_past_write(u);
	if (site)
		judge_block(races, warp, lane,
			&(struct record){.thread = warp->first + lane, .epoch = u->epoch, .site = site}, space, address,
			bytes);
}

/* ---- Synchronisation ---- */

static struct lookup *words_at(struct races *races, const struct access *x)
{
	return x->all->space == space_SHARED ? words_of(x->warp->group) : &races->words;
}

/* A strong access to an element passes on what its strand knows, and learns what the word passes on. */
static void synchronize_element(
	struct races *races, struct access *x, uint64_t address, bool reads, bool writes, const struct passing *passes)
{
	struct lookup *table = words_at(races, x);
	struct sync_word *w = writes ? word_make(races, table, address) : word_find(table, address);

	assert(reads || writes);
	if (reads)
		order_read(races, x->warp, x->lane, x->site, w, table);
	if (writes)
		order_write(races, x->warp, x->lane, x->site, w, table, passes);
}

static void synchronize(struct races *races, struct access *x, bool reads, bool writes)
{
	uint64_t address = x->all->address[x->lane];

	assert(reads || writes);
	for (uint32_t e = 0; e < x->all->insn->access.elements; e++, address += x->site->bytes)
		synchronize_element(races, x, address, reads, writes, NULL);
}

/* The atomic's elements take effect later, each once; its result comes after that.  Without one it is over then. */
static void send(struct races *races, const struct access *x)
{
	uint32_t elements = x->all->insn->access.elements;

	assert(elements);
	assert(x->site->is_rmw);
	for (uint32_t e = 0; e < elements; e++)
		sent_add(races, x->warp, x->lane, x->site, x->all->address[x->lane] + e * x->site->bytes);
	x->u->outstanding += x->all->pending ? 1 : elements;
}

static void access_lane(struct races *races, struct access *x, const struct site *failed)
{
	bool is_failed = x->all->failed >> x->lane & 1, pends = x->all->pending && x->site->reads, reads, writes;
	const struct site *site = x->site;

	assert(!is_failed || failed);
	if (x->all->later) {
		if (!insn_is_swap(x->all->insn))
			judge_lane(races, x, shadow_of(races, x->warp, x->all->space));
		send(races, x);
		return;
	}
	if (is_failed)
		x->site = failed;
	if (!site->is_atomic)
		order_go_past_write(x->u);
	x->record.epoch = x->u->epoch;
	judge_lane(races, x, shadow_of(races, x->warp, x->all->space));
	x->site = site;
	if (!site->strong)
		return;
	x->u->outstanding += pends;
	reads = site->reads && !pends;
	writes = site->writes && !is_failed;
	if (reads || writes)
		synchronize(races, x, reads, writes);
}

/* By the instruction's site; of_lane makes it that of a lane. */
static struct access access_of(struct race_warp *warp, const struct race_access *a, const struct site *site)
{
	return (struct access){.warp = warp, .all = a, .site = site};
}

static inline void of_lane(struct access *x, uint32_t lane, uint16_t site)
{
	uint32_t thread = x->warp->first + lane;

	assert(site);
	assert(thread - x->warp->group->first < x->warp->group->launch->group_lanes);
	x->u = strand_of(x->warp, lane);
	x->lane = lane;
	x->strand = strand_number(x->warp->group->launch, thread);
	x->record = (struct record){.thread = thread,
		.epoch = x->u->epoch,
		.site = site,
		.value = x->all->written ? x->all->written[lane] : 0};
	x->told = 0;
}

void judge_remember(struct races *races, struct race_warp *warp, const struct race_access *a, const struct site *site,
	uint16_t number, uint32_t lane, struct granule *g)
{
	struct access x = access_of(warp, a, site);

	assert(number);
	of_lane(&x, lane, number);
	remember(races, &x, g);
}

void judge_plain(struct races *races, struct race_warp *warp, const struct race_access *a, uint32_t epoch)
{
	uint16_t number = site_number(races, warp->group->launch, a->pc);
	struct site site = races->sites.at[number];
	struct access x = access_of(warp, a, &site);
	struct shadow *shadow = shadow_of(races, warp, a->space);
	lane_mask judged = runs_judge(races, warp, a, &site, number, epoch, shadow);

	assert(epoch);
	assert(number);
	assert(!(judged & ~a->lanes));
	EACH_LANE(l, a->lanes & ~judged) {
		of_lane(&x, (uint32_t)l, number);
		x.record.epoch = epoch;
		judge_lane(races, &x, shadow);
	}
}

/* The epoch in which the lanes do a plain access; 0: it is not the same for all. */
static uint32_t epoch_of(struct race_warp *warp, lane_mask lanes)
{
	uint32_t epoch = 0;
	bool differs = false;

	assert(lanes);
	EACH_LANE(k, order_strands(warp, lanes)) {
		struct strand *u = &warp->strand[k];

		order_go_past_write(u);
		differs |= epoch && epoch != u->epoch;
		epoch = u->epoch;
	}
	return differs ? 0 : epoch;
}

/* Judges plain accesses of a warp as one, or puts them off.  Returns the lanes of which that was done. */
static lane_mask judge_as_one(struct races *races, struct race_warp *warp, const struct race_access *a,
	const struct site *site, uint16_t number)
{
	uint32_t epoch = site->strong ? 0 : epoch_of(warp, a->lanes);

	assert(number);
	if (!epoch)
		return 0;
	if (a->space == space_SHARED && put_off(races, warp, a, site, epoch))
		return a->lanes;
	return runs_judge(races, warp, a, site, number, epoch, shadow_of(races, warp, a->space));
}

void races_access(struct races *races, struct race_warp *warp, const struct race_access *a)
{
	struct race_launch *launch = warp->group->launch;
	bool is_swap = insn_is_swap(a->insn);
	uint16_t number = site_number(races, launch, a->pc), other = 0;
	struct site failed, site;
	struct access x;
	lane_mask judged;

	assert(a->lanes);
	if (is_swap)
		other = site_of_failed(races, launch, a->pc, &failed);
	if (!number || (is_swap && !other))
		return;
	site = races->sites.at[number];
	judged = judge_as_one(races, warp, a, &site, number);
	x = access_of(warp, a, &site);
	EACH_LANE(l, a->lanes & ~judged) {
		of_lane(&x, (uint32_t)l, a->failed >> l & 1 ? other : number);
		access_lane(races, &x, is_swap ? &failed : NULL);
	}
}

/* A strong read is over. */
static void ends_read(struct strand *u)
{
	if (!u->outstanding || --u->outstanding)
		return;
	memset(u->covered, 0, sizeof u->covered);
	memset(u->covered_sc, 0, sizeof u->covered_sc);
}

/* A compare-and-swap is judged now, as it may have failed.  Others were when they were issued: what other threads did
 * since may come after them, by a barrier for which they did not hold up their warp. */
static void take_effect(struct races *races, struct access *x, struct sent *sent, const struct site *failed)
{
	const struct site *site = x->site;

	assert(sent->site == site->number);
	x->record.epoch = sent->passes->epoch;
	if (failed)
		x->site = failed;
	if (insn_is_swap(x->all->insn))
		judge_element(races, x, shadow_of(races, x->warp, x->all->space), sent->address);
	x->site = site;
	synchronize_element(races, x, sent->address, true, !failed, sent->passes);
	if (!x->all->pending)
		ends_read(x->u);
	sent_arrived(races, x->warp, x->lane, sent);
}

void races_take_effect(struct races *races, struct race_warp *warp, const struct race_access *a)
{
	struct race_launch *launch = warp->group->launch;
	uint16_t number = site_number(races, launch, a->pc), other = 0;
	struct site site = races->sites.at[number], failed;
	struct access x = access_of(warp, a, &site);

	assert(a->lanes);
	if (a->failed)
		other = site_of_failed(races, launch, a->pc, &failed);
	EACH_LANE(l, a->lanes) {
		bool fails = a->failed >> l & 1;
		struct sent *sent = number && warp->first_sent ? sent_find(warp, (uint32_t)l, number, a->address[l],
									 a->insn->access.elements * site.bytes)
							       : NULL;

		if (!sent)
			continue;
		of_lane(&x, (uint32_t)l, fails ? other : number);
		take_effect(races, &x, sent, fails ? &failed : NULL);
	}
}

/* An atomic has read when it took effect. */
void races_read(struct races *races, struct race_warp *warp, const struct race_access *a)
{
	uint16_t number = site_number(races, warp->group->launch, a->pc);
	struct site site = races->sites.at[number];
	struct access x = access_of(warp, a, &site);

	assert(a->lanes);
	if (!number)
		return;
	EACH_LANE(l, a->lanes) {
		of_lane(&x, (uint32_t)l, number);
		if (!site.is_rmw)
			synchronize(races, &x, true, false);
		ends_read(x.u);
	}
}
