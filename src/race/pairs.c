/* Two accesses: whether one was before the other, and what is missing if they race. */
#include "race/judge.h"

static bool same_group(const struct race_group *group, uint32_t thread)
{
	return thread - group->first < group->launch->group_stride;
}

/* Both are of the same bytes: what is aligned to its size, and overlaps. */
bool pair_is_strong(const struct site *a, const struct site *b, bool of_one_group)
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
bool pair_is_observed(struct races *races, const struct access *x, uint32_t thread, const struct site *site)
{
	return site->strong && site->writes && !x->site->is_atomic &&
	       order_is_observed(races, x->warp, x->u, x->address, x->all->space,
		       strand_number(x->warp->group->launch, thread), x->has_read);
}

/* Whether the thread has heard of the other's access: by a word that the other wrote behind it, or one that knew of it;
 * and whether that had `released` it, to some scope.  Plain accesses behind the write are of a later epoch; atomics may
 * be of the same, and are then not taken for heard of. */
static const struct heard *heard_of(
	const struct races *races, const struct access *x, const struct record *y, bool *released)
{
	uint32_t other = strand_number(x->warp->group->launch, y->thread);
	uint32_t first = y->epoch + races->sites.at[y->site].is_atomic;
	uint64_t own = word_name(x->address, x->all->space);

	for (uint32_t k = 0; k < x->u->heard_count; k++) {
		const struct heard *h = &x->u->heard[k];

		if (h->name == own)
			continue;
		if ((h->of->writer == other && h->of->writer_epoch >= first) ||
			chain_knows(races, h->of->heard, other, y->epoch)) {
			*released = chain_knows(races, h->of->fenced, other, y->epoch);
			return h;
		}
		if (word_tells(races, x->warp->group, h, y->thread, y->epoch, first, released))
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

static bool is_same_value(const struct access *x, const struct record *y, const struct site *site)
{
	return !x->site->reads && !site->reads && !x->site->no_value && !site->no_value &&
	       x->site->bytes == site->bytes && x->record.value == y->value;
}

static enum race_cause cause_of(const struct races *races, const struct access *x, const struct record *y,
	const struct site *site, const struct heard **heard, enum race_detail *detail)
{
	uint32_t other = y->thread - x->warp->first;
	bool near = same_group(x->warp->group, y->thread), released;

	*heard = NULL;
	*detail = RACE_NO_DETAIL;
	if (x->site->is_atomic && site->is_atomic)
		return x->site->bytes != site->bytes ? RACE_SIZE : RACE_SCOPE;
	if (is_same_value(x, y, site))
		return RACE_SAME_VALUE;
	*heard = heard_of(races, x, y, &released);
	if (*heard)
		return wants_fence(races, x, y) || !released ? RACE_FENCE : RACE_SCOPE;
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
bool pair_tell(struct races *races, struct access *x, const struct record *y, uint64_t address)
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
bool pair_judge(struct races *races, struct access *x, const struct record *y, uint64_t address)
{
	const struct site *site = &races->sites.at[y->site];
	bool may_race =
		site_conflicts(x->site, site) && !pair_is_strong(x->site, site, same_group(x->warp->group, y->thread));
	bool own = y->thread == x->record.thread;
	bool stands = site_stands_for(x->site, site) && (may_race || own || site->writes || !x->site->is_atomic),
	     before = false;

	if (may_race || stands)
		before = is_before(races, x, y, may_race) == CLOCK_HAS || pair_is_observed(races, x, y->thread, site);
	if (may_race && !before && pair_tell(races, x, y, address) && site->writes && stands)
		return false; /* of stores that race the last is enough: their bytes have been told */
	if (before && x->site->is_bulk)
		judge_proxy(races, x, y, address);
	if (own && y->site == x->record.site)
		return false;
	return !(before && stands);
}
