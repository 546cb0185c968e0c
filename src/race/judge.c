/* Accesses: whether each races with one that is remembered, and which of them are to be remembered. */
#include "race/parts.h"

#include "ptx/ops.h"

#include <assert.h>
#include <string.h>

/* An access of one lane. */
struct access {
	struct race_warp *warp;
	const struct race_access *all; /* of its instruction */
	const struct site *site;
	struct strand *u;
	uint32_t lane, strand;
	struct record record;
	uint64_t address; /* of the element */
	bool has_read;    /* the strand's own strong read of the granule is remembered */
	uint16_t told;    /* a race of this access with this site has been counted */
};

/* ---- Sites ---- */

static bool is_strong(const struct insn *i)
{
	switch (i->kind) {
	case INSN_LOAD:
	case INSN_STORE: return i->access.order > order_WEAK;
	case INSN_COPY:
	case INSN_FRAGMENT:
	case INSN_TEXTURE:
	case INSN_MBARRIER: return false; /* orders by its phases: copy.c */
	default: return true;
	}
}

/* An operation on an mbarrier: init and inval write it, all others may meet. */
static struct site site_of_object(const struct kernel *kernel, uint32_t pc)
{
	uint16_t op = kernel->code[pc].op;
	bool plain = op == OP_mbarrier_init || op == OP_mbarrier_inval;

	return (struct site){.kernel = kernel,
		.pc = pc,
		.bytes = 8,
		.reads = !plain,
		.writes = ptx_ops[op].effects != EFFECT_READS,
		.is_atomic = !plain,
		.is_object = true,
		.no_value = true};
}

/* Of each kind that accesses memory what it does. */
static struct site site_of(const struct races *races, const struct kernel *kernel, uint32_t pc)
{
	const struct insn *i = &kernel->code[pc];
	uint8_t order = i->access.order;
	struct site site = {.kernel = kernel, .pc = pc, .bytes = i->access.bytes, .strong = is_strong(i)};

	site.is_atomic = site.strong && !(order == order_VOLATILE && races->asked.volatiles);
	site.is_rmw = i->kind == INSN_ATOMIC || i->kind == INSN_ACQUIRE || i->kind == INSN_RELEASE;
	site.reads = i->kind == INSN_LOAD || i->kind == INSN_LOAD_LOCK || site.is_rmw;
	site.writes = i->kind == INSN_STORE || i->kind == INSN_STORE_UNLOCK || site.is_rmw;
	site.wide = i->access.scope != scope_CTA && i->kind != INSN_LOAD_LOCK && i->kind != INSN_STORE_UNLOCK;
	site.acquires = site.strong && (order == order_ACQUIRE || order == order_ACQ_REL || order == order_SC);
	site.releases = site.strong && (order == order_RELEASE || order == order_ACQ_REL || order == order_SC);
	if (i->kind == INSN_ACQUIRE || i->kind == INSN_RELEASE || i->kind == INSN_LOAD_LOCK ||
		i->kind == INSN_STORE_UNLOCK)
		site.bytes = 4;
	return site;
}

static bool is_group_fence(const struct insn *i)
{
	return i->op == OP_membar_cta || (i->op == OP_fence && i->modifiers.scope == scope_CTA);
}

bool kernel_is_narrow(const struct races *races, const struct kernel *kernel)
{
	for (uint32_t pc = 0; pc < kernel->code_count; pc++) {
		const struct insn *i = &kernel->code[pc];
		struct site site = site_of(races, kernel, pc);

		if ((site.reads || site.writes) && site.strong && !site.wide)
			return true;
		if (is_group_fence(i))
			return true;
	}
	return false;
}

/* 0: there are too many. */
static uint16_t site_number(struct races *races, struct race_launch *launch, uint32_t pc)
{
	if (!launch->site[pc] && races->sites.count < SITE_CROWD) {
		launch->site[pc] = (uint16_t)races->sites.count;
		*vector_push(races->arena, &races->sites) = launch->kernel->code[pc].kind == INSN_MBARRIER
								    ? site_of_object(launch->kernel, pc)
								    : site_of(races, launch->kernel, pc);
	}
	return launch->site[pc];
}

