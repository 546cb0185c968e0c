/* Arrivals at mbarriers that threads leave out, made for them in a launch that is run again: MEND_LEAVE, MEND_ARRIVAL,
 * MEND_DUE and MEND_RANK (machine/state/finding.h). */
#include "explore/again_parts.h"
#include "explore/left.h"

#include "machine/core/cluster.h"
#include "machine/gpu/machine.h"
#include "machine/lsu/mbarrier.h"
#include "machine/lsu/mbarrier_ledger.h"
#include "machine/lsu/mbarrier_trace.h"

#include "warp/mbarrier.h"

#include <string.h>

/* Of a record's lanes those that have left and not arrived in the present phase. */
static lane_mask left_lanes(const struct again *again, const struct mbarrier_object *object,
	const struct mbarrier_record *r, const struct change *change)
{
	lane_mask lanes = r->act == MBARRIER_ARRIVED ? mbarrier_absent_lanes(object, r) : r->lanes, left = 0;

	for (lane_mask m = lanes; m; m &= m - 1)
		if (left_has(again->gpu.machine, change->launch, r->group, r->thread + (uint32_t)__builtin_ctzll(m),
			    again->uses))
			left |= m & -m;
	return left;
}

/* MEND_LEAVE: what the record's warp, which has left, did in the phase before, it does in this one; false: nothing. */
static bool act_for_left(const struct again *again, struct core *core, const struct group *group,
	const struct mbarrier_object *object, const struct mbarrier_record *r, const struct change *change)
{
	uint32_t each = r->count / (uint32_t)__builtin_popcountll(r->lanes);
	lane_mask left = left_lanes(again, object, r, change);
	struct mbarrier_record what = {
		.act = r->act, .pc = r->pc, .thread = r->thread, .group = r->group, .lanes = left};

	if (r->act == MBARRIER_ARRIVED) {
		what.count = (each ? each : 1) * (uint32_t)__builtin_popcountll(left);
		what.bytes = r->bytes / (uint32_t)__builtin_popcountll(r->lanes) * what.count;
	}
	if (r->act == MBARRIER_BYTES)
		what.bytes = left == r->lanes ? mbarrier_absent_bytes(object, r) : 0;
	return (what.count || what.bytes) && mbarrier_credit(core, group, object->offset, &what);
}

/* MEND_LEAVE, at one object; false: nothing is missing. */
static bool act_for_one(const struct again *again, struct core *core, const struct group *group,
	const struct mbarrier_object *object, const struct change *change)
{
	EACH_KNOWN_RECORD(r, object)
		if (r->phase == object->phase - 1 && change_means(change, r->pc) &&
			(r->act == MBARRIER_ARRIVED || r->act == MBARRIER_BYTES) &&
			act_for_left(again, core, group, object, r, change))
			return true;
	return false;
}

