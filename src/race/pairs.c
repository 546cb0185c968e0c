/* Two accesses: whether one was before the other. */
#include "race/judge.h"

#include <assert.h>

/* Both are of the same bytes: what is aligned to its size, and overlaps. */
bool pair_is_strong(const struct site *a, const struct site *b, enum race_scope between)
{
	return a->is_atomic && b->is_atomic && a->bytes == b->bytes && a->scope >= between && b->scope >= between;
}

/* Whether lane `other` of the same warp did the remembered access with the same instruction, just now. */
static bool is_at_once(const struct access *x, const struct record *y)
{
	uint32_t other = y->thread - x->warp->first, bytes = x->site->bytes * x->all->insn->access.elements;

	assert(x->lane < 64);
	if (y->site != x->record.site || other >= x->lane || !(x->all->lanes >> other & 1))
		return false;
	return x->all->address[other] + bytes > x->address && x->all->address[other] < x->address + x->site->bytes;
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

/* Whether it is a strong write that the strand has observed. */
bool pair_is_observed(struct races *races, const struct access *x, uint32_t thread, const struct site *site)
{
	return site->strong && site->writes && !x->site->is_atomic &&
	       order_is_observed(races, x->warp, x->u, x->address, x->all->space,
		       strand_number(x->warp->group->launch, thread), x->has_read);
}

/* False: it is told only if that is asked for. */
bool pair_tell(struct races *races, struct access *x, const struct record *y, uint64_t address)
{
	const struct heard *heard;
	enum found_cause detail;
	enum found_cause cause;

	assert(y->site);
	assert(y->site < races->sites.count);
	order_note_observed(races, x->warp, x->u);
	cause = cause_of(races, x, y, &heard, &detail);

	if (cause == RACE_SAME_VALUE && !races->asked.same_values)
		return false;
	if (x->told != y->site)
		race_add(races, x->warp, &x->record, y, x->all->space, address, cause, detail, heard);
	x->told = y->site;
	return cause != RACE_SAME_VALUE;
}

/* Bytes that the generic proxy has written are for the asynchronous proxy only behind a fence between the two. */
static void judge_proxy(struct races *races, struct access *x, const struct record *y, uint64_t address)
{
	const struct site *site = &races->sites.at[y->site];

	assert(x->site->is_bulk);
	if (site->is_bulk || !site->writes || !same_group(x->warp->group, y->thread) || x->told == y->site ||
		copy_is_proxied(races, x->warp, x->u, y, x->all->space))
		return;
	race_add(races, x->warp, &x->record, y, x->all->space, address, RACE_FENCE, RACE_DETAIL_PROXY, NULL);
	x->told = y->site;
}

/* Judges one record; whether it is still to be remembered.  Where it cannot race it is forgotten if it is seen to be
 * before; one that is remembered for nothing does no harm.  Of threads that poll a word one is seldom before the other.
 */
bool pair_judge(struct races *races, struct access *x, const struct record *y, uint64_t address)
{
	const struct site *site = &races->sites.at[y->site];
	bool may_race = site_conflicts(x->site, site) &&
			!pair_is_strong(x->site, site, scope_between(x->warp->group, y->thread));
	bool own = y->thread == x->record.thread;
	bool stands = site_stands_for(x->site, site) && (may_race || own || site->writes || !x->site->is_atomic),
	     before = false;

	assert(y->site);
	assert(y->site != SITE_CROWD);
	assert(y->site < races->sites.count);
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