uint16_t judge_block_site(struct races *races, struct race_launch *launch, uint32_t pc, bool source)
{
	const struct insn *i = &launch->kernel->code[pc];
	uint16_t *number = &launch->site[source ? launch->kernel->code_count + pc : pc];
	bool copies = i->kind == INSN_COPY;

	assert(!*number || races->sites.at[*number].no_value);
	if (*number || races->sites.count >= SITE_CROWD)
		return *number;
	*number = (uint16_t)races->sites.count;
	*vector_push(races->arena, &races->sites) = (struct site){.kernel = launch->kernel,
		.pc = pc,
		.reads = source,
		.writes = !source,
		.no_value = true,
		.is_copy = copies};
	return *number;
}

/* ---- Pairs ---- */

static bool same_group(const struct race_group *group, uint32_t thread)
{
	return thread - group->first < group->launch->group_stride;
}

/* Both are of the same bytes: what is aligned to its size, and overlaps. */
static bool is_strong_pair(const struct site *a, const struct site *b, bool of_one_group)
{
	return a->is_atomic && b->is_atomic && a->bytes == b->bytes && (of_one_group || (a->wide && b->wide));
}

/* Whether lane `other` of the same warp did the remembered access with the same instruction, just now. */
static bool is_at_once(const struct access *x, const struct record *y)
{
	uint32_t other = y->thread - x->warp->first, bytes = x->site->bytes * x->all->insn->access.elements;

	if (y->site != x->record.site || other >= x->lane || !(x->all->lanes >> other & 1))
		return false;
	return x->all->address[other] + bytes > x->address && x->all->address[other] < x->address + x->site->bytes;
}

/* Whether the record was before the access.  Unless it `must` be known, not at the price of joining clocks: then it may
 * be CLOCK_UNSURE. */
static enum clock_glance is_before(const struct races *races, const struct access *x, const struct record *y, bool must)
{
	const struct race_launch *launch = x->warp->group->launch;

	if (launch->shift && strand_number(launch, y->thread) == x->strand && y->thread != x->record.thread)
		return is_at_once(x, y) ? CLOCK_LACKS : CLOCK_HAS;
	return order_is_before(races, x->warp, x->strand, x->u, y->thread, y->epoch, must);
}

/* Whether it is a strong write that the strand has observed. */
static bool is_observed(struct races *races, const struct access *x, uint32_t thread, const struct site *site)
{
	return site->strong && site->writes && !x->site->is_atomic &&
	       order_is_observed(races, x->warp, x->u, x->address, x->all->space,
		       strand_number(x->warp->group->launch, thread), x->has_read);
}

/* Whether the thread has heard of the other's access: by a word that the other wrote behind it.  Plain accesses behind
 * the write are of a later epoch; atomics may be of the same, and are then not taken for heard of. */
static const struct heard *heard_of(const struct races *races, const struct access *x, const struct record *y)
{
	uint32_t other = strand_number(x->warp->group->launch, y->thread);
	uint32_t first = y->epoch + races->sites.at[y->site].is_atomic;
	uint64_t own = word_name(x->address, x->all->space);

	for (uint32_t k = 0; k < x->u->heard_count; k++) {
		const struct heard *h = &x->u->heard[k];

		if (h->name == own)
			continue;
		if ((h->of->writer == other && h->of->writer_epoch >= first) ||
			chain_knows(races, h->of->heard, other, y->epoch))
			return h;
	}
	return NULL;
}

/* Whether a fence of the thread, now, would order the two. */
static bool wants_fence(const struct races *races, const struct access *x, const struct record *y)
{
	uint32_t other = strand_number(x->warp->group->launch, y->thread);

	for (uint32_t reach = 0; reach < REACHES; reach++)
		EACH_PART(part, &x->u->observed[reach])
			if (chain_knows(races, part->clock, other, y->epoch))
				return true;
	return false;
}

