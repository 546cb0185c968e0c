/* Rules of mbarrier_rules.h: counts that more or fewer threads meet, and threads that never arrive. */
#include "check/mbarrier_rules.h"

#include "machine/core/cluster.h"
#include "machine/state/launch_state.h"

static void add_no_arrival(const struct rule_case *c, const struct mbarrier_record *r)
{
	*c->count_is_right = true;
	rule_add(c, CAUSE_NO_ARRIVAL, rule_at_line(c, r->pc, (struct change){.mend = MEND_ARRIVES}));
	rule_add(c, CAUSE_NO_ARRIVAL, rule_at_copies(c, r->pc, (struct change){.mend = MEND_ARRIVES}));
}

/* A thread has expected bytes, they have come, and it has not arrived; or it has expected the very arrival that it
 * makes (cp.async.mbarrier.arrive without .noinc). */
void rule_no_arrival(const struct rule_case *c)
{
	if (!c->wait->now.pending || c->wait->now.transactions || mbarrier_wait_is_lapped(c->wait))
		return;
	EACH_RECORD(r, c->object, c->object->phase, MBARRIER_EXPECTED)
		if (r->count || !mbarrier_arrived_in(c->object, c->object->phase, r))
			add_no_arrival(c, r);
}

/* An object at the case's offset in another rank of the cluster has completed a phase with this count, or may have: the
 * rank has ended. */
static bool may_be_right_elsewhere(const struct rule_case *c)
{
	uint32_t size = launch_cluster_size(&c->e->launch->values);

	for (uint32_t rank = 0; rank < size && size > 1; rank++) {
		struct core *core;
		const struct group *group = cluster_group(c->e->machine, c->t->r->group, rank, &core);
		const struct mbarrier_object *o = group ? mbarrier_object_of(core, group, c->object->offset) : NULL;

		if (!group || (o && o->phase > 0 && o->count == c->object->count))
			return true;
	}
	return false;
}

/* Another object of the same kind has completed a phase. */
static bool count_was_right(const struct rule_case *c)
{
	if (may_be_right_elsewhere(c))
		return true;
	for (uint32_t k = 0; k < c->object_count; k++)
		if (rule_same_kind(c, c->objects[k], c->object) && c->objects[k]->phase > 0)
			return true;
	return false;
}

/* The count is that of the arrivals of all work-groups of the cluster, of which the own one has made its part. */
static bool counts_cluster(const struct rule_case *c)
{
	uint32_t size = launch_cluster_size(&c->e->launch->values), come = c->wait->now.expected - c->wait->now.pending;

	EACH_RECORD(r, c->object, c->object->phase, MBARRIER_ARRIVED)
		if (r->is_remote)
			return false;
	return size > 1 && come * size == c->wait->now.expected;
}

/* Arrivals at the case's offset in other work-groups of the cluster, for which nobody waits there. */
static bool come_elsewhere(const struct rule_case *c)
{
	uint32_t size = launch_cluster_size(&c->e->launch->values);

	for (uint32_t rank = 0; rank < size && size > 1; rank++) {
		struct core *core;
		const struct group *group = cluster_group(c->e->machine, c->t->r->group, rank, &core);
		const struct mbarrier_object *o =
			group && group != c->t->r->group ? mbarrier_object_of(core, group, c->object->offset) : NULL;

		if (o && !o->looked && (o->phase || o->recorded))
			return true;
	}
	return false;
}

/* No phase has been complete so far, and fewer have arrived than the object was initialised for. */
void rule_count_too_large(const struct rule_case *c)
{
	uint32_t come = c->wait->now.expected - c->wait->now.pending;

	if (come && c->wait->now.pending && c->wait->now.transactions <= 0 && !count_was_right(c) &&
		!*c->count_is_right && !counts_cluster(c) && !come_elsewhere(c))
		rule_add(c, CAUSE_WRONG_COUNT,
			rule_at_kind(c, c->object, (struct change){.mend = MEND_COUNT, .values = {come}}));
}

/* How often the record's warp has arrived by its line, or, `others`, by the other line by which it has most often. */
static uint32_t times_of(
	const struct rule_case *c, const struct mbarrier_object *o, const struct mbarrier_record *of, bool others)
{
	uint32_t most = 0;

	EACH_KNOWN_RECORD(r, o) {
		uint32_t times = 0;

		if (r->act != MBARRIER_ARRIVED || !mbarrier_same_warp(r, of) || !(r->lanes & of->lanes) ||
			rule_same_line(c->e->kernel, r->pc, of->pc) == others)
			continue;
		EACH_KNOWN_RECORD(same, o)
			times += same->act == MBARRIER_ARRIVED && mbarrier_same_warp(same, of) &&
				 same->lanes & of->lanes && rule_same_line(c->e->kernel, same->pc, r->pc);
		most = times > most ? times : most;
	}
	return most;
}

