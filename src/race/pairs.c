/* Two accesses: whether one was before the other, and what is told if neither was. */
#include "race/judge.h"

#include <assert.h>

/* Whether lane `other` of the same warp did the remembered access with the same instruction, just now. */
static bool is_at_once(const struct access *x, const struct record *y)
{
	uint32_t other = y->thread - x->warp->first, bytes = x->site->bytes * x->all->insn->access.elements;

	assert(x->lane < 64);
	if (y->site != x->record.site || other >= x->lane || !(x->all->lanes >> other & 1))
		return false;
	return x->all->address[other] + bytes > x->address && x->all->address[other] < x->address + x->site->bytes;
}

bool pair_is_at_once(const struct access *x, const struct record *y)
{
	uint32_t other = y->thread - x->warp->first;

	assert(y->epoch);
	return other < x->warp->group->launch->lanes && is_at_once(x, y) &&
	       y->epoch == strand_of(x->warp, other)->epoch;
}

/* Whether the record was before the access.  Unless it `must` be known, not at the price of joining clocks: then it may
 * be CLOCK_UNSURE. */
static enum clock_glance is_before(const struct races *races, const struct access *x, const struct record *y, bool must)
{
	const struct race_launch *launch = x->warp->group->launch;

	assert(y->site);
	assert(y->epoch);
	if (launch->shift && strand_number(launch, y->thread) == x->strand && y->thread != x->record.thread)
		return is_at_once(x, y) ? CLOCK_LACKS : CLOCK_HAS;
	return order_is_before(races, x->warp, x->strand, x->u, y->thread, y->epoch, must);
}

/* Whether the access itself acquires what orders it. */
static bool is_acquired(struct races *races, const struct access *x, uint32_t strand, uint32_t epoch)
{
	struct lookup *table = x->all->space == space_SHARED ? words_of(x->warp->group) : &races->words;
	struct sync_word *w = rule_is_after_own_acquire(x->site) ? word_find(table, x->address) : NULL;

	assert(epoch);
	return w && order_is_acquired(races, x->warp, x->site, w, table, strand, epoch);
}

/* Whether the strand's last read of the word is morally strong with a write of it. */
static bool has_read_strongly(
	const struct races *races, const struct access *x, uint32_t thread, const struct site *site)
{
	uint16_t read = word_heard_at(x->u, word_name(x->address, x->all->space));

	assert(read < races->sites.count);
	return read && rule_is_morally_strong(&races->sites.at[read], site, scope_between(x->warp->group, thread));
}

bool pair_is_read(struct races *races, const struct access *x, uint32_t thread, uint32_t epoch, const struct site *site)
{
	uint32_t strand = strand_number(x->warp->group->launch, thread);

	assert(site->kernel);
	if (is_acquired(races, x, strand, epoch))
		return true;
	if (!rule_may_be_observed(site) || (x->site->is_atomic && !has_read_strongly(races, x, thread, site)))
		return false;
	return order_is_observed(races, x->warp, x->u, x->address, x->all->space, strand, epoch, x->has_read);
}

/* ---- What is told ---- */

static struct found_side side_of(const struct races *races, const struct record *y)
{
	const struct race_launch *launch = launch_of(races, y->thread);
	const struct site *site = &races->sites.at[y->site];
	assert(launch);
	assert(y->site);
	assert(y->site < races->sites.count);
	uint32_t number = y->thread - launch->first;

	return (struct found_side){.kernel = site->kernel,
		.pc = site->pc,
		.launch = launch->ordinal,
		.group = launch->number ? launch->number[number / launch->group_stride] : number / launch->group_stride,
		.thread = site->is_copy ? y->value : number % launch->group_stride,
		.reads_source = site->is_copy && !site->writes,
		.reads_map = site->is_map};
}

/* Of shared memory that a cluster has: whose it is, and the offset there. */
static void say_owner(struct found *f, const struct race_group *group)
{
	const struct race_launch *launch = group->launch;
	uint32_t at = (group->first - launch->first) / launch->group_stride;

	if (!group->cluster || f->space != space_SHARED)
		return;
	assert(f->address >> RACE_SHARED_BITS < launch->cluster);
	f->owner = launch->number[at - at % launch->cluster + (uint32_t)(f->address >> RACE_SHARED_BITS)];
	f->has_owner = true;
	f->address &= (1u << RACE_SHARED_BITS) - 1;
}

/* Nowhere, of site 0. */
static struct found_place place_of(const struct races *races, uint16_t site)
{
	assert(site < races->sites.count);
	return (struct found_place){.kernel = races->sites.at[site].kernel, .pc = races->sites.at[site].pc};
}

/* Whether the strand is of the record's work-group: then it wrote a word last, not one that passed it on. */
static bool is_of_group(const struct races *races, uint32_t strand, const struct record *y)
{
	const struct race_launch *launch = launch_of(races, y->thread);
	uint32_t first = y->thread - (y->thread - launch->first) % launch->group_stride;

	assert(launch->group_stride);
	return strand - strand_number(launch, first) < launch->group_stride >> launch->shift;
}