/* Of one that the thread has heard of: what is missing. */
static enum race_cause cause_of_heard(
	const struct races *races, const struct access *x, const struct record *y, const struct heard *heard)
{
	uint32_t other = strand_number(x->warp->group->launch, y->thread);

	if (wants_fence(races, x, y) || !chain_knows(races, heard->of->fenced, other, y->epoch))
		return RACE_FENCE;
	return RACE_SCOPE;
}

static bool is_same_value(const struct access *x, const struct record *y, const struct site *site)
{
	return !x->site->reads && !site->reads && !x->site->no_value && !site->no_value &&
	       x->site->bytes == site->bytes && x->record.value == y->value;
}

static enum race_cause cause_of(const struct races *races, const struct access *x, const struct record *y,
	const struct site *site, const struct heard **heard, enum race_detail *detail)
{
	uint32_t other = y->thread - x->warp->first;
	bool near = same_group(x->warp->group, y->thread);

	*heard = NULL;
	*detail = RACE_NO_DETAIL;
	if (x->site->is_atomic && site->is_atomic)
		return x->site->bytes != site->bytes ? RACE_SIZE : RACE_SCOPE;
	if (is_same_value(x, y, site))
		return RACE_SAME_VALUE;
	*heard = heard_of(races, x, y);
	if (*heard)
		return cause_of_heard(races, x, y, *heard);
	if (wants_fence(races, x, y)) /* it met a thread that has read such a word */
		return RACE_FENCE;
	if (site->is_copy)
		return copy_cause(races, x->warp, y, detail);
	if (x->site->is_object && site->is_object)
		*detail = RACE_DETAIL_INIT;
	else if (x->site->is_atomic != site->is_atomic)
		return RACE_PLAIN;
	if (other < x->warp->group->launch->lanes)
		return RACE_SYNCWARP;
	if (y->thread - x->warp->group->launch->first >= x->warp->group->launch->threads)
		return RACE_HOST;
	return near ? RACE_BARRIER : RACE_NO_ORDER;
}

/* False: it is told only if that is asked for. */
static bool tell(struct races *races, struct access *x, const struct record *y, uint64_t address)
{
	const struct heard *heard;
	enum race_detail detail;
	enum race_cause cause;

	order_note_observed(races, x->warp, x->u);
	cause = cause_of(races, x, y, &races->sites.at[y->site], &heard, &detail);

	if (cause == RACE_SAME_VALUE && !races->asked.same_values)
		return false;
	if (x->told != y->site)
		found_add(races, x->warp, &x->record, y, x->all->space, address, cause, detail, heard);
	x->told = y->site;
	return cause != RACE_SAME_VALUE;
}

/* ---- Crowds ---- */

static bool is_alike(const struct record *a, const struct record *b)
{
	return a->site == b->site && a->value == b->value;
}

/* All records of one site, and one value, go to its epochs: those of which there are most. */
static void thin_out(struct races *races, const struct race_launch *launch, struct crowd *crowd)
{
	uint32_t most = 0, kept = 0;
	struct record usual = {0};
	struct crowd_site *to = NULL;

	for (uint32_t k = 0; k < crowd->count; k++) {
		uint32_t same = 0;

		for (uint32_t n = 0; n < crowd->count; n++)
			same += is_alike(&crowd->at[n], &crowd->at[k]);
		if (same > most) {
			most = same;
			usual = crowd->at[k];
		}
	}
	for (uint32_t k = 0; k < crowd->sites.count; k++)
		if (crowd->sites.at[k].site == usual.site && crowd->sites.at[k].value == usual.value)
			to = &crowd->sites.at[k];
	if (!to) {
		to = vector_push(races->arena, &crowd->sites);
		*to = (struct crowd_site){.site = usual.site, .value = usual.value, .epochs = CLOCK_NOTHING};
	}
	for (uint32_t k = 0; k < crowd->count; k++) {
		const struct record *y = &crowd->at[k];

		if (is_alike(y, &usual))
			crowd_site_add(races, to, strand_number(launch, y->thread), y->epoch);
		else
			crowd->at[kept++] = *y;
	}
	crowd->count = kept;
}

