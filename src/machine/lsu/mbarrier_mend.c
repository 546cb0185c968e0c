/* One thing done otherwise at mbarriers, to test a cause: see mbarrier_mend.h. */
#include "machine/lsu/mbarrier_mend.h"

#include "machine/core/cluster.h"
#include "machine/lsu/access.h"
#include "machine/lsu/mbarrier.h"
#include "machine/lsu/mbarrier_ledger.h"
#include "machine/lsu/mbarrier_trace.h"
#include "machine/lsu/remote.h"
#include "machine/state/launch_state.h"
#include "machine/state/machine.h"

#include <assert.h>

/* The place of an offset among some; -1: it is none of them. */
static int place_of(const uint32_t *offsets, uint32_t count, uint64_t offset)
{
	assert(offsets && count);
	assert(count <= MEND_STAGES);
	for (uint32_t k = 0; k < count; k++)
		if (offsets[k] == offset)
			return (int)k;
	return -1;
}

/* The change, if it is of this kind and of the group's launch; else null. */
static const struct change *mend_of(const struct core *core, const struct group *group, enum mbarrier_mend kind)
{
	const struct change *c = core->machine->gpu->experiment.mend;

	assert(!c || c->kind == CHANGE_MBARRIER);
	if (c && c->ranks && !(group->cluster && c->ranks >> group->cluster->rank & 1))
		return NULL;
	return c && c->mend == kind && c->launch == group->launch ? c : NULL;
}

/* Likewise, if it is of this instruction. */
static const struct change *mend_at(const struct core *core, const struct operation *op, enum mbarrier_mend kind)
{
	const struct change *c = mend_of(core, op->group, kind);

	assert(op->lanes);
	return c && change_means(c, launch_pc(op->group->core_launch->launch, op->insn)) ? c : NULL;
}

uint32_t mbarrier_mend_count(const struct core *core, const struct operation *op, uint32_t count)
{
	const struct change *c = mend_at(core, op, MEND_COUNT);

	assert(op->insn->kind == INSN_MBARRIER);
	return c ? (uint32_t)c->values[0] : count;
}

bool mbarrier_mend_skips(const struct core *core, const struct operation *op, uint32_t lane)
{
	const struct mbarrier_object *object;

	assert(op->insn->kind == INSN_MBARRIER);
	if (!mend_at(core, op, MEND_NO_INIT))
		return false;
	object = mbarrier_object_of(core, op->group, op->address[lane]);
	return object && !object->is_over && (object->recorded || object->phase);
}

/* The lane has arrived at its object in the present phase. */
static bool has_arrived(const struct core *core, const struct operation *op, uint32_t lane)
{
	const struct mbarrier_object *object = mbarrier_object_of(core, op->group, op->address[lane]);
	const struct remote_access *access = op->is_remote ? core->lsu.serving : NULL;
	struct mbarrier_record own = {.group = access ? access->number : op->group->number,
		.thread = access ? access->first_thread : op->slot->warp.first_thread};

	assert(op->lanes >> lane & 1);
	EACH_RECORD(r, object, object ? object->phase : 0, MBARRIER_ARRIVED)
		if (mbarrier_same_warp(r, &own) && r->lanes >> lane & 1)
			return true;
	return false;
}

/* The arrival of a MEND_RANK that does not count here. */
static bool goes_to_other_rank(const struct core *core, const struct operation *op, uint32_t lane)
{
	const struct change *c = mend_at(core, op, MEND_RANK);
	const struct group_cluster *cluster = op->group->cluster;
	uint32_t rank = 0;

	assert(op->lanes >> lane & 1);
	if (!c || !cluster)
		return false;
	while (op->is_remote && cluster->members[rank].number != core->lsu.serving->number)
		rank++;
	assert(rank < cluster->size);
	return c->values[0] >> cluster->rank & 1 && c->values[1] >> (op->is_remote ? rank : cluster->rank) & 1 &&
	       place_of(c->stages->to, c->stages->count, op->address[lane]) >= 0;
}

void mbarrier_mend_arrival(
	const struct core *core, const struct operation *op, uint32_t lane, uint32_t *count, uint64_t *bytes)
{
	const struct change *b = mend_at(core, op, MEND_BYTES);
	const struct mbarrier_object *object = b ? mbarrier_object_of(core, op->group, op->address[lane]) : NULL;

	assert(op->insn->kind == INSN_MBARRIER);
	if (mend_at(core, op, MEND_ARRIVES))
		*count = 1;
	if (object && (b->value_count > 1 ? object->offset == b->address && object->phase == (int64_t)b->values[1]
					  : object->phase >= (int64_t)b->values[1]))
		*bytes = b->values[0];
	if ((mend_at(core, op, MEND_ONCE) && has_arrived(core, op, lane)) || goes_to_other_rank(core, op, lane))
		*count = 0;
}

