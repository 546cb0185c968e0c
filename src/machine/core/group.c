/* The end of warps and work-groups. */
#include "machine/core/group.h"

#include "machine/core/barrier.h"
#include "machine/core/cluster.h"
#include "machine/core/matrix_groups.h"
#include "machine/core/observer.h"
#include "machine/state/machine.h"

#include <assert.h>

#define GROUP_HOOKS(name) extern const struct group_hooks group_hooks_##name;
#include "machine/state/group_hooks.def"
#undef GROUP_HOOKS

static const struct group_hooks *const hooks[] = {
#define GROUP_HOOKS(name) &group_hooks_##name,
#include "machine/state/group_hooks.def"
#undef GROUP_HOOKS
};
#define HOOKS (sizeof hooks / sizeof *hooks)

void core_show_residents(struct core *core)
{
	for (uint32_t s = 0; s < core->issue.schedulers; s++)
		core->issue.scheduler[s].view.resident = core->issue.scheduler[s].mine & ~core->warps.unused;
}

void core_lanes_exited(struct core *core, struct group *group)
{
	assert(group->used);
	assert(group->live_warps);
	if (group->cluster)
		cluster_lanes_exited(core, group);
	if (group->matrices)
		matrix_groups_lanes_exited(core, group);
	barrier_lanes_exited(core, group);
}

void core_warp_leaves(struct core *core, struct warp_slot *r)
{
	uint32_t slot = core_slot(core, r);

	assert(r->used && !r->finished);
	assert(r->group->live_warps);
	r->finished = true;
	core->ready &= ~r->bit; /* functional mode: a barrier of the cluster may have let it go on in its own turn */
	observe_warp_ends(core, r);
	core->waiting[r->reason] &= ~r->bit;
	core->wants[r->unit] &= ~r->bit;
	core->changed |= r->bit;
	if (core->machine->scheduler->retire)
		core->machine->scheduler->retire(core_scheduler(core, slot)->state, (int)slot);
	r->group->live_warps--;
}

void core_warp_finished(struct core *core, struct warp_slot *r)
{
	struct group *group = r->group;

	core_warp_leaves(core, r);
	if (group->live_warps) {
		core_lanes_exited(core, group);
		return;
	}
	if (group->cluster)
		cluster_lanes_exited(core, group);
	core_retire_group(core, group);
}

static bool is_kept(struct core *core, const struct group *group)
{
	bool kept = false;

	for (uint32_t k = 0; k < HOOKS; k++)
		kept |= hooks[k]->keep && hooks[k]->keep(core, group);
	return kept;
}

void core_retire_group(struct core *core, struct group *group)
{
	assert(group->used);
	assert(!group->live_warps);
	for (uint32_t k = 0; k < FENCE_EPOCHS; k++)
		if (group->outstanding[k])
			return;
	bool kept = is_kept(core, group);
	core->last_activity = core->now; /* a last access that no reply ends: in shared memory, or in the L1 */
	observe_group_ends(core, group);
	for (uint32_t k = 0; k < HOOKS; k++)
		if (hooks[k]->leave)
			hooks[k]->leave(core, group);
	for (uint64_t m = group->slots; m; m &= m - 1) {
		struct warp_slot *r = &core->slots[__builtin_ctzll(m)];
		assert(r->used);
		assert(r->finished);
		assert(r->group == group);

		r->used = false;
		r->core_launch->free_warps |= 1ull << r->place;
	}
	core->groups.registers -= group->core_launch->launch->group.registers;
	core->groups.shared -= kept ? 0 : group->core_launch->launch->group.shared;
	group->core_launch->free_groups |= 1ull << group->place;
	group->core_launch->groups_done += !kept;
	group->core_launch->triggered -= group->triggered;
	core->warps.unused |= group->slots;
	assert(core->warps.resident >= group->warps);
	core->warps.resident -= group->warps;
	core_show_residents(core);
	core->groups.used &= ~(1ull << (group - core->groups.at));
	core->emptied_at = core->now;
	group->used = false;
}