/* The lowest strand of those that came from a site that the access is not ordered with; `strong`: those of its own
 * group do not count. */
static bool crowd_races(
	struct races *races, const struct access *x, const struct crowd_site *c, bool strong, uint32_t *strand)
{
	const struct race_group *group = x->warp->group;
	uint32_t first = strong ? strand_number(group->launch, group->first) : x->strand;
	uint32_t count = strong ? group->launch->group_stride >> group->launch->shift : 1;

	/* Of a word whose writes it has observed all are taken for observed. */
	return crowd_site_beyond(races, c, x->u->knows.clock, first, count, strand) &&
	       !is_observed(races, x, *strand << group->launch->shift, &races->sites.at[c->site]);
}

static void judge_crowd_sites(struct races *races, struct access *x, struct crowd *crowd, uint64_t address)
{
	uint32_t kept = 0;
	/* To see whether the crowd is behind costs more than to keep it, where it cannot race. */
	bool thins = crowd->accesses % CROWD_ACCESSES == 0 && clock_is_joined(x->u->knows.clock);

	for (uint32_t k = 0; k < crowd->sites.count; k++) {
		struct crowd_site c = crowd->sites.at[k];
		const struct site *site = &races->sites.at[c.site];
		bool near_is_strong = is_strong_pair(x->site, site, true), unordered;
		bool may_race = site_conflicts(x->site, site) && !is_strong_pair(x->site, site, false);
		uint32_t strand;

		if (may_race && crowd_races(races, x, &c, near_is_strong, &strand)) {
			struct record y = {.thread = strand << x->warp->group->launch->shift,
				.epoch = crowd_site_at(&c, strand),
				.site = c.site,
				.value = c.mixed ? (uint16_t)~x->record.value : c.value};

			tell(races, x, &y, address);
		}
		unordered = !site_stands_for(x->site, site) || (!may_race && !thins) ||
			    crowd_races(races, x, &c, false, &strand);
		if (unordered)
			crowd->sites.at[kept++] = c;
		else
			crowd_site_drop(races, &c);
	}
	crowd->sites.count = kept;
}

/* ---- A granule ---- */

/* Bytes that the generic proxy has written are for the asynchronous proxy only behind a fence between the two. */
static void judge_proxy(struct races *races, struct access *x, const struct record *y, uint64_t address)
{
	const struct site *site = &races->sites.at[y->site];

	if (site->is_bulk || !site->writes || !same_group(x->warp->group, y->thread) || x->told == y->site ||
		copy_is_proxied(races, x->warp, x->u, y, x->all->space))
		return;
	found_add(races, x->warp, &x->record, y, x->all->space, address, RACE_FENCE, RACE_DETAIL_PROXY, NULL);
	x->told = y->site;
}

/* Judges one record; whether it is still to be remembered.  Where it cannot race it is forgotten if it is seen to be
 * before; one that is remembered for nothing does no harm.  Of threads that poll a word one is seldom before the other.
 */
static bool judge(struct races *races, struct access *x, const struct record *y, uint64_t address)
{
	const struct site *site = &races->sites.at[y->site];
	bool may_race =
		site_conflicts(x->site, site) && !is_strong_pair(x->site, site, same_group(x->warp->group, y->thread));
	bool own = y->thread == x->record.thread;
	bool stands = site_stands_for(x->site, site) && (may_race || own || site->writes || !x->site->is_atomic),
	     before = false;

	if (may_race || stands)
		before = is_before(races, x, y, may_race) == CLOCK_HAS || is_observed(races, x, y->thread, site);
	if (may_race && !before && tell(races, x, y, address) && site->writes && stands)
		return false; /* of stores that race the last is enough: their bytes have been told */
	if (before && x->site->is_bulk)
		judge_proxy(races, x, y, address);
	if (own && y->site == x->record.site)
		return false;
	return !(before && stands);
}

