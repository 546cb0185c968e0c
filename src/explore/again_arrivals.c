/* Arrivals at mbarriers that threads leave out, made for them in a launch that is run again: MEND_LEAVE, MEND_ARRIVAL
 * and MEND_DUE (machine/state/finding.h). */
#include "explore/again_parts.h"

#include "machine/core/cluster.h"
#include "machine/gpu/machine.h"
#include "machine/lsu/mbarrier.h"
#include "machine/lsu/mbarrier_ledger.h"
#include "machine/lsu/mbarrier_trace.h"

#include "warp/mbarrier.h"

#include <string.h>

static bool has_ended(const struct core *core, const struct group *group, uint32_t thread)
{
	const struct warp_slot *r = core_slot_of(core, group, thread);

	return !r || slot_thread_ended(r, thread);
}

/* Of a record's lanes those that have ended and not arrived in the present phase. */
static lane_mask ended_lanes(const struct core *core, const struct group *group, const struct mbarrier_object *object,
	const struct mbarrier_record *r)
{
	lane_mask ended = 0;

	for (lane_mask m = mbarrier_absent_lanes(object, r); m; m &= m - 1)
		if (has_ended(core, group, r->thread + (uint32_t)__builtin_ctzll(m)))
			ended |= m & -m;
	return ended;
}

/* MEND_LEAVE, at one object; false: none is missing. */
static bool arrive_for_ended(
	struct core *core, const struct group *group, const struct mbarrier_object *object, const struct change *change)
{
	EACH_RECORD(r, object, object->phase - 1, MBARRIER_ARRIVED) {
		lane_mask ended =
			change_means(change, r->pc) && !r->is_remote ? ended_lanes(core, group, object, r) : 0;
		uint32_t each = r->count / (uint32_t)__builtin_popcountll(r->lanes);

		if (ended)
			return mbarrier_credit(core, group, object->offset, r->thread, ended, r->pc,
				(each ? each : 1) * (uint32_t)__builtin_popcountll(ended));
	}
	return false;
}

/* All of them, until the phase ends. */
static void arrive_for_all_ended(
	struct core *core, const struct group *group, const struct mbarrier_object *object, const struct change *change)
{
	int64_t phase = object->phase;

	while (object->phase == phase && arrive_for_ended(core, group, object, change))
		;
}

/* The thread waits here, too, and has not seen the phase before: an early arrival would lap it. */
static bool is_behind(
	const struct core *core, const struct group *group, const struct mbarrier_object *object, uint32_t thread)
{
	const struct warp_slot *r = core_slot_of(core, group, thread);

	return r && !slot_thread_ended(r, thread) && object->looked >> (thread / r->warp.lanes) & 1 &&
	       mbarrier_seen(object, r, thread - r->warp.first_thread) < object->phase - 1;
}

/* MEND_ARRIVAL: all that the object lacks are the arrivals of the change. */
static void arrive_if_all_else_has(
	struct core *core, const struct group *group, const struct mbarrier_object *object, const struct change *change)
{
	uint64_t bits;

	memcpy(&bits, group->shared + object->offset, sizeof bits);
	if (mbarrier_unpack(bits).pending == change->values[0] && !is_behind(core, group, object, change->thread))
		mbarrier_credit(
			core, group, object->offset, change->thread, 1, change->pc, (uint32_t)change->values[0]);
}

/* ---- Arrivals that are due: MEND_DUE ---- */

/* A warp of a group on its core. */
struct actor {
	struct core *core;
	const struct group *group;
	uint32_t warp;
};

static const struct warp_slot *slot_of(const struct actor *a, uint32_t lane)
{
	return core_slot_of(a->core, a->group, a->warp * a->core->slots->warp.lanes + lane);
}

/* Whether the lane has ended, or waits at an mbarrier. */
static bool has_stopped(const struct actor *a, uint32_t lane)
{
	const struct warp_slot *r = slot_of(a, lane);
	const struct mbarrier_look *look = r ? mbarrier_look_of(a->core, r) : NULL;

	return !r || !(r->warp.live >> lane & 1) || (look && (look->lanes & ~look->complete) >> lane & 1);
}

