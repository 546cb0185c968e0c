/* Launches that begin together: the placements of their work-groups are tried, or one is chosen. */
#include "api/api.h"

#include "machine/gpu/launch.h"
#include "machine/gpu/launches.h"
#include "machine/progress/placements.h"
#include "machine/state/launch.h"

#include <assert.h>
#include <inttypes.h>

/* ---- What cannot be ---- */

static uint32_t count_waiting(const struct gpu *gpu)
{
	uint32_t count = 0;

	for (const struct launch *l = gpu->waiting; l; l = l->next)
		count++;
	return count;
}

static uint32_t most_together(const struct gpu *gpu)
{
	uint32_t most = gpu->model->concurrent_kernels;

	return most < PLACEMENT_LAUNCHES ? most : PLACEMENT_LAUNCHES;
}

/* Whether the model promises progress to groups that have started, and to no others: just this holds for groups that
 * have a place, and for those that have none. */
static bool is_occupancy_bound(const struct group_dispatcher *model)
{
	const bool second[] = {false, true}, first[] = {true, false};
	struct progress_view view = {.groups = 2, .started = second, .started_below = 2};

	if (model->guarantees(&view, 0) || !model->guarantees(&view, 1))
		return false;
	view.started = first;
	view.started_below = 1;
	return model->guarantees(&view, 0) && !model->guarantees(&view, 1);
}

/* What of a launch does not go with it; null: nothing. */
static const char *in_the_way_of(struct arena *arena, const struct launch *launch)
{
	const char *name = launch->kernel->entry->name;

	if (launch->kernel->uses.heap)
		return arena_printf(arena, "kernel %s calls malloc or free", name);
	if (launch->kernel->uses.device)
		return arena_printf(arena, "kernel %s calls %s", name, launch->kernel->uses.device);
	if (launch_cluster_size(&launch->values) > 1)
		return arena_printf(arena, "kernel %s is launched in clusters", name);
	return NULL;
}

/* What of those that begin together does not; null: nothing. */
static const char *in_the_way(const struct lockstep *lockstep, const struct started *started, struct arena *arena)
{
	const struct gpu *gpu = &lockstep->gpu;
	uint32_t count = count_waiting(gpu);

	if (!is_occupancy_bound(lockstep->model))
		return arena_printf(arena, "placements are tried under 'obe', not under '%s'", lockstep->model->name);
	if (count > most_together(gpu))
		return arena_printf(arena, "%u begin together, and at most %u run together", count, most_together(gpu));
	if (!started->schedules && !schedule_list_is_placement(&lockstep->schedule))
		return "expected --schedules, or a schedule of launches such as L1*2,L0";
	for (const struct launch *l = gpu->waiting; l; l = l->next) {
		const char *why = in_the_way_of(arena, l);

		if (why)
			return why;
	}
	return NULL;
}

/* ---- The search ---- */

static const struct lockstep_placements *describe(
	struct arena *arena, const struct gpu *gpu, const struct placements_outcome *o)
{
	struct lockstep_placements *placements = arena_new(arena, struct lockstep_placements);
	uint64_t *launches = arena_new_array(arena, uint64_t, count_waiting(gpu));

	*placements = (struct lockstep_placements){.launches = launches, .finished = o->finished, .all = o->all};
	for (const struct launch *l = gpu->waiting; l; l = l->next)
		launches[placements->launch_count++] = l->ordinal;
	return placements;
}

static enum lockstep_verdict verdict_of(enum search_verdict verdict)
{
	assert(verdict == SEARCH_MAY_HANG || verdict == SEARCH_FAULTS || verdict == SEARCH_UNDECIDED);
	return verdict == SEARCH_MAY_HANG ? LOCKSTEP_MAY_HANG
	       : verdict == SEARCH_FAULTS ? LOCKSTEP_FAULTS
					  : LOCKSTEP_UNDECIDED;
}

/* The placement that is found lives as long as the GPU: other launches may run longer than this one. */
static void search(struct lockstep *lockstep, struct started *started)
{
	struct gpu *gpu = &lockstep->gpu;
	uint32_t count = count_waiting(gpu), k = 0;
	const struct gpu_launch **launches = arena_new_array(&started->arena, const struct gpu_launch *, count);
	struct placements_outcome *o = arena_new(&lockstep->arena, struct placements_outcome);
	struct lockstep_search *search = arena_new(&started->arena, struct lockstep_search);
	struct gpu_aside aside;

	for (const struct launch *l = gpu->waiting; l; l = l->next)
		launches[k++] = &((const struct started *)l->result.owner)->what;
	aside = gpu_put_aside(gpu, gpu->waiting);
	gpu_try_placements(gpu, launches, count, started->schedules, &lockstep->arena, o);
	gpu_put_back(gpu, &aside);
	*search = (struct lockstep_search){.verdict = verdict_of(o->verdict), .schedules = o->tried};
	if (o->list.count) {
		search->schedule = schedule_list_text(&started->arena, &o->list);
		gpu->placement = placement_of_list(&lockstep->arena, gpu->waiting->ordinal, &o->list);
	}
	started->result.search = search;
	started->result.placements = describe(&started->arena, gpu, o);
}

const char *api_place(struct lockstep *lockstep, struct started *started, struct launch *launch)
{
	struct gpu *gpu = &lockstep->gpu;
	struct arena *arena = &started->arena;
	const struct launch *other = gpu->waiting == launch ? launch->next : gpu->waiting;
	const char *why = in_the_way(lockstep, started, arena);

	assert(lockstep->has_chosen);
	if (why)
		return arena_printf(arena, "it begins together with launch %" PRIu64 ": %s", other->ordinal, why);
	launch_set_policy(launch, gpu->dispatch);
	if (started->schedules)
		search(lockstep, started);
	else
		gpu->placement = placement_of_list(&lockstep->arena, gpu->waiting->ordinal, &lockstep->schedule);
	return NULL;
}