static void judge_crowd(struct races *races, struct access *x, struct granule *g, uint64_t address)
{
	uint32_t number = g->at[1].thread, kept = 0;
	struct crowd *crowd = &races->crowds.at[number];

	crowd->accesses++;
	for (uint32_t k = 0; k < crowd->count; k++)
		if (judge(races, x, &crowd->at[k], address))
			crowd->at[kept++] = crowd->at[k];
	crowd->count = kept;
	judge_crowd_sites(races, x, crowd, address);
	if (!crowd->count && !crowd->sites.count) {
		crowd_drop(races, number);
		g->at[1] = (struct record){0};
	}
}

/* Of an access that races with none of the same kind the bytes; else 0. */
static uint8_t strong_bytes(const struct site *site)
{
	return site->is_atomic && site->wide ? site->bytes : 0;
}

/* Adds an access to those of its place, in a crowd of which none race; false: there are not many of that place. */
static bool join_crowd_site(struct races *races, const struct access *x, struct crowd *crowd)
{
	for (uint32_t k = 0; k < crowd->sites.count; k++) {
		struct crowd_site *c = &crowd->sites.at[k];

		if (c->site != x->record.site)
			continue;
		c->mixed |= c->value != x->record.value;
		crowd_site_add(races, c, x->strand, x->record.epoch);
		return true;
	}
	return false;
}

static void add_to_crowd(struct races *races, const struct access *x, struct crowd *crowd)
{
	if (crowd->count == CROWD_RECORDS)
		thin_out(races, x->warp->group->launch, crowd);
	crowd->at[crowd->count++] = x->record;
}

static void join_crowd(struct races *races, const struct access *x, struct crowd *crowd)
{
	if (crowd->strong_bytes != strong_bytes(x->site))
		crowd->strong_bytes = 0;
	if (!crowd->strong_bytes || !join_crowd_site(races, x, crowd))
		add_to_crowd(races, x, crowd);
}

static void remember(struct races *races, const struct access *x, struct granule *g)
{
	struct crowd *crowd;
	uint32_t number;

	if (!g->at[0].site) {
		g->at[0] = x->record;
		return;
	}
	if (!g->at[1].site) {
		g->at[1] = x->record;
		return;
	}
	if (g->at[1].site != SITE_CROWD) {
		crowd = crowd_take(races, &number);
		crowd->at[crowd->count++] = g->at[1];
		crowd->strong_bytes = strong_bytes(&races->sites.at[g->at[1].site]);
		g->at[1] = (struct record){.site = SITE_CROWD, .thread = number};
	}
	join_crowd(races, x, &races->crowds.at[g->at[1].thread]);
}

/* Whether the access is of a granule of which no accesses race, this one neither, and there are many.  They are then
 * all remembered: most are not before each other. */
static bool joins_strong(struct races *races, const struct access *x, const struct granule *g)
{
	struct crowd *crowd = g->at[1].site == SITE_CROWD ? &races->crowds.at[g->at[1].thread] : NULL;
	uint8_t bytes = strong_bytes(x->site);

	if (!crowd || !bytes || crowd->strong_bytes != bytes || !g->at[0].site ||
		strong_bytes(&races->sites.at[g->at[0].site]) != bytes)
		return false;
	if ((crowd->accesses + 1) % CROWD_ACCESSES == 0)
		return false;
	crowd->accesses++;
	if (join_crowd_site(races, x, crowd))
		return true;
	for (uint32_t k = 0; k < crowd->count; k++)
		if (!memcmp(&crowd->at[k], &x->record, sizeof x->record))
			return true;
	add_to_crowd(races, x, crowd);
	return true;
}

static bool is_own_read(const struct races *races, const struct access *x, const struct record *y)
{
	const struct site *site = &races->sites.at[y->site];

	return strand_number(x->warp->group->launch, y->thread) == x->strand && site->reads && site->strong;
}

static bool has_read(const struct races *races, const struct access *x, const struct granule *g)
{
	const struct crowd *crowd = g->at[1].site == SITE_CROWD ? &races->crowds.at[g->at[1].thread] : NULL;
	bool has = is_own_read(races, x, &g->at[0]) || (!crowd && is_own_read(races, x, &g->at[1]));

	for (uint32_t k = 0; crowd && k < crowd->count; k++)
		has |= is_own_read(races, x, &crowd->at[k]);
	for (uint32_t k = 0; crowd && k < crowd->sites.count; k++)
		has |= races->sites.at[crowd->sites.at[k].site].reads &&
		       races->sites.at[crowd->sites.at[k].site].strong && crowd_site_at(&crowd->sites.at[k], x->strand);
	return has;
}

