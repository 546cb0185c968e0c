/* The end of warps and work-groups. */
#include "machine/core/group.h"

#include "machine/core/barrier.h"
#include "machine/core/cluster.h"
#include "machine/lsu/atomic.h"
#include "machine/lsu/lock_bits.h"
#include "machine/lsu/yield.h"
#include "machine/observe/observer.h"
#include "machine/state.h"

void core_show_residents(struct core *core)
{
	for (uint32_t s = 0; s < core->schedulers; s++)
		core->scheduler[s].view.resident = core->scheduler[s].mine & ~core->free_warps;
}

void core_warp_finished(struct core *core, struct warp_slot *r)
{
	uint32_t slot = core_slot(core, r);
	struct group *group = r->group;

	r->finished = true;
	observe_warp_ends(core, r);
	core->waiting[r->reason] &= ~(1ull << slot);
	core->wants[r->unit] &= ~(1ull << slot);
	core->changed |= r->bit;
	if (core->machine->scheduler->retire)
		core->machine->scheduler->retire(core_scheduler(core, slot)->state, (int)slot);
	if (--group->live_warps) {
		barrier_lanes_exited(core, group);
		return;
	}
	if (group->cluster)
		cluster_lanes_exited(core, group);
	core_retire_group(core, group);
}

void core_retire_group(struct core *core, struct group *group)
{
	for (uint32_t k = 0; k < FENCE_EPOCHS; k++)
		if (group->outstanding[k])
			return;
	bool yields = group->core_launch->launch->kernel->yields && yield_keep(core, group);
	core->last_activity = core->now; /* a last access that no reply ends: in shared memory, or in the L1 */
	observe_group_ends(core, group);
	if (group->core_launch->launch->kernel->uses_lock_bits) {
		lock_bits_end_group(core, group);
		atomic_go_on(core);
	}
	for (uint64_t m = group->slots; m; m &= m - 1) {
		struct warp_slot *r = &core->slots[__builtin_ctzll(m)];

		r->used = false;
		r->core_launch->free_warps |= 1ull << r->place;
	}
	core->used_registers -= group->core_launch->launch->group_registers;
	core->used_shared -= yields ? 0 : group->core_launch->launch->group_shared;
	group->core_launch->free_groups |= 1ull << group->place;
	group->core_launch->groups_done += !yields;
	core->free_warps |= group->slots;
	core->resident_warps -= group->warps;
	core_show_residents(core);
	core->used_groups &= ~(1ull << (group - core->groups));
	core->emptied_at = core->now;
	group->used = false;
}
