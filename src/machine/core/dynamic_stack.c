/* Stack allocation of variable size.
 *
 * Frames have a fixed size and grow upwards from the bottom of a thread's local memory; alloca takes from its end
 * downwards, for each lane as much as it asks for.  struct warp says where the tops are kept. */
#include "machine/core/dynamic_stack.h"

#include "machine/core/executors.h"
#include "machine/core/fault.h"
#include "machine/core/path.h"
#include "machine/core/schedule.h"
#include "machine/state/machine.h"

#include <assert.h>
#include <inttypes.h>

#define USUAL_ALIGNMENT 8 /* where the instruction gives none (PTX ISA, alloca) */

static uint32_t *top_of(const struct warp *w, uint32_t lane)
{
	assert(w->stack_tops);
	assert(lane < w->lanes);
	return &w->stack_tops[(size_t)w->path->depth * w->lanes + lane];
}

void dynamic_stack_start(struct warp *w)
{
	for (uint32_t l = 0; w->stack_tops && l < w->lanes; l++)
		w->stack_tops[l] = w->local_bytes;
}

bool dynamic_stack_has_room(const struct warp *w, const struct insn *call, lane_mask lanes, uint32_t target)
{
	const struct kernel *kernel = w->kernel;
	uint32_t callee = kernel->functions[kernel->code[target].function].stack_bytes;
	uint32_t end = w->stack_base + kernel->extras[call->extra].stack_bytes + callee;

	assert(call->extra);
	EACH_LANE(l, w->stack_tops ? lanes : 0)
		if (end > *top_of(w, (uint32_t)l))
			return false;
	return true;
}

void dynamic_stack_enter(struct warp *w, lane_mask lanes)
{
	assert(!w->stack_tops || w->path->depth || !lanes);
	EACH_LANE(l, w->stack_tops ? lanes : 0) {
		uint32_t *top = top_of(w, (uint32_t)l);

		*top = *(top - w->lanes); /* the caller's */
	}
}

static void put(const struct warp *w, const struct insn *i, uint32_t lane, uint32_t value)
{
	assert(lane < w->lanes);
	if (i->d != SLOT_NONE)
		slot_set_value(w, i->d, i->d_bytes, lane, value);
}

/* False, and a finding, when the lane's stack has no such room. */
static bool allocate(struct core *core, struct warp_slot *r, const struct insn *i, uint32_t lane)
{
	const struct warp *w = &r->warp;
	uint32_t *top = top_of(w, lane), floor = w->stack_base + w->kernel->functions[i->function].stack_bytes;
	uint64_t bytes = slot_value(w, i->s[0], i->s_bytes[0], lane);
	uint64_t alignment = i->s[1] == SLOT_NONE ? USUAL_ALIGNMENT : slot_value(w, i->s[1], i->s_bytes[1], lane);
	uint64_t start = (*top - bytes) & ~(alignment - 1);

	if (bytes > *top || start < floor) {
		core_fault(core, r, i, lane, FAULT_stack,
			"alloca of %" PRIu64 " bytes exceeds limit.stack (%u bytes, %u of them free)", bytes,
			core->machine->model->stack_bytes, *top - floor);
		return false;
	}
	*top = (uint32_t)start;
	assert(*top <= w->local_bytes);
	assert(*top >= floor);
	put(w, i, lane, *top);
	return true;
}

/* False, and a finding, when the value cannot come from stacksave. */
static bool restore(struct core *core, struct warp_slot *r, const struct insn *i, uint32_t lane)
{
	uint64_t value = slot_value(&r->warp, i->s[0], i->s_bytes[0], lane);

	if (value > r->warp.local_bytes || value < r->warp.stack_base) {
		core_fault(core, r, i, lane, FAULT_stack, "stackrestore of 0x%" PRIx64 ", which no stacksave returned",
			value);
		return false;
	}
	*top_of(&r->warp, lane) = (uint32_t)value;
	return true;
}

static bool execute_lane(struct core *core, struct warp_slot *r, const struct insn *i, uint32_t lane)
{
	switch (i->op) {
	case OP_alloca: return allocate(core, r, i, lane);
	case OP_stackrestore: return restore(core, r, i, lane);
	default:
		assert(i->op == OP_stacksave);
		put(&r->warp, i, lane, *top_of(&r->warp, lane));
		return true;
	}
}

void dynamic_stack_execute(struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes)
{
	assert(r->warp.stack_tops || !lanes);
	EACH_LANE(l, lanes)
		if (!execute_lane(core, r, i, (uint32_t)l))
			return;
	core_set_results_ready(r, i, core->now + r->rows[r->warp.path->pc].latency);
	control_advance(core, r);
}
