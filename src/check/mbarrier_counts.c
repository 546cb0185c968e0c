/* Rules of mbarrier_rules.h: counts that more or fewer threads meet, and threads that never arrive. */
#include "check/mbarrier_rules.h"

#include "machine/core/cluster.h"
#include "machine/lsu/mbarrier_trace.h"
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

bool rule_is_complete_without(const struct rule_case *c)
{
	for (uint32_t k = 0; k < c->object_count; k++)
		if (c->objects[k]->phase > 0 && rule_same_kind(c, c->objects[k], c->object))
			return true;
	return false;
}

/* A phase is over with this count. */
static bool count_was_right(const struct rule_case *c)
{
	return may_be_right_elsewhere(c) || rule_is_complete_without(c);
}

#define BEFORE 24 /* instructions */

/* The arrivals of an instruction look as if they were for other ranks: of the cluster's scope, or behind a mapa. */
static bool may_go_out(const struct rule_case *c, uint32_t pc)
{
	const struct insn *code = c->e->kernel->code;

	for (uint32_t k = pc; k > 0 && k + BEFORE > pc; k--)
		if (code[k].op == OP_mapa)
			return true;
	return code[pc].access.scope == scope_CLUSTER || code[pc].modifiers.scope == scope_CLUSTER;
}

/* The waiting warp fills stages of other ranks, too: these have to be free there. */
static bool fills_others(const struct rule_case *c)
{
	const struct mbarrier_trace *trace =
		mbarrier_trace_of(c->t->core, c->t->r->group, c->t->r->warp.first_thread / c->t->r->warp.lanes);
	uint32_t own = 1u << launch_cluster_rank(c->t->r->warp.launch, c->t->r->warp.group);

	for (uint32_t k = 0; trace && k < mbarrier_events(trace); k++)
		if (mbarrier_event(trace, k)->step == STEP_COPIED && mbarrier_event(trace, k)->ranks & ~own)
			return true;
	return false;
}

bool rule_counts_cluster(const struct rule_case *c)
{
	uint32_t size = launch_cluster_size(&c->e->launch->values), come = c->wait->now.expected - c->wait->now.pending;
	bool goes_out = fills_others(c);

	EACH_RECORD(r, c->object, c->object->phase, MBARRIER_ARRIVED) {
		if (r->is_remote)
			return false;
		goes_out |= may_go_out(c, r->pc);
	}
	return size > 1 && goes_out && come * size == c->wait->now.expected;
}

const struct mbarrier_object *rule_object_of_rank(const struct rule_case *c, uint32_t rank)
{
	struct core *core;
	const struct group *group = cluster_group(c->e->machine, c->t->r->group, rank, &core);

	return group && group != c->t->r->group ? mbarrier_object_of(core, group, c->object->offset) : NULL;
}

