/* Fences: wait until the group's earlier requests are answered; see struct group for why the group is the unit.
 *
 * A CTA fence waits for nothing: the threads of a group share a core, whose load-store unit is in order and whose
 * messages to a line stay in order, so the core's own accesses are seen by each other in the order they were
 * issued.  Where loads of a line may pass each other it holds those back. */
#include "machine/core/fence.h"

#include "machine/core/executors.h"
#include "machine/core/group.h"
#include "machine/core/path.h"
#include "machine/core/schedule.h"
#include "machine/lsu/port.h"
#include "machine/observe/observer.h"
#include "machine/state.h"

bool fence_drained(const struct group *group, uint32_t epoch)
{
	for (uint32_t k = 0; k < FENCE_EPOCHS; k++) {
		uint32_t of = group->epoch - k; /* from the current epoch back to the oldest that can be open */

		if ((int32_t)(of - epoch) <= 0 && group->outstanding[of % FENCE_EPOCHS])
			return false;
	}
	return true;
}

/* Closes the current epoch, so that requests sent from now on do not delay this fence.  When all epochs are open the
 * current one goes on: the fence then waits longer than it must, never shorter. */
uint32_t fence_close_epoch(struct group *group)
{
	uint32_t closed = group->epoch;

	if (!group->outstanding[(group->epoch + 1) % FENCE_EPOCHS])
		group->epoch++;
	return closed;
}

void fence_acquire(struct core *core, const struct l1_fence *fence)
{
	if (core->machine->coherence->acquire(core->coherence_state, fence) == L1_LEAVE)
		return;
	l1_invalidate(&core->l1);
	core->counters.l1_invalidations++;
}

/* What was written before is to be seen by the host before anything behind the fence is read. */
static void finish(struct core *core, struct warp_slot *r)
{
	if (core->machine->space->host_writes)
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
	core->counters.fence_wait_cycles += core->now - r->waits_since;
	r->in_fence = false;
	r->hold_until = core->now + core->machine->model->fence_latency;
	fence_acquire(core, &r->fence);
	observe_fenced(core, r, r->waits_since);
}

/* Starts to wait; true when there is nothing to wait for. */
static bool begin(struct core *core, struct warp_slot *r, struct l1_fence fence)
{
	struct group *group = r->group;

	core->counters.fences++;
	r->fence_epoch = fence_close_epoch(group);
	r->fence = fence;
	r->waits_since = core->now;
	if (core->machine->functional || fence_drained(group, r->fence_epoch)) {
		finish(core, r);
		return true;
	}
	r->in_fence = true;
	group->fencing |= 1ull << core_slot(core, r);
	return false;
}

/* How far a fence reaches and whether it is of the old form. */
static struct l1_fence fence_of(const struct insn *i)
{
	bool group = i->op == OP_membar_cta || (i->op == OP_fence && i->modifiers.scope == scope_CTA);

	return (struct l1_fence){.membar = i->op == OP_membar_cta || i->op == OP_membar_gl || i->op == OP_membar_sys,
		.scope = group ? L1_SCOPE_GROUP : L1_SCOPE_WIDE};
}

void fence_execute(struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes)
{
	struct l1_fence fence = fence_of(i);

	(void)lanes;
	if (fence.scope == L1_SCOPE_WIDE)
		begin(core, r, fence);
	else
		port_fence_group(core);
	control_advance(core, r);
}

bool fence_release(struct core *core, struct warp_slot *r)
{
	if (r->released) {
		r->released = false;
		return true;
	}
	if (begin(core, r, (struct l1_fence){.scope = L1_SCOPE_GROUP}))
		return true;
	r->released = true;
	return false;
}

void fence_answered(struct core *core, struct group *group, uint32_t epoch)
{
	if (--group->outstanding[epoch % FENCE_EPOCHS])
		return;
	if (!group->live_warps)
		core_retire_group(core, group);
	for (uint64_t m = group->fencing; m; m &= m - 1) {
		struct warp_slot *r = &core->slots[__builtin_ctzll(m)];

		if (!fence_drained(group, r->fence_epoch))
			continue;
		group->fencing &= ~(m & -m);
		finish(core, r);
		core_schedule(core, r);
	}
}
