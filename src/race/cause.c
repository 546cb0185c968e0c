/* What is missing between two accesses that race: one of the causes of causes.def. */
#include "race/judge.h"

#include <assert.h>

static uint32_t strand_of_record(const struct access *x, const struct record *y)
{
	return strand_number(x->warp->group->launch, y->thread);
}

/* ---- Words that were read ---- */

/* Whether the word, as it was read, tells of the other's access: the other wrote it after that, or a thread did that
 * knew of it; and whether that thread had `released` it, to any scope.  Plain accesses after the write are of a later
 * epoch; atomics may be of the same epoch, and are then not taken to be told. */
static bool tells(const struct races *races, const struct access *x, const struct record *y, const struct heard *h,
	bool *released)
{
	uint32_t other = strand_of_record(x, y), first = y->epoch + races->sites.at[y->site].is_atomic;

	assert(h->of);
	assert(h->of->references);
	if (h->name == word_name(x->address, x->all->space))
		return false;
	if ((h->of->writer == other && h->of->writer_epoch >= first) ||
		chain_knows(races, h->of->heard, other, y->epoch)) {
		*released = chain_knows(races, h->of->fenced, other, y->epoch);
		return true;
	}
	return word_tells(races, x->warp->group, h, y->thread, y->epoch, first, released);
}

/* Whether the thread has since met the one that read the word. */
static bool has_met(const struct races *races, const struct access *x, const struct met *met)
{
	uint32_t thread = met->strand << x->warp->group->launch->shift;

	assert(met->heard.of);
	return order_is_before(races, x->warp, x->strand, x->u, thread, met->epoch, true) == CLOCK_HAS;
}

/* The next word that the thread, or one that it has met since, has read; null: no more.  *at counts, from 0 on. */
static const struct heard *next_heard(const struct races *races, const struct access *x, uint32_t *at, uint16_t *site)
{
	const struct race_group *group = x->warp->group;

	assert(*at <= x->u->heard_count + met_count(group));
	if (*at < x->u->heard_count) {
		*site = x->u->heard_site[*at];
		return &x->u->heard[(*at)++];
	}
	while (*at - x->u->heard_count < met_count(group)) {
		const struct met *met = &group->met[(*at)++ - x->u->heard_count];

		*site = met->site;
		if (has_met(races, x, met))
			return &met->heard;
	}
	return NULL;
}

/* A word that tells of the other's access, if there is one. */
static const struct heard *heard_of(
	const struct races *races, const struct access *x, const struct record *y, bool *released, uint16_t *site)
{
	const struct heard *h;

	for (uint32_t at = 0; (h = next_heard(races, x, &at, site));)
		if (tells(races, x, y, h, released))
			return h;
	return NULL;
}

static bool has_part(
	const struct races *races, const struct access *x, const struct record *y, const struct knowledge *observed)
{
	assert(y->epoch);
	EACH_PART(part, observed)
		if (chain_knows(races, part->clock, strand_of_record(x, y), y->epoch))
			return true;
	return false;
}

/* Whether a fence of the thread, now, would order the two. */
static bool wants_fence(const struct races *races, const struct access *x, const struct record *y)
{
	assert(x->warp->group->launch->reaches <= REACHES);
	for (uint32_t reach = 0; reach < x->warp->group->launch->reaches; reach++)
		if (has_part(races, x, y, &x->u->observed[reach]) || has_part(races, x, y, &x->u->observed_sc[reach]))
			return true;
	return false;
}

/* Whether that strand of the warp has learned of the record by a word, or will at its next fence. */
static bool has_got(const struct races *races, const struct access *x, const struct record *y,
	const struct race_warp *warp, uint32_t strand)
{
	uint32_t shift = warp->group->launch->shift;
	const struct strand *u = &warp->strand[strand];

	assert(strand < warp->strands);
	for (uint32_t reach = 0; reach < warp->group->launch->reaches; reach++)
		if (has_part(races, x, y, &u->observed[reach]))
			return true;
	EACH_LANE(lane, warp->unfenced)
		if (lane >> shift == strand && has_part(races, x, y, &warp->polled[lane].unfenced))
			return true;
	return chain_knows(races, u->knows.clock, strand_of_record(x, y), y->epoch);
}