/* A wait by one of its instructions, or, IN_TURN, at one of its objects. */
static bool means_wait(const struct change *c, const struct operation *op, const struct mbarrier_object *object)
{
	bool means = change_means(c, launch_pc(op->group->core_launch->launch, op->insn));

	assert(c->mend == MEND_PARITY || c->mend == MEND_IN_TURN);
	if (c->mend == MEND_IN_TURN)
		return means || change_means(c, object->begun.pc);
	return means && (!c->value_count || object->offset == c->values[0]);
}

/* ---- Stages ---- */

/* The phase of a stage for which a lane waits next. */
static int64_t next_phase(const struct core *core, const struct warp_slot *r, uint32_t lane,
	const struct mend_stages *stages, uint64_t offset)
{
	const struct mbarrier_object *object = mbarrier_object_of(core, r->group, offset);
	int64_t next = object ? mbarrier_seen(object, r, lane) + 1 : 0;

	assert(stages->count);
	return next < stages->first_phase ? stages->first_phase : next;
}

/* The stages among which an object is waited for; null: none. */
static const struct mend_stages *stages_of(const struct mend_stages *stages, uint64_t offset)
{
	for (; stages && place_of(stages->from, stages->count, offset) < 0; stages = stages->next)
		assert(stages->count);
	return stages;
}

/* Of some stages, the one for which a lane waits next. */
static uint32_t next_stage(
	const struct core *core, const struct warp_slot *r, uint32_t lane, const struct mend_stages *stages)
{
	uint32_t next = stages->from[0];

	assert(stages->count);
	for (uint32_t k = 1; k < stages->count; k++)
		if (next_phase(core, r, lane, stages, stages->from[k]) < next_phase(core, r, lane, stages, next))
			next = stages->from[k];
	return next;
}

/* MEND_MAP: where an offset goes. */
static uint64_t mapped(const struct change *c, uint64_t offset)
{
	int place = c ? place_of(c->stages->from, c->stages->count, offset) : -1;

	assert(!c || c->mend == MEND_MAP);
	return place < 0 ? offset : c->stages->to[place];
}

static void map_addresses(const struct core *core, const struct operation *op)
{
	const struct change *map = mend_at(core, op, MEND_MAP);

	EACH_LANE(l, map ? op->lanes : 0)
		op->address[l] = mapped(map, op->address[l]);
}

/* Where the arrival of a warp's lane at `offset`, or its copy, goes by one of the stages. */
static uint64_t target_by(const struct core *core, const struct warp_slot *r, uint32_t lane, uint64_t offset,
	const struct mend_stages *stages)
{
	const struct mbarrier_trace *trace = mbarrier_trace_of(core, r->group, r->warp.first_thread / r->warp.lanes);
	int place = mbarrier_last_passed(trace, r, lane, stages->from, stages->count);

	assert(lane < r->warp.lanes);
	return place < 0 ? offset : stages->to[place];
}

const uint64_t *mbarrier_mend_mapped(const struct core *core, const struct warp_slot *r, const struct insn *insn,
	lane_mask lanes, uint8_t space, const uint64_t *address, uint64_t *to)
{
	const struct change *c = core->machine->gpu->experiment.mend;
	bool is_meant = c && (mend_of(core, r->group, MEND_MAP) || mend_of(core, r->group, MEND_TO)) &&
			change_means(c, launch_pc(r->core_launch->launch, insn));

	assert(insn->kind == INSN_MBARRIER);
	assert(space == space_SHARED || space == space_CLUSTER);
	if (!is_meant || (c->mend == MEND_TO && space != space_SHARED))
		return address;
	EACH_LANE(l, lanes) {
		uint64_t offset = space == space_CLUSTER ? remote_offset(address[l]) : address[l];

		to[l] = address[l] - offset +
			(c->mend == MEND_MAP ? mapped(c, offset) : target_by(core, r, (uint32_t)l, offset, c->stages));
	}
	return to;
}

void mbarrier_mend_waits(const struct core *core, const struct operation *op)
{
	const struct change *c = mend_at(core, op, MEND_IN_ORDER);

	assert(op->insn->kind == INSN_MBARRIER);
	map_addresses(core, op);
	EACH_LANE(l, c ? op->lanes : 0) {
		const struct mend_stages *stages = stages_of(c->stages, op->address[l]);

		if (stages && !stages->parity_alone)
			op->address[l] = next_stage(core, op->slot, (uint32_t)l, stages);
	}
}