/* The access races with the record. */
static void add_race(struct races *races, struct found_list *list, const struct access *x, const struct record *y,
	uint64_t address, enum found_cause cause, enum found_cause detail, const struct heard *heard, uint16_t read)
{
	const struct race_group *group = x->warp->group;
	bool by_others = detail == RACE_DETAIL_TOLD || detail == RACE_DETAIL_TOLD_IN_WARP;
	struct found f = {.cause = cause,
		.detail = detail,
		.side = {side_of(races, y), side_of(races, &x->record)},
		.places = 2,
		.threads = 2,
		.space = x->all->space,
		.address = address,
		.count = 1,
		.launch = group->launch->ordinal,
		.has_heard = heard != NULL};

	assert(x->record.epoch);
	assert(y->epoch);
	if (heard) {
		f.heard = word_of_name(heard->name, &f.heard_space);
		if (!by_others || is_of_group(races, heard->of->writer, y))
			f.written_at = place_of(races, heard->of->site);
		f.read_at = place_of(races, read);
	}
	if (f.has_heard && group->cluster && f.heard_space == space_SHARED)
		f.heard &= (1u << RACE_SHARED_BITS) - 1;
	if (detail == RACE_DETAIL_RELEASED || detail == RACE_DETAIL_NOT_RELEASED)
		release_tell(x->warp, x->u, &f);
	say_owner(&f, group);
	found_add(list, &f);
}

/* Whether the two race only if volatile accesses are plain, as they are taken to be for what is counted. */
static bool is_kept_apart(const struct races *races, const struct access *x, const struct record *y)
{
	const struct site *site = &races->sites.at[y->site];
	enum race_scope between = scope_between(x->warp->group, y->thread);

	assert(y->site < races->sites.count);
	return (!site->is_atomic || !x->site->is_atomic) && site_acts_atomic(races, site) &&
	       site_acts_atomic(races, x->site) && rule_strong_ones_agree(site, x->site, between);
}

bool pair_tell(struct races *races, struct access *x, const struct record *y, uint64_t address)
{
	const struct heard *heard;
	enum found_cause detail, cause;
	uint16_t read = 0;

	assert(y->site);
	assert(y->site < races->sites.count);
	order_note_observed(races, x->warp, x->u);
	if (is_kept_apart(races, x, y)) {
		add_race(
			races, &races->apart[RACES_APART_VOLATILE], x, y, address, RACE_PLAIN, FOUND_NO_CAUSE, NULL, 0);
		return false;
	}
	cause = cause_of(races, x, y, &heard, &read, &detail);
	if (cause == RACE_SAME_VALUE && !races->asked.same_values) {
		if (races->asked.all)
			add_race(races, &races->apart[RACES_APART_SAME_VALUE], x, y, address, cause, detail, NULL, 0);
		return false;
	}
	if (x->told != y->site)
		add_race(races, races->found, x, y, address, cause, detail, heard, read);
	x->told = y->site;
	return cause != RACE_SAME_VALUE;
}

/* ---- Judging ---- */

/* Bytes that the generic proxy has written are for the asynchronous proxy only behind a fence between the two. */
static void judge_proxy(struct races *races, struct access *x, const struct record *y, uint64_t address)
{
	const struct site *site = &races->sites.at[y->site];

	assert(x->site->is_bulk);
	if (!rule_needs_proxy_fence(site, x->site) || !same_group(x->warp->group, y->thread) || x->told == y->site ||
		copy_is_proxied(races, x->warp, y, x->all->space))
		return;
	add_race(races, races->found, x, y, address, RACE_FENCE,
		x->site->by == RACE_BY_MATRICES ? RACE_DETAIL_MATRIX_PROXY : RACE_DETAIL_PROXY, NULL, 0);
	x->told = y->site;
}

static void judge_map(struct races *races, struct access *x, const struct record *y, uint64_t address)
{
	enum found_cause detail;

	assert(x->site->is_map);
	if (!rule_needs_map_fences(&races->sites.at[y->site], x->site) || x->told == y->site)
		return;
	detail = map_detail(races, x, y, address);
	if (detail == FOUND_NO_CAUSE)
		return;
	add_race(races, races->found, x, y, address, RACE_FENCE, detail, NULL, 0);
	x->told = y->site;
}

/* Judges one record; whether it is still to be remembered.  Where it cannot race it is forgotten if it is seen to be
 * before; one that is remembered for nothing does no harm.  Of threads that poll a word one is seldom before the other.
 */
bool pair_judge(struct races *races, struct access *x, const struct record *y, uint64_t address)
{
	const struct site *site = &races->sites.at[y->site];
	bool may_race = rule_may_race(x->site, site, scope_between(x->warp->group, y->thread));
	bool own = y->thread == x->record.thread;
	bool stands = site_stands_for(x->site, site) && (may_race || own || site->writes || !x->site->is_atomic),
	     before = false;

	assert(y->site);
	assert(y->site != SITE_CROWD);
	assert(y->site < races->sites.count);
	if (may_race || stands)
		before = is_before(races, x, y, may_race) == CLOCK_HAS ||
			 ((may_race || !x->site->is_atomic) && pair_is_read(races, x, y->thread, y->epoch, site));
	if (may_race && !before && pair_tell(races, x, y, address) && site->writes && stands)
		return false; /* of stores that race the last is enough: their bytes have been told */
	if (before && x->site->is_bulk)
		judge_proxy(races, x, y, address);
	if (before && x->site->is_map)
		judge_map(races, x, y, address);
	if (own && y->site == x->record.site)
		return false;
	return !(before && stands);
}
