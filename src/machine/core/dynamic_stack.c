/* Stack allocation of variable size.
 *
 * Frames have a fixed size and grow upwards from the bottom of a thread's local memory; alloca takes from its end
 * downwards, for each lane as much as it asks for.  struct warp says where the tops are kept. */
#include "machine/core/dynamic_stack.h"

#include "machine/core/fault.h"
#include "machine/core/path.h"
#include "machine/core/schedule.h"
#include "machine/state/machine.h"

#include <assert.h>

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
	for (; w->stack_tops && lanes; lanes &= lanes - 1)
		if (end > *top_of(w, (uint32_t)__builtin_ctzll(lanes)))
			return false;
	return true;
}

void dynamic_stack_enter(struct warp *w, lane_mask lanes)
{
	assert(!w->stack_tops || w->path->depth || !lanes);
	for (; w->stack_tops && lanes; lanes &= lanes - 1) {
		uint32_t *top = top_of(w, (uint32_t)__builtin_ctzll(lanes));

		*top = *(top - w->lanes); /* the caller's */
	}
}

static uint64_t get(const struct warp *w, slot_ref slot, uint32_t bytes, uint32_t lane)
{
	const void *at = slot_at(w, slot);

	assert(lane < w->lanes);
	return bytes == 8 ? ((const uint64_t *)at)[lane] : ((const uint32_t *)at)[lane];
}

static void put(const struct warp *w, const struct insn *i, uint32_t lane, uint32_t value)
{
	void *at;

	assert(lane < w->lanes);
	if (i->d == SLOT_NONE)
		return;
	at = slot_at(w, i->d);
	if (i->d_bytes == 8)
		((uint64_t *)at)[lane] = value;
	else
		((uint32_t *)at)[lane] = value;
}

/* False, and a finding, when the lane's stack has no such room. */
static bool allocate(struct core *core, struct warp_slot *r, const struct insn *i, uint32_t lane)
{
	const struct warp *w = &r->warp;
	uint32_t *top = top_of(w, lane), floor = w->stack_base + w->kernel->functions[i->function].stack_bytes;
	uint64_t bytes = get(w, i->s[0], i->s_bytes[0], lane);
	uint64_t alignment = i->s[1] == SLOT_NONE ? USUAL_ALIGNMENT : get(w, i->s[1], i->s_bytes[1], lane);
	uint64_t start = (*top - bytes) & ~(alignment - 1);

	if (bytes > *top || start < floor) {
		core_fault(core, r, i, lane, FAULT_stack,
			"alloca of %llu bytes: of limit.stack = %u bytes only %u are free", (unsigned long long)bytes,
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
	uint64_t value = get(&r->warp, i->s[0], i->s_bytes[0], lane);

	if (value > r->warp.local_bytes || value < r->warp.stack_base) {
		core_fault(core, r, i, lane, FAULT_stack, "stackrestore of 0x%llx, which no stacksave gave",
			(unsigned long long)value);
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
	for (lane_mask m = lanes; m; m &= m - 1)
		if (!execute_lane(core, r, i, (uint32_t)__builtin_ctzll(m)))
			return;
	core_set_results_ready(r, i, core->now + r->rows[r->warp.path->pc].latency);
	control_advance(core, r);
}