static uint64_t target_of(const struct core *core, const struct operation *op, uint32_t lane, uint64_t offset)
{
	const struct change *to = mend_at(core, op, MEND_TO), *order = mend_of(core, op->group, MEND_IN_ORDER),
			    *map = mend_at(core, op, MEND_MAP);

	assert(op->lanes >> lane & 1);
	if (map)
		return mapped(map, offset);
	if (to)
		return target_by(core, op->slot, lane, offset, to->stages);
	for (const struct mend_stages *s = order ? order->stages : NULL; s; s = s->next)
		if (s->has_to && place_of(s->to, s->count, offset) >= 0)
			return target_by(core, op->slot, lane, offset, s);
	return offset;
}

void mbarrier_mend_targets(const struct core *core, const struct operation *op)
{
	assert(op->insn->kind == INSN_MBARRIER);
	if (!core->machine->gpu->experiment.mend || op->insn->op == OP_mbarrier_init ||
		op->insn->op == OP_mbarrier_inval)
		return;
	if (op->is_remote) {
		map_addresses(core, op);
		return;
	}
	EACH_LANE(l, op->lanes)
		op->address[l] = target_of(core, op, (uint32_t)l, op->address[l]);
}

uint32_t mbarrier_mend_object(const struct core *core, const struct operation *op, uint32_t lane, uint32_t object)
{
	uint64_t expected = mend_at(core, op, MEND_OBJECT) ? mbarrier_expected_by(core, op->slot) : UINT64_MAX;

	assert(op->insn->kind == INSN_COPY);
	if (expected != UINT64_MAX)
		return (uint32_t)expected;
	return (uint32_t)(core->machine->gpu->experiment.mend ? target_of(core, op, lane, object) : object);
}

uint32_t mbarrier_mend_tracked(const struct core *core, const struct operation *op, uint32_t object)
{
	assert(op->insn->op == OP_cp_async_arrive);
	return (uint32_t)mapped(mend_at(core, op, MEND_MAP), object);
}

bool mbarrier_mend_arrives(const struct core *core, const struct group *group, const struct insn *insn)
{
	const struct change *c = mend_of(core, group, MEND_ARRIVES);

	assert(insn->op == OP_cp_async_arrive || insn->op == OP_mbarrier_expect_tx);
	return c && change_means(c, launch_pc(group->core_launch->launch, insn));
}

bool mbarrier_mend_odd(const struct core *core, const struct operation *op, uint32_t lane, bool odd)
{
	const struct change *other = mend_of(core, op->group, MEND_PARITY), *order = mend_at(core, op, MEND_IN_ORDER);
	const struct change *in_turn = mend_of(core, op->group, MEND_IN_TURN);
	const struct mbarrier_object *object;
	int64_t seen;

	assert(op->lanes >> lane & 1);
	if (order && stages_of(order->stages, op->address[lane]))
		return next_phase(
			       core, op->slot, lane, stages_of(order->stages, op->address[lane]), op->address[lane]) &
		       1;
	object = other || in_turn ? mbarrier_object_of(core, op->group, op->address[lane]) : NULL;
	if (!object || !means_wait(other ? other : in_turn, op, object))
		return odd;
	seen = mbarrier_seen(object, op->slot, lane);
	return other ? !odd : seen < -1 ? odd : (seen + 1) & 1;
}

/* Whether the thread that has to look has seen the last phase of the object complete, or is not there to look. */
static bool has_looked(const struct core *core, const struct group *group, const struct change *c,
	const struct mbarrier_object *object)
{
	const struct warp_slot *r = core_slot_of(core, group, c->thread);

	assert(group->used && object->phase >= 0);
	return !r || slot_thread_ended(r, c->thread) ||
	       mbarrier_seen(object, r, c->thread - r->warp.first_thread) >= object->phase - 1;
}

bool mbarrier_mend_holds(const struct core *core, const struct group *group, uint64_t offset)
{
	const struct change *c = mend_of(core, group, MEND_LOOK);
	const struct mbarrier_object *object;

	assert(group->used);
	if (!c)
		return false;
	object = mbarrier_object_of(core, group, offset);
	return object && change_means(c, object->begun.pc) && object->phase > (int64_t)c->values[0] &&
	       !has_looked(core, group, c, object);
}