/* Whether a thread that it has met has read what was released, so that the scopes are wide enough. */
static bool met_has_got(const struct races *races, const struct access *x, const struct record *y)
{
	const struct race_group *group = x->warp->group;
	const struct race_launch *launch = group->launch;

	assert(launch->lanes);
	for (uint32_t k = 0; k < met_count(group); k++) {
		uint32_t thread = (group->met[k].strand << launch->shift) - group->first, warp = thread / launch->lanes;

		if (has_met(races, x, &group->met[k]) &&
			has_got(races, x, y, &group->warp[warp], thread % launch->lanes >> launch->shift))
			return true;
	}
	return false;
}

/* ---- Others of a group ---- */

/* Whether another lane of the warp, or the first of another warp of the group, knows of the record. */
static enum found_cause others_know(
	const struct races *races, const struct access *x, const struct record *y, enum found_cause *detail)
{
	const struct race_group *group = x->warp->group;
	uint32_t other = strand_of_record(x, y);

	assert(y->epoch);
	for (uint32_t k = 0; k < x->warp->strands; k++)
		if (k / 32 == (uint32_t)(x->u - x->warp->strand) / 32 &&
			chain_knows(races, x->warp->strand[k].knows.clock, other, y->epoch)) {
			*detail = RACE_DETAIL_KNOWN_IN_WARP;
			return RACE_SYNCWARP;
		}
	for (uint32_t w = 0; w < group->launch->warps; w++)
		if (chain_knows(races, group->warp[w].strand[0].knows.clock, other, y->epoch)) {
			*detail = RACE_DETAIL_KNOWN;
			return RACE_BARRIER;
		}
	return FOUND_NO_CAUSE;
}

/* Whether the access follows what another strand of the record's group released, not before the record as far as their
 * epochs tell. */
static enum found_cause told_by(const struct races *races, const struct access *x, const struct record *y,
	uint32_t strand, enum found_cause *detail)
{
	const struct race_launch *launch = x->warp->group->launch;
	uint32_t number = (strand << launch->shift) - launch->first;
	bool in_warp = number / launch->lanes == (y->thread - launch->first) / launch->lanes &&
		       number / 32 == (y->thread - launch->first) / 32;

	assert(number < launch->threads);
	if (strand == strand_of_record(x, y) || !chain_knows(races, x->u->knows.clock, strand, y->epoch))
		return FOUND_NO_CAUSE;
	*detail = in_warp ? RACE_DETAIL_TOLD_IN_WARP : RACE_DETAIL_TOLD;
	return in_warp ? RACE_SYNCWARP : RACE_BARRIER;
}

/* The same of the lanes of its warp, and of the first ones of others. */
static enum found_cause told_by_some(
	const struct races *races, const struct access *x, const struct record *y, enum found_cause *detail)
{
	const struct race_launch *launch = x->warp->group->launch;
	uint32_t number = y->thread - launch->first, first = y->thread - number % launch->group_stride,
		 warp = y->thread - number % launch->lanes;
	enum found_cause cause = FOUND_NO_CAUSE;

	assert(launch->lanes);
	for (uint32_t k = 0; k < launch->lanes && cause == FOUND_NO_CAUSE; k += 1u << launch->shift)
		cause = told_by(races, x, y, strand_number(launch, warp + k), detail);
	for (uint32_t w = 0; w < launch->warps && cause == FOUND_NO_CAUSE; w++)
		cause = told_by(races, x, y, strand_number(launch, first + w * launch->lanes), detail);
	return cause;
}