/* Whether the crowd has a strong access of the strand in this epoch, from this place.  Nothing can be behind that one
 * and before this one, so what races with this races with that, and was told. */
static bool is_remembered(const struct races *races, const struct access *x, const struct granule *g)
{
	const struct crowd *crowd = &races->crowds.at[g->at[1].thread];

	if (!x->site->is_atomic || g->at[1].site != SITE_CROWD)
		return false;
	for (uint32_t k = 0; k < crowd->sites.count; k++) {
		const struct crowd_site *c = &crowd->sites.at[k];

		if (c->site == x->record.site && (c->mixed || c->value == x->record.value) &&
			crowd_site_at(c, x->strand) == x->record.epoch)
			return true;
	}
	for (uint32_t k = 0; k < crowd->count; k++)
		if (!memcmp(&crowd->at[k], &x->record, sizeof x->record))
			return true;
	return false;
}

static void judge_granule(struct races *races, struct access *x, struct granule *g, uint64_t address)
{
	if (joins_strong(races, x, g) || is_remembered(races, x, g))
		return;
	x->has_read = !x->site->is_atomic && x->u->forgets && has_read(races, x, g);
	if (g->at[0].site && !judge(races, x, &g->at[0], address))
		g->at[0].site = 0;
	if (g->at[1].site == SITE_CROWD)
		judge_crowd(races, x, g, address);
	else if (g->at[1].site && !judge(races, x, &g->at[1], address))
		g->at[1].site = 0;
	remember(races, x, g);
}

/* ---- An instruction ---- */

static struct shadow *shadow_of(struct races *races, const struct race_warp *warp, uint8_t space)
{
	return space == space_SHARED ? &warp->group->shared : &races->global;
}

static void judge_element(struct races *races, struct access *x, struct shadow *shadow, uint64_t address)
{
	uint32_t count, size;
	struct granule *g = shadow_at(races, shadow, address, x->site->bytes, &count, &size);

	x->address = address;
	for (uint32_t k = 0; k < count; k++)
		if (!g[k].at[0].site && !g[k].at[1].site)
			g[k].at[0] = x->record;
		else if (memcmp(&g[k].at[0], &x->record, sizeof x->record))
			judge_granule(races, x, &g[k], address + k * size);
}