/* Of the arrivals of each warp at each line, as the last record of it has them, the sum.  An arrival before a loop
 * stands for the first one of those in the loop. */
uint32_t rule_arrivals_of_all(const struct rule_case *c, const struct mbarrier_object *o)
{
	uint32_t recorded = mbarrier_known(o), sum = 0;

	for (uint32_t k = 0; k < recorded; k++) {
		const struct mbarrier_record *r = &o->records[k];
		bool is_first = r->act == MBARRIER_ARRIVED;

		for (uint32_t j = 0; j < k && is_first; j++)
			is_first = o->records[j].act != MBARRIER_ARRIVED ||
				   !rule_same_line(c->e->kernel, o->records[j].pc, r->pc) ||
				   !mbarrier_same_warp(&o->records[j], r) || !(o->records[j].lanes & r->lanes);
		if (is_first && times_of(c, o, r, false) == 1 && times_of(c, o, r, true) > 1)
			continue;
		sum += is_first ? r->count : 0;
	}
	return sum;
}

/* All objects with the same count at which as many arrive. */
static struct change all_too_small(const struct rule_case *c, const struct mbarrier_object *like, uint32_t arrivals)
{
	struct change change = rule_at_kind(c, like, (struct change){.mend = MEND_COUNT, .values = {arrivals}});

	for (uint32_t k = 0; k < c->object_count; k++)
		if (c->objects[k]->count == like->count && rule_arrivals_of_all(c, c->objects[k]) == arrivals)
			change = rule_at_kind(c, c->objects[k], change);
	return change;
}

/* More threads arrive at an object than it counts, so that its phases end before all have come. */
void rule_count_too_small(const struct rule_case *c)
{
	for (uint32_t k = 0; k < c->object_count; k++) {
		uint32_t all = rule_arrivals_of_all(c, c->objects[k]);

		if (all > c->objects[k]->count && c->objects[k]->phase > 0) {
			rule_add(c, CAUSE_WRONG_COUNT,
				rule_at_kind(c, c->objects[k], (struct change){.mend = MEND_COUNT, .values = {all}}));
			rule_add(c, CAUSE_WRONG_COUNT, all_too_small(c, c->objects[k], all));
		}
	}
}

/* Whether the warp has waited at this object. */
static bool has_waited(const struct mbarrier_object *o, uint32_t thread, uint32_t lanes)
{
	return o->looked >> (thread / lanes) & 1;
}

/* All warps that have arrived at the case's object in this phase have waited at the other one. */
static bool arrivers_waited(const struct rule_case *c, const struct mbarrier_object *other)
{
	uint32_t arrivers = 0;

	EACH_RECORD(r, c->object, c->object->phase, MBARRIER_ARRIVED) {
		if (r->is_remote || !has_waited(other, r->thread, c->t->r->warp.lanes))
			return false;
		arrivers++;
	}
	return arrivers;
}

static bool arrives_at_kind(const struct rule_case *c, uint32_t thread)
{
	for (uint32_t k = 0; k < c->object_count; k++)
		EACH_KNOWN_RECORD(r, c->objects[k])
			if (rule_same_kind(c, c->objects[k], c->object) && r->act == MBARRIER_ARRIVED &&
				r->thread == thread && !r->is_remote)
				return true;
	return false;
}

/* The warp has ended, or waits where the arrivers wait. */
static bool may_be_counted(const struct rule_case *c, uint32_t thread)
{
	if (writers_has_ended(c->e->launch, c->t->group, thread))
		return true;
	for (uint32_t k = 0; k < c->object_count; k++)
		if (arrivers_waited(c, c->objects[k]) && has_waited(c->objects[k], thread, c->t->r->warp.lanes))
			return true;
	return false;
}

/* Such a warp has never arrived at an object of this kind: the count may rule_mean it. */
void rule_never_arrives(const struct rule_case *c)
{
	uint32_t lanes = c->t->r->warp.lanes;

	if (!c->wait->now.pending || c->wait->now.pending == c->wait->now.expected || count_was_right(c))
		return;
	EACH_RECORD(r, c->object, c->object->phase, MBARRIER_ARRIVED)
		for (uint32_t w = 0; w < c->t->r->group->warps; w++)
			if (w * lanes != c->t->r->warp.first_thread && !arrives_at_kind(c, w * lanes) &&
				may_be_counted(c, w * lanes))
				rule_add(c, CAUSE_MISSING_ARRIVAL,
					rule_at_kind(c, c->object,
						(struct change){.mend = MEND_ARRIVAL,
							.pc = r->pc,
							.thread = w * lanes,
							.address = c->wait->offset,
							.values = {c->wait->now.pending, MEND_EACH_PHASE},
							.value_count = 1}));
}
