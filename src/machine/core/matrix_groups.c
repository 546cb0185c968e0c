/* The groups of wgmma: when they are over, and which warps wait for them.
 *
 * The four warps of a warpgroup multiply together: a group of one is over when all have come.  So a single thread may
 * tell a producer after wait_group that a tile is not needed any more, as CUTLASS does.  A warp that has ended is not
 * waited for.  Functional mode has no times: there wait_group waits for the other warps alone. */
#include "machine/core/matrix_groups.h"

#include "machine/core/observer.h"
#include "machine/core/schedule.h"
#include "machine/state/machine.h"

#include <assert.h>

static struct warpgroup_matrices *matrices_of(struct core *core, struct group *group)
{
	assert(group->used);
	if (!core->groups.matrices)
		core->groups.matrices = arena_new_array(
			&core->machine->cores.arenas[core->index], struct warpgroup_matrices, core->groups.count);
	if (!group->matrices) {
		group->matrices = &core->groups.matrices[group - core->groups.at];
		*group->matrices = (struct warpgroup_matrices){0};
	}
	return group->matrices;
}

void matrix_groups_begin(struct core *core, const struct warp_slot *r, uint64_t end)
{
	uint64_t *ends = &matrices_of(core, r->group)->ends[core_slot(core, r)];

	assert(end >= core->now);
	assert(end >= *ends);
	*ends = end;
}

/* The slots of the warp's warpgroup. */
static uint64_t warpgroup_of(const struct core *core, const struct warp_slot *r)
{
	uint64_t slots = 0;

	for (uint64_t m = r->group->slots; m; m &= m - 1) {
		const struct warp *w = &core->slots[__builtin_ctzll(m)].warp;

		if (w->first_thread / WARPGROUP_THREADS == r->warp.first_thread / WARPGROUP_THREADS)
			slots |= m & -m;
	}
	assert(slots & r->bit);
	return slots;
}

/* Whether all warps have committed the first `count` groups; *end: the cycle at which these are over. */
static bool is_begun(const struct core *core, const struct warp_slot *r, uint64_t count, uint64_t *end)
{
	const struct warpgroup_matrices *all = r->group->matrices;

	assert(count);
	*end = 0;
	for (uint64_t m = warpgroup_of(core, r); m; m &= m - 1) {
		uint32_t slot = (uint32_t)__builtin_ctzll(m);
		uint64_t at = all->group_ends[slot][(count - 1) % MATRIX_GROUPS];

		if (all->committed[slot] >= count)
			*end = at > *end ? at : *end;
		else if (!core->slots[slot].finished)
			return false;
	}
	return true;
}

/* The groups for which the warp waits are over at cycle `end`. */
static void hold(struct core *core, struct warp_slot *r, uint64_t end)
{
	assert(r->group->matrices);
	if (!core->machine->mode->at_once && end > r->hold_until)
		r->hold_until = r->group->matrices->holds[core_slot(core, r)] = end;
}

/* Warps of the group that wait, and for which all have come, go on. */
static void resume(struct core *core, struct group *group)
{
	struct warpgroup_matrices *all = group->matrices;

	assert(all);
	for (uint64_t m = group->slots; m; m &= m - 1) {
		uint32_t slot = (uint32_t)__builtin_ctzll(m);
		struct warp_slot *r = &core->slots[slot];
		uint64_t end;

		if (!all->awaits[slot] || !is_begun(core, r, all->awaits[slot], &end))
			continue;
		assert(r->held && !r->finished);
		observe_awaited_matrices(core, r, all->awaits[slot]);
		all->awaits[slot] = 0;
		r->held = false;
		hold(core, r, end);
		core_schedule(core, r);
	}
}

void matrix_groups_commit(struct core *core, const struct warp_slot *r)
{
	struct warpgroup_matrices *all = matrices_of(core, r->group);
	uint32_t slot = core_slot(core, r);

	all->group_ends[slot][all->committed[slot]++ % MATRIX_GROUPS] = all->ends[slot];
	observe_commits_matrices(core, r, all->committed[slot]);
	resume(core, r->group);
}

void matrix_groups_wait(struct core *core, struct warp_slot *r, uint32_t pending)
{
	struct warpgroup_matrices *all = matrices_of(core, r->group);
	uint32_t slot = core_slot(core, r);
	uint64_t count, end;

	assert(!all->awaits[slot]);
	if (pending >= MATRIX_GROUPS) /* older ones are forgotten: waits for a few more */
		pending = MATRIX_GROUPS - 1;
	if (pending >= all->committed[slot])
		return;
	count = all->committed[slot] - pending;
	if (!is_begun(core, r, count, &end)) {
		all->awaits[slot] = count;
		all->waits_at[slot] = r->warp.path->pc;
		r->held = true;
		return;
	}
	observe_awaited_matrices(core, r, count);
	hold(core, r, end);
}

void matrix_groups_lanes_exited(struct core *core, struct group *group)
{
	assert(group->matrices);
	resume(core, group);
}

bool matrix_groups_awaited(const struct core *core, const struct warp_slot *r)
{
	return r->group->matrices && r->group->matrices->awaits[core_slot(core, r)];
}

uint32_t matrix_groups_waits_at(const struct core *core, const struct warp_slot *r)
{
	assert(matrix_groups_awaited(core, r));
	return r->group->matrices->waits_at[core_slot(core, r)];
}

const struct warp_slot *matrix_groups_missing(const struct core *core, const struct warp_slot *r)
{
	const struct warpgroup_matrices *all = r->group->matrices;

	assert(matrix_groups_awaited(core, r));
	for (uint64_t m = warpgroup_of(core, r); m; m &= m - 1) {
		uint32_t slot = (uint32_t)__builtin_ctzll(m);

		if (!core->slots[slot].finished && all->committed[slot] < all->awaits[core_slot(core, r)])
			return &core->slots[slot];
	}
	return NULL;
}

static uint64_t most_committed(const struct core *core, const struct warp_slot *r)
{
	const struct warpgroup_matrices *all = r->group->matrices;
	uint64_t most = 0;

	assert(all);
	for (uint64_t m = warpgroup_of(core, r); m; m &= m - 1)
		most = all->committed[__builtin_ctzll(m)] > most ? all->committed[__builtin_ctzll(m)] : most;
	return most;
}

/* How far each warp is behind the one of its warpgroup that has committed most. */
bool matrix_groups_visit(const struct core *core, const struct group *group,
	bool (*visit)(void *context, const void *at, size_t bytes), void *context)
{
	const struct warpgroup_matrices *all = group->matrices;

	assert(core->machine->mode->at_once);
	for (uint64_t m = group->slots; m; m &= m - 1) {
		uint32_t slot = (uint32_t)__builtin_ctzll(m);
		uint64_t most = most_committed(core, &core->slots[slot]);
		uint64_t words[] = {most - all->committed[slot], all->awaits[slot] ? most - all->awaits[slot] + 1 : 0};

		if (!visit(context, words, sizeof words))
			return false;
	}
	return true;
}