/* What a warp has done since it passed the mbarrier at `from` last. */
struct since {
	const struct mbarrier_event *pass;
	bool is_over, has_arrived; /* has passed another wait or stopped; has arrived at `to` */
	bool has_habit;            /* has arrived at the change's instructions, ever */
};

static struct since since_of(
	const struct actor *a, const struct change *change, uint32_t from, uint32_t to, uint32_t rank)
{
	const struct mbarrier_trace *trace = mbarrier_trace_of(a->core, a->group, a->warp);
	struct since since = {0};

	for (uint32_t k = 0; trace && k < mbarrier_events(trace); k++) {
		const struct mbarrier_event *e = mbarrier_event(trace, k);

		since.has_habit |= e->step == STEP_ARRIVED && change_means(change, e->pc);
		if (e->step == STEP_PASSED && e->offset == from)
			since = (struct since){.pass = e, .has_habit = since.has_habit};
		else if (since.pass && e->step == STEP_PASSED && e->lanes & since.pass->lanes)
			since.is_over = true;
		else if (e->step == STEP_ARRIVED && e->offset == to && e->rank == rank)
			since.has_arrived = true;
	}
	since.is_over |= since.pass && has_stopped(a, (uint32_t)__builtin_ctzll(since.pass->lanes));
	return since;
}

/* The actor's arrival at the k-th stage, if it is due. */
static void arrive_if_due(const struct actor *a, const struct change *change, const struct mend_stages *s, uint32_t k,
	struct core *core, const struct group *group)
{
	struct since since = since_of(a, change, s->from[k], s->to[k], s->rank);
	uint32_t thread = a->warp * core->slots->warp.lanes;

	if (!since.is_over || since.has_arrived || !(since.has_habit || change->values[1]))
		return;
	if (mbarrier_credit(core, group, s->to[k], a->group == group ? thread : 0,
		    since.pass->lanes & -since.pass->lanes, change->pc, (uint32_t)change->values[0]))
		mbarrier_trace_credit(a->core, a->group, a->warp,
			(struct mbarrier_event){.step = STEP_ARRIVED,
				.rank = (uint8_t)s->rank,
				.pc = change->pc,
				.offset = s->to[k],
				.count = (uint32_t)change->values[0],
				.lanes = since.pass->lanes & -since.pass->lanes});
}

/* All warps that may arrive in the group: its own, and those of its cluster. */
static void arrive_when_due(const struct again *again, struct core *core, const struct group *group,
	const struct change *change, const struct mend_stages *s, uint32_t k)
{
	const struct machine *machine = again->gpu.machine;

	EACH_USED_CORE(machine, c) {
		struct core *of = &machine->cores.at[c];

		for (uint64_t m = of->groups.used; m; m &= m - 1) {
			const struct group *other = &of->groups.at[__builtin_ctzll(m)];

			for (uint32_t w = 0; (other == group || cluster_is_same(other, group)) && w < other->warps; w++)
				arrive_if_due(&(struct actor){of, other, w}, change, s, k, core, group);
		}
	}
}

static void arrive_at_stages(
	const struct again *again, struct core *core, const struct group *group, const struct change *change)
{
	uint32_t rank = group->cluster ? group->cluster->rank : 0;

	for (const struct mend_stages *s = change->stages; s; s = s->next)
		for (uint32_t k = 0; k < s->count && s->rank == rank; k++) {
			const struct mbarrier_object *object = mbarrier_object_of(core, group, s->to[k]);

			if (object && !object->is_over && mbarrier_is_waited(core, group, object))
				arrive_when_due(again, core, group, change, s, k);
		}
}

/* ---- Missing arrivals, all kinds ---- */

static bool is_meant(const struct core *core, const struct group *group, const struct mbarrier_object *object,
	const struct change *change)
{
	const struct mbarrier_object *named = mbarrier_object_of(core, group, change->address);

	if (change->values[1] != MEND_EACH_PHASE)
		return object == named && object->phase == (int64_t)change->values[1];
	return change_means(change, object->begun.pc);
}