/* All of them, until the phase ends. */
static void act_for_all_left(const struct again *again, struct core *core, const struct group *group,
	const struct mbarrier_object *object, const struct change *change)
{
	int64_t phase = object->phase;

	while (object->phase == phase && act_for_one(again, core, group, object, change))
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

/* The wait that a warp passed last before it arrived at the object in its present phase; null: none is known. */
static const struct mbarrier_event *pass_before(
	const struct core *core, const struct group *group, const struct mbarrier_object *object, uint32_t warp)
{
	const struct mbarrier_trace *trace = mbarrier_trace_of(core, group, warp);
	const struct mbarrier_event *pass = NULL, *last = NULL;

	for (uint32_t k = 0; trace && k < mbarrier_events(trace); k++) {
		const struct mbarrier_event *e = mbarrier_event(trace, k);

		if (e->step == STEP_PASSED)
			last = e;
		else if (e->offset == object->offset && e->phase == object->phase)
			pass = last;
	}
	return pass;
}

/* A warp has passed this wait, too, or a later one there, or has ended. */
static bool has_passed(
	const struct core *core, const struct group *group, const struct mbarrier_event *pass, uint32_t warp)
{
	const struct mbarrier_trace *trace = mbarrier_trace_of(core, group, warp);
	const struct warp_slot *r = core_slot_of(core, group, warp * core->slots->warp.lanes);

	for (uint32_t k = 0; trace && k < mbarrier_events(trace); k++) {
		const struct mbarrier_event *e = mbarrier_event(trace, k);

		if (e->step == STEP_PASSED && e->offset == pass->offset && e->phase >= pass->phase)
			return true;
	}
	return !r || !r->warp.live;
}

/* MEND_EACH_PHASE: one of the warps that the change means has not come as far as one that has arrived. */
static bool any_is_behind(const struct core *core, const struct group *group, const struct mbarrier_object *object,
	const struct change *change)
{
	EACH_RECORD(r, object, object->phase, MBARRIER_ARRIVED) {
		const struct mbarrier_event *pass =
			r->is_remote ? NULL : pass_before(core, group, object, r->thread / core->slots->warp.lanes);

		for (uint64_t m = pass ? change->values[3] : 0; m; m &= m - 1)
			if (!has_passed(core, group, pass, (uint32_t)__builtin_ctzll(m)))
				return true;
	}
	return is_behind(core, group, object, change->thread);
}

/* MEND_ARRIVAL: all that the object lacks are the arrivals of the change. */
static void arrive_if_all_else_has(
	struct core *core, const struct group *group, const struct mbarrier_object *object, const struct change *change)
{
	uint64_t bits;

	memcpy(&bits, group->shared + object->offset, sizeof bits);
	if (mbarrier_unpack(bits).pending == change->values[0] && !any_is_behind(core, group, object, change))
		mbarrier_credit(core, group, object->offset,
			&(struct mbarrier_record){.act = MBARRIER_ARRIVED,
				.pc = change->pc,
				.thread = change->thread,
				.group = group->number,
				.lanes = 1,
				.count = (uint32_t)change->values[0]});
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

/* Whether the lane has left, or waits at an mbarrier. */
static bool has_stopped(const struct again *again, const struct actor *a, uint32_t lane)
{
	const struct warp_slot *r = slot_of(a, lane);
	uint32_t thread = a->warp * a->core->slots->warp.lanes + lane;
	const struct mbarrier_look *look = r ? mbarrier_look_of(a->core, r) : NULL;

	return !r || (look && (look->lanes & ~look->complete) >> lane & 1) ||
	       left_has(again->gpu.machine, a->group->launch, a->group->number, thread, again->uses);
}

/* What a warp has done since it passed the mbarrier at `from` last. */
struct since {
	const struct mbarrier_event *pass;
	bool is_over;     /* has passed another wait or stopped */
	uint64_t arrived; /* arrivals at `to`, or bytes of copies */
	bool has_habit;   /* has done so in `to`'s rank at the change's instructions, ever */
	bool has_told;    /* has done so at these in another rank */
};

static bool is_wait_of(const struct mend_stages *s, uint32_t pc)
{
	for (uint32_t k = 0; k < s->wait_count; k++)
		if (s->waits[k] == pc)
			return true;
	return !s->wait_count;
}

static struct since since_of(const struct again *again, const struct actor *a, const struct change *change,
	const struct mend_stages *s, uint32_t place)
{
	uint32_t from = s->from[place], to = s->to[place], rank = s->rank;
	const struct mbarrier_trace *trace = mbarrier_trace_of(a->core, a->group, a->warp);
	enum mbarrier_step step = change->of_copies ? STEP_COPIED : STEP_ARRIVED;
	struct since since = {0};

	for (uint32_t k = 0; trace && k < mbarrier_events(trace); k++) {
		const struct mbarrier_event *e = mbarrier_event(trace, k);

		bool is_meant = e->step == step && change_means(change, e->pc);

		since.has_habit |= is_meant && e->ranks >> rank & 1;
		if (e->step == STEP_PASSED && e->offset == from && is_wait_of(s, e->pc))
			since = (struct since){.pass = e, .has_habit = since.has_habit};
		else if (since.pass && e->step == STEP_PASSED && e->lanes & since.pass->lanes)
			since.is_over = true;
		else if (e->step == step && e->offset == to && e->ranks >> rank & 1)
			since.arrived += step == STEP_COPIED && !is_meant ? 0 : e->count ? e->count : 1;
		else if (is_meant && e->offset == to)
			since.has_told = true;
	}
	since.is_over |= since.pass && has_stopped(again, a, (uint32_t)__builtin_ctzll(since.pass->lanes));
	return since;
}

/* The actor's arrival at the k-th stage, if it is due. */
static void arrive_if_due(const struct again *again, const struct actor *a, const struct change *change,
	const struct mend_stages *s, uint32_t k, struct core *core, const struct group *group)
{
	struct since since = since_of(again, a, change, s, k);
	uint32_t thread = a->warp * core->slots->warp.lanes;
	lane_mask lane = since.pass ? since.pass->lanes & -since.pass->lanes : 0;
	bool copies = change->of_copies;
	bool has_habit =
		change->values[1] == MEND_AS_OTHER_RANKS ? since.has_told : since.has_habit || change->values[1];
	uint32_t missing = (uint32_t)(change->values[0] - since.arrived);

	if (!since.is_over || !has_habit || (copies ? since.arrived >= change->values[0] : since.arrived))
		return;
	if (mbarrier_credit(core, group, s->to[k],
		    &(struct mbarrier_record){.act = copies ? MBARRIER_BYTES : MBARRIER_ARRIVED,
			    .pc = change->pc,
			    .thread = thread,
			    .group = a->group->number,
			    .lanes = lane,
			    .count = copies ? 0 : missing,
			    .bytes = copies ? missing : missing * change->values[3]}))
		mbarrier_trace_credit(a->core, a->group, a->warp,
			(struct mbarrier_event){.step = copies ? STEP_COPIED : STEP_ARRIVED,
				.rank = (uint8_t)s->rank,
				.ranks = (uint16_t)(1u << s->rank),
				.pc = change->pc,
				.offset = s->to[k],
				.count = missing,
				.lanes = lane});
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

			bool is_meant = other == group || cluster_is_same(other, group);

			if (change->ranks && !(other->cluster && change->ranks >> other->cluster->rank & 1))
				continue;
			for (uint32_t w = 0; is_meant && w < other->warps; w++)
				arrive_if_due(again, &(struct actor){of, other, w}, change, s, k, core, group);
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

/* ---- Arrivals that count in another rank: MEND_RANK ---- */

static bool is_to_move(const struct change *change, const struct mbarrier_event *e)
{
	bool is_stage = false;

	for (uint32_t k = 0; k < change->stages->count; k++)
		is_stage |= change->stages->to[k] == e->offset;
	return e->step == STEP_ARRIVED && change_means(change, e->pc) && change->values[0] >> e->rank & 1 && is_stage;
}

/* The warp's arrivals that go elsewhere by the change come in the group. */
static void move_arrivals(
	const struct actor *a, struct core *core, const struct group *group, const struct change *change)
{
	const struct mbarrier_trace *trace = mbarrier_trace_of(a->core, a->group, a->warp);

	for (uint32_t k = 0; trace && k < mbarrier_events(trace); k++) {
		const struct mbarrier_event *e = mbarrier_event(trace, k);

		if (is_to_move(change, e) && mbarrier_credit(core, group, e->offset,
						     &(struct mbarrier_record){.act = MBARRIER_ARRIVED,
							     .pc = e->pc,
							     .thread = a->warp * a->core->slots->warp.lanes,
							     .group = a->group->number,
							     .lanes = e->lanes,
							     .count = e->count}))
			mbarrier_trace_move(a->core, a->group, a->warp, k, change->stages->rank);
	}
}

static void move_to_group(
	const struct again *again, struct core *core, const struct group *group, const struct change *change)
{
	for (uint32_t rank = 0; group->cluster && rank < group->cluster->size; rank++) {
		struct core *of = core;
		const struct group *other = cluster_group(again->gpu.machine, group, rank, &of);

		for (uint32_t w = 0; other && change->values[1] >> rank & 1 && w < other->warps; w++)
			move_arrivals(&(struct actor){of, other, w}, core, group, change);
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

	if (change->mend == MEND_RANK) {
		if (group->cluster && group->cluster->rank == change->stages->rank)
			move_to_group(again, core, group, change);
		return;
	}
	if (change->mend == MEND_DUE) {
		arrive_at_stages(again, core, group, change);
		return;
	}
	for (uint32_t k = 0; k < count; k++) {
		if (objects[k]->is_over || !mbarrier_is_waited(core, group, objects[k]))
			continue;
		if (change->mend == MEND_LEAVE)
			act_for_all_left(again, core, group, objects[k], change);
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

bool again_is_untold(const struct again *again)
{
	return again->gpu.experiment.is_untold;
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

static bool has_ended(const struct core *core, const struct group *group, uint32_t thread)
{
	const struct warp_slot *r = core_slot_of(core, group, thread);

	return !r || slot_thread_ended(r, thread);
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
			mbarrier_credit(core, group, object->offset,
				&(struct mbarrier_record){.act = MBARRIER_ARRIVED,
					.pc = change->pc,
					.thread = w * lanes,
					.group = group->number,
					.lanes = 1,
					.count = count});
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