static void judge_lane(struct races *races, struct access *x, struct shadow *shadow)
{
	uint64_t address = x->all->address[x->lane];

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

	for (uint64_t end = address + bytes; address < end; address += site.bytes) {
		uint64_t part = (address | BLOCK_PART) & -(address | BLOCK_PART);

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
	uint16_t site = judge_block_site(races, warp->group->launch, pc, !writes);

	order_go_past_write(u);
	if (site)
		judge_block(races, warp, lane,
			&(struct record){.thread = warp->first + lane, .epoch = u->epoch, .site = site}, space, address,
			bytes);
}

/* ---- Synchronisation ---- */

/* A strong access hands on what it knows, and hears what is handed on. */
static void synchronize(struct races *races, struct access *x, bool reads, bool writes)
{
	struct sync_table *table = x->all->space == space_SHARED ? &x->warp->group->words : &races->words;
	uint64_t address = x->all->address[x->lane];

	for (uint32_t e = 0; e < x->all->insn->access.elements; e++, address += x->site->bytes) {
		struct sync_word *w = writes ? word_make(races, table, address) : word_find(table, address);

		if (reads)
			order_read(races, x->warp, x->lane, x->site, w, table);
		if (writes)
			order_write(races, x->warp, x->lane, x->site, w, table);
	}
}

static void access_lane(struct races *races, struct access *x, const struct site *failed)
{
	bool is_failed = x->all->failed >> x->lane & 1, pends = x->all->pending && x->site->reads, reads, writes;
	const struct site *site = x->site;

	if (is_failed || x->all->unsure)
		x->site = failed;
	if (!site->is_atomic)
		order_go_past_write(x->u);
	x->record.epoch = x->u->epoch;
	judge_lane(races, x, shadow_of(races, x->warp, x->all->space));
	x->site = site;
	if (!site->strong)
		return;
	if (pends && !x->u->outstanding++)
		x->u->since = x->u->epoch;
	reads = site->reads && !pends;
	writes = site->writes && !is_failed && !x->all->unsure;
	if (reads || writes)
		synchronize(races, x, reads, writes);
}

/* What a compare-and-swap that finds another value does: it reads. */
static uint16_t failed_site(struct races *races, struct race_launch *launch, uint32_t pc, struct site *failed)
{
	uint32_t behind = launch->kernel->code_count + pc;

	*failed = site_of(races, launch->kernel, pc);
	failed->writes = failed->releases = failed->is_rmw = false;
	if (!launch->site[behind] && races->sites.count < SITE_CROWD) {
		launch->site[behind] = (uint16_t)races->sites.count;
		*vector_push(races->arena, &races->sites) = *failed;
	}
	return launch->site[behind];
}

/* Of one lane, by the instruction's site. */
static struct access access_of(
	struct race_warp *warp, const struct race_access *a, const struct site *site, uint32_t lane)
{
	uint32_t thread = warp->first + lane;

	return (struct access){.warp = warp,
		.all = a,
		.site = site,
		.u = strand_of(warp, lane),
		.lane = lane,
		.strand = strand_number(warp->group->launch, thread),
		.record = {.thread = thread, .value = a->written ? a->written[lane] : 0}};
}

void judge_remember(struct races *races, struct race_warp *warp, const struct race_access *a, const struct site *site,
	uint16_t number, uint32_t lane, struct granule *g)
{
	struct access x = access_of(warp, a, site, lane);

	x.record.site = number;
	x.record.epoch = x.u->epoch;
	remember(races, &x, g);
}

void races_access(struct races *races, struct race_warp *warp, const struct race_access *a)
{
	struct race_launch *launch = warp->group->launch;
	uint16_t number = site_number(races, launch, a->pc), other = 0;
	struct site failed, site;
	lane_mask judged;

	if (insn_is_swap(a->insn))
		other = failed_site(races, launch, a->pc, &failed);
	if (!number || (insn_is_swap(a->insn) && !other))
		return;
	site = races->sites.at[number];
	judged = runs_judge(races, warp, a, &site, number, shadow_of(races, warp, a->space));
	EACH_LANE(l, a->lanes & ~judged) {
		struct access x = access_of(warp, a, &site, (uint32_t)l);

		x.record.site = (a->failed >> l & 1) || a->unsure ? other : number;
		access_lane(races, &x, &failed);
	}
}

/* Meanwhile the thread may have released something: its epoch then was `since`, or a later one. */
void races_swapped(struct races *races, struct race_warp *warp, const struct race_access *a)
{
	uint16_t number = site_number(races, warp->group->launch, a->pc);

	if (!number)
		return;
	EACH_LANE(l, a->lanes) {
		struct access x = access_of(warp, a, &races->sites.at[number], (uint32_t)l);

		x.record.site = number;
		x.record.epoch = x.u->outstanding ? x.u->since : x.u->epoch;
		judge_lane(races, &x, shadow_of(races, warp, a->space));
		synchronize(races, &x, true, true);
	}
}

void races_read(struct races *races, struct race_warp *warp, const struct race_access *a)
{
	uint16_t number = site_number(races, warp->group->launch, a->pc);

	if (!number)
		return;
	EACH_LANE(l, a->lanes) {
		struct access x = access_of(warp, a, &races->sites.at[number], (uint32_t)l);

		synchronize(races, &x, true, false);
		if (x.u->outstanding && !--x.u->outstanding)
			x.u->covered[REACH_GROUP] = x.u->covered[REACH_WIDE] = false;
	}
}