/* The same of those that wrote a word that the thread, or one that it has met, has read: *heard, if it is known. */
static enum found_cause others_told(const struct races *races, const struct access *x, const struct record *y,
	const struct heard **heard, uint16_t *read, enum found_cause *detail)
{
	enum found_cause cause = FOUND_NO_CAUSE;
	const struct heard *h;
	uint32_t strand;
	bool more = false;

	assert(y->thread - x->warp->group->launch->first < x->warp->group->launch->threads);
	for (uint32_t at = 0; cause == FOUND_NO_CAUSE && (h = next_heard(races, x, &at, read));) {
		for (uint32_t k = 0; cause == FOUND_NO_CAUSE; cause = told_by(races, x, y, strand, detail))
			if ((strand = word_other_writer(races, x->warp->group, h, y->thread, &k)) == NO_STRAND)
				break;
		more |= word_has_more_writers(h);
		if (cause != FOUND_NO_CAUSE)
			*heard = h;
	}
	return cause == FOUND_NO_CAUSE && more ? told_by_some(races, x, y, detail) : cause;
}

/* ---- Causes ---- */

static bool is_same_value(const struct access *x, const struct record *y, const struct site *site)
{
	return x->site->is_object == site->is_object && !x->site->reads && !site->reads && !x->site->no_value &&
	       !site->no_value && x->site->bytes == site->bytes && x->record.value == y->value;
}

/* Of two launches, of which the host or a kernel made each. */
static enum found_cause cause_of_launches(
	const struct races *races, const struct access *x, const struct record *y, enum found_cause *detail)
{
	const struct race_launch *other = launch_of(races, y->thread);
	enum found_cause cause;

	assert(other);
	if (x->warp->group->launch->after == other->ordinal + 1 || other->after == x->warp->group->launch->ordinal + 1)
		return RACE_GRID;
	if (!x->warp->group->launch->grid || !other->grid)
		return RACE_HOST;
	cause = others_know(races, x, y, detail);
	if (cause != FOUND_NO_CAUSE)
		return cause;
	*detail = RACE_DETAIL_GRIDS;
	return RACE_NO_ORDER;
}

/* Whether both are of one statement that loads, changes and stores: x++.  Not if the thread, or another of its group,
 * has read a word strongly, or the thread has swapped one: it may hold a lock, but another one or one that lacks
 * something. */
static bool is_update(const struct access *x, const struct site *site)
{
	assert(site->kernel);
	return !x->u->takes && !x->u->heard_count && !met_count(x->warp->group) && x->site->updates && site->updates &&
	       site->kernel == x->site->kernel && kernel_same_place(site->kernel, site->pc, x->site->pc);
}

/* Of two plain accesses, of which no word tells.  In warps of 64 lanes, a __syncwarp() orders those of one half. */
static enum found_cause cause_of_plain(const struct races *races, const struct access *x, const struct record *y,
	const struct heard **heard, uint16_t *read, enum found_cause *detail)
{
	const struct race_launch *launch = x->warp->group->launch;
	enum found_cause cause;

	assert(!same_group(x->warp->group, y->thread) || y->thread - launch->first < launch->threads);
	if (same_group(x->warp->group, y->thread) && is_update(x, &races->sites.at[y->site]))
		return RACE_UPDATE;
	if (y->thread - x->warp->first < launch->lanes && (y->thread - x->warp->first) / 32 == x->lane / 32) {
		if (*detail == FOUND_NO_CAUSE && pair_is_at_once(x, y))
			*detail = RACE_DETAIL_AT_ONCE;
		return RACE_SYNCWARP;
	}
	if (y->thread - launch->first >= launch->threads)
		return cause_of_launches(races, x, y, detail);
	if (same_group(x->warp->group, y->thread)) {
		if (x->site->writes && !races->sites.at[y->site].writes && x->all->space == space_SHARED)
			*detail = release_detail(x->warp, x->u, y->thread);
		return RACE_BARRIER;
	}
	cause = others_know(races, x, y, detail);
	if (cause == FOUND_NO_CAUSE && is_update(x, &races->sites.at[y->site]))
		return RACE_UPDATE;
	if (cause == FOUND_NO_CAUSE)
		cause = others_told(races, x, y, heard, read, detail);
	if (cause != FOUND_NO_CAUSE)
		return cause;
	if (scope_between(x->warp->group, y->thread) == RACE_SCOPE_CLUSTER)
		*detail = RACE_DETAIL_CLUSTER;
	else if (x->u->takes || x->u->heard_count || met_count(x->warp->group))
		*detail = RACE_DETAIL_NO_CHAIN;
	return RACE_NO_ORDER;
}