/* Arrivals at the case's offset in other work-groups of the cluster, for which nobody waits there. */
static bool come_elsewhere(const struct rule_case *c)
{
	uint32_t size = launch_cluster_size(&c->e->launch->values);

	for (uint32_t rank = 0; rank < size && size > 1; rank++) {
		const struct mbarrier_object *o = rule_object_of_rank(c, rank);

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
		!*c->count_is_right && !rule_counts_cluster(c) && !come_elsewhere(c))
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

#define WARPGROUP 4
#define FIRST_WARPS 0x1111111111111111ull /* of each warpgroup */

/* All warps of the same warpgroups. */
static uint64_t warpgroups_of(uint64_t warps)
{
	uint64_t groups = 0;

	for (uint32_t w = 0; w < WARPGROUP; w++)
		groups |= warps >> w & FIRST_WARPS;
	return groups * ((1u << WARPGROUP) - 1);
}

/* The warp has arrived or waited at mbarriers. */
static bool takes_part(const struct rule_case *c, uint32_t warp)
{
	uint32_t lanes = c->t->r->warp.lanes;
	bool has = mbarrier_trace_of(c->t->core, c->t->r->group, warp);

	for (uint32_t k = 0; k < c->object_count && !has; k++)
		has = has_waited(c->objects[k], warp * lanes, lanes);
	return has;
}

/* No warp of the warpgroup does so: none is elected for the others. */
static bool is_warpgroup_idle(const struct rule_case *c, uint32_t warp)
{
	for (uint64_t m = warpgroups_of(1ull << warp); m; m &= m - 1)
		if (takes_part(c, (uint32_t)__builtin_ctzll(m)))
			return false;
	return true;
}

/* The arrivals of this phase expect bytes: those of threads that are elected to begin copies. */
static bool arrivals_expect_bytes(const struct rule_case *c)
{
	EACH_RECORD(r, c->object, c->object->phase, MBARRIER_ARRIVED)
		if (!r->bytes)
			return false;
	return true;
}

/* The warp does what the arrivers do: it has waited where all of them have.  Or it has ended, and may have been meant
 * to do so: they have waited nowhere, or no other warp of its warpgroup does anything. */
static bool may_be_counted(const struct rule_case *c, uint32_t thread)
{
	bool have_waited = false;

	for (uint32_t k = 0; k < c->object_count; k++) {
		if (!arrivers_waited(c, c->objects[k]))
			continue;
		have_waited = true;
		if (has_waited(c->objects[k], thread, c->t->r->warp.lanes))
			return true;
	}
	return writers_has_ended(c->e->launch, c->t->group, thread) &&
	       ((!have_waited && !arrivals_expect_bytes(c)) || is_warpgroup_idle(c, thread / c->t->r->warp.lanes));
}

/* The warps that may be counted and have never arrived at an object of this kind, a bit each. */
static uint64_t warps_without(const struct rule_case *c)
{
	uint32_t lanes = c->t->r->warp.lanes;
	uint64_t warps = 0;

	for (uint32_t w = 0; w < c->t->r->group->warps; w++)
		if (w * lanes != c->t->r->warp.first_thread && !arrives_at_kind(c, w * lanes) &&
			may_be_counted(c, w * lanes))
			warps |= 1ull << w;
	return warps;
}

#define ENDED UINT32_MAX

/* Where a warp waits, or else stands. */
static uint32_t stands_at(const struct rule_case *c, uint32_t warp)
{
	const struct warp_slot *r = core_slot_of(c->t->core, c->t->r->group, warp * c->t->r->warp.lanes);

	if (!r || !r->warp.live)
		return ENDED;
	lane_mask waiting = mbarrier_lanes_waiting(c->t->core, r);
	if (waiting)
		return mbarrier_look_of(c->t->core, r)->pc[__builtin_ctzll(waiting)];
	EACH_WARP(c->e->launch, at)
		if (at.r == r)
			return thread_position(&at).pc;
	return ENDED;
}

/* Of some warps those that stand at the same line as one of them. */
static uint64_t same_place(const struct rule_case *c, uint64_t warps, uint32_t warp)
{
	uint32_t at = stands_at(c, warp);
	uint64_t same = 0;

	for (uint64_t m = warps; m; m &= m - 1) {
		uint32_t other = stands_at(c, (uint32_t)__builtin_ctzll(m));
		bool is_same =
			other == at || (other != ENDED && at != ENDED && rule_same_line(c->e->kernel, other, at));

		same |= is_same ? m & -m : 0;
	}
	return same;
}

/* The warps at the same place of a warpgroup as all arrivers: one of each may be elected. */
static uint64_t elected_warps(const struct rule_case *c)
{
	uint64_t warps = UINT64_MAX;

	EACH_RECORD(r, c->object, c->object->phase, MBARRIER_ARRIVED)
		warps &= FIRST_WARPS << r->thread / c->t->r->warp.lanes % WARPGROUP;
	return warps;
}

/* If all of them make as many arrivals as the arriver, and that is what is missing: else it is no arrival of theirs. */
static void add_arrivals_of(const struct rule_case *c, const struct mbarrier_record *arriver, uint64_t warps)
{
	uint32_t count = (uint32_t)__builtin_popcountll(warps);

	if (!warps || count * arriver->count != c->wait->now.pending)
		return;
	rule_add(c, CAUSE_MISSING_ARRIVAL,
		rule_at_kind(c, c->object,
			(struct change){.mend = MEND_ARRIVAL,
				.pc = arriver->pc,
				.thread = (uint32_t)__builtin_ctzll(warps) * c->t->r->warp.lanes,
				.address = c->wait->offset,
				.values = {c->wait->now.pending, MEND_EACH_PHASE, count - 1,
					warps | (warps_without(c) & warpgroups_of(warps))},
				.value_count = 1}));
}

/* As many warps of an idle warpgroup as would make up what is missing: any of them may have been meant. */
static uint64_t some_of_idle(
	const struct rule_case *c, const struct mbarrier_record *arriver, uint64_t warps, uint32_t warp)
{
	uint32_t count = arriver->count ? c->wait->now.pending / arriver->count : 0;
	uint64_t some = 0, all = is_warpgroup_idle(c, warp) ? warps & warpgroups_of(1ull << warp) : 0;

	for (; all && count; all &= all - 1, count--)
		some |= all & -all;
	return some;
}

/* Warps have never arrived at an object of this kind: the count may mean them. */
void rule_never_arrives(const struct rule_case *c)
{
	uint64_t warps, elected;

	if (!c->wait->now.pending || c->wait->now.pending == c->wait->now.expected || count_was_right(c))
		return;
	warps = warps_without(c);
	elected = elected_warps(c);
	EACH_RECORD(r, c->object, c->object->phase, MBARRIER_ARRIVED) {
		add_arrivals_of(c, r, warps);
		add_arrivals_of(c, r, warps & elected);
		for (uint64_t m = warps; m; m &= m - 1) {
			uint64_t same = same_place(c, warps, (uint32_t)__builtin_ctzll(m));

			add_arrivals_of(c, r, same);
			add_arrivals_of(c, r, same & elected);
			add_arrivals_of(c, r, some_of_idle(c, r, warps, (uint32_t)__builtin_ctzll(m)));
		}
	}
}