static void arrive_in_group(
	const struct again *again, struct core *core, const struct group *group, const struct change *change)
{
	const struct mbarrier_object *const *objects;
	uint32_t count = mbarrier_objects_of(core, group, &objects);

	if (change->mend == MEND_DUE) {
		arrive_at_stages(again, core, group, change);
		return;
	}
	for (uint32_t k = 0; k < count; k++) {
		if (objects[k]->is_over || !mbarrier_is_waited(core, group, objects[k]))
			continue;
		if (change->mend == MEND_LEAVE)
			arrive_for_all_ended(core, group, objects[k], change);
		if (change->mend == MEND_ARRIVAL && is_meant(core, group, objects[k], change))
			arrive_if_all_else_has(core, group, objects[k], change);
	}
}

void again_arrive_now(const struct again *again, const struct change *change)
{
	const struct machine *machine = again->gpu.machine;

	EACH_USED_CORE(machine, c) {
		struct core *core = &machine->cores.at[c];

		for (uint64_t m = core->groups.used; m; m &= m - 1) {
			const struct group *group = &core->groups.at[__builtin_ctzll(m)];

			if (group->launch == change->launch)
				arrive_in_group(again, core, group, change);
		}
	}
}

/* ---- Threads that have stopped for good: MEND_GONE ---- */

/* How many arrivals a warp that is meant makes at the object at once; 0: none. */
static uint32_t habit_of(
	const struct core *core, const struct group *group, const struct change *change, uint32_t warp, uint64_t offset)
{
	const struct mbarrier_trace *trace = mbarrier_trace_of(core, group, warp);
	uint32_t rank = group->cluster ? group->cluster->rank : 0;

	for (uint32_t k = trace && change->turns->warps >> warp & 1 ? mbarrier_events(trace) : 0; k > 0; k--) {
		const struct mbarrier_event *e = mbarrier_event(trace, k - 1);

		if (e->step == STEP_ARRIVED && e->offset == offset && e->rank == rank)
			return e->count;
	}
	return 0;
}

static bool arrive_for_gone(
	struct core *core, const struct group *group, const struct mbarrier_object *object, const struct change *change)
{
	uint32_t lanes = core->slots->warp.lanes, sum = 0;
	uint64_t bits;

	memcpy(&bits, group->shared + object->offset, sizeof bits);
	for (uint32_t w = 0; w < group->warps; w++)
		sum += has_ended(core, group, w * lanes) ? habit_of(core, group, change, w, object->offset) : 0;
	if (!sum || sum != mbarrier_unpack(bits).pending || mbarrier_unpack(bits).transactions)
		return false;
	for (uint32_t w = 0; w < group->warps; w++) {
		uint32_t count =
			has_ended(core, group, w * lanes) ? habit_of(core, group, change, w, object->offset) : 0;

		if (count)
			mbarrier_credit(core, group, object->offset, w * lanes, 1, change->pc, count);
	}
	return true;
}

static bool arrive_in(struct core *core, const struct group *group, const struct change *change)
{
	const struct mbarrier_object *const *objects;
	uint32_t count = mbarrier_objects_of(core, group, &objects);
	bool any = false;

	for (uint32_t k = 0; k < count; k++)
		if (!objects[k]->is_over && mbarrier_is_waited(core, group, objects[k]))
			any |= arrive_for_gone(core, group, objects[k], change);
	return any;
}

bool again_arrive_for_gone(struct again *again, const struct change *change)
{
	const struct machine *machine = again->gpu.machine;
	bool any = false;

	EACH_USED_CORE(machine, c) {
		struct core *core = &machine->cores.at[c];

		for (uint64_t m = core->groups.used; m; m &= m - 1)
			if (core->groups.at[__builtin_ctzll(m)].launch == change->launch)
				any |= arrive_in(core, &core->groups.at[__builtin_ctzll(m)], change);
	}
	return any;
}