/* What would order the two, or makes both strong, names a scope without one of them. */
static enum found_cause cause_of_scope(const struct access *x, const struct record *y, enum found_cause *detail)
{
	if (x->warp->group->cluster)
		*detail = scope_between(x->warp->group, y->thread) == RACE_SCOPE_CLUSTER ? RACE_DETAIL_IN_CLUSTER
											 : RACE_DETAIL_CLUSTERS;
	return RACE_SCOPE;
}

/* Whether the thread itself read the word, and whether a fence, perhaps too narrow, has followed. */
enum reader { READER_OTHER, READER_UNFENCED, READER_FENCED };
static enum reader reader_of(const struct access *x, const struct heard *heard)
{
	uint32_t k = (uint32_t)(heard - x->u->heard);

	assert(heard);
	if (!x->u->heard || heard < x->u->heard || heard >= x->u->heard + x->u->heard_count)
		return READER_OTHER;
	return x->u->heard_fenced >> k & 1 ? READER_FENCED : READER_UNFENCED;
}

/* Of a word that tells of the record: which fence is missing. */
static enum found_cause cause_of_word(const struct races *races, const struct access *x, const struct record *y,
	const struct heard *heard, bool released, enum found_cause *detail)
{
	enum reader reader = reader_of(x, heard);

	assert(*detail == FOUND_NO_CAUSE);
	if (!released) {
		*detail = reader == READER_UNFENCED ? RACE_DETAIL_NO_FENCES : RACE_DETAIL_UNRELEASED;
		return RACE_FENCE;
	}
	if (!wants_fence(races, x, y) && !met_has_got(races, x, y))
		return cause_of_scope(x, y, detail);
	if (reader == READER_FENCED && !same_group(x->warp->group, y->thread))
		return cause_of_scope(x, y, detail);
	*detail = RACE_DETAIL_UNACQUIRED;
	return RACE_FENCE;
}

enum found_cause cause_of(const struct races *races, const struct access *x, const struct record *y,
	const struct heard **heard, uint16_t *read, enum found_cause *detail)
{
	const struct site *site = &races->sites.at[y->site];
	bool acts = site_acts_atomic(races, x->site), other_acts = site_acts_atomic(races, site), released;

	assert(y->site);
	assert(y->site < races->sites.count);
	*heard = NULL;
	*detail = FOUND_NO_CAUSE;
	if (acts && other_acts)
		return x->site->bytes != site->bytes ? RACE_SIZE : cause_of_scope(x, y, detail);
	if (is_same_value(x, y, site))
		return RACE_SAME_VALUE;
	*heard = heard_of(races, x, y, &released, read);
	if (*heard)
		return cause_of_word(races, x, y, *heard, released, detail);
	if (wants_fence(races, x, y)) { /* it met a thread that has read such a word */
		*detail = RACE_DETAIL_UNACQUIRED;
		return RACE_FENCE;
	}
	if (site->is_copy)
		return copy_cause(races, x->warp, y, detail);
	if (has_part(races, x, y, &x->u->relaxed)) {
		*detail = RACE_DETAIL_RELAXED;
		return RACE_FENCE;
	}
	if (x->site->is_object && site->is_object)
		*detail = x->site->is_atomic || site->is_atomic ? RACE_DETAIL_INIT : RACE_DETAIL_INITS;
	else if (acts != other_acts && !x->site->is_copy) /* no copy can be made atomic */
		return RACE_PLAIN;
	return cause_of_plain(races, x, y, heard, read, detail);
}
