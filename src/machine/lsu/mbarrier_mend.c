/* One thing done otherwise at mbarriers, to test a cause: see mbarrier_mend.h. */
#include "machine/lsu/mbarrier_mend.h"

#include "machine/lsu/mbarrier.h"
#include "machine/lsu/mbarrier_ledger.h"
#include "machine/state/launch_state.h"
#include "machine/state/machine.h"

#include <assert.h>

/* The change, if it is of this kind and of the group's launch; else null. */
static const struct change *mend_of(const struct core *core, const struct group *group, enum mbarrier_mend kind)
{
	const struct change *c = core->machine->gpu->experiment.mend;

	assert(!c || c->kind == CHANGE_MBARRIER);
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

void mbarrier_mend_arrival(
	const struct core *core, const struct operation *op, uint32_t lane, uint32_t *count, uint64_t *bytes)
{
	const struct change *b = mend_at(core, op, MEND_BYTES);
	const struct mbarrier_object *object = b ? mbarrier_object_of(core, op->group, op->address[lane]) : NULL;

	assert(op->insn->kind == INSN_MBARRIER);
	if (mend_at(core, op, MEND_ARRIVES))
		*count = 1;
	if (object && object->phase >= (int64_t)b->values[1])
		*bytes = b->values[0];
}

/* A wait at one of its objects, or by its own instruction at others. */
static bool means_wait(const struct change *c, const struct operation *op, const struct mbarrier_object *object)
{
	assert(c->mend == MEND_PARITY || c->mend == MEND_IN_TURN);
	return change_means(c, object->begun.pc) || launch_pc(op->group->core_launch->launch, op->insn) == c->pc;
}

bool mbarrier_mend_odd(const struct core *core, const struct operation *op, uint32_t lane, bool odd)
{
	const struct change *other = mend_of(core, op->group, MEND_PARITY);
	const struct change *in_turn = mend_of(core, op->group, MEND_IN_TURN);
	const struct mbarrier_object *object;
	int64_t seen;

	assert(op->lanes >> lane & 1);
	object = other || in_turn ? mbarrier_object_of(core, op->group, op->address[lane]) : NULL;
	if (!object || !means_wait(other ? other : in_turn, op, object))
		return odd;
	seen = mbarrier_seen(object, op->slot, lane);
	return other ? !odd : seen < -1 ? odd : (seen + 1) & 1;
}

uint32_t mbarrier_mend_object(const struct core *core, const struct operation *op, uint32_t object)
{
	uint64_t expected = mend_at(core, op, MEND_OBJECT) ? mbarrier_expected_by(core, op->slot) : UINT64_MAX;

	assert(op->insn->kind == INSN_COPY);
	return expected == UINT64_MAX ? object : (uint32_t)expected;
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
