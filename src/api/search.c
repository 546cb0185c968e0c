/* Launches under a progress model: which they are, and the search of their schedules, which comes when their turn does,
 * with memory as it is then. */
#include "api/api.h"

#include "machine/gpu/launch.h"
#include "machine/gpu/launches.h"
#include "machine/state/launch.h"

/* ---- Which launches are under the model ---- */

bool api_is_chosen(const struct lockstep *lockstep)
{
	return !lockstep->has_chosen || lockstep->gpu.launches == lockstep->chosen;
}

const struct group_dispatcher *api_begin_model(struct lockstep *lockstep)
{
	const struct group_dispatcher *before = lockstep->gpu.dispatch;

	if (lockstep->has_chosen)
		lockstep->gpu.dispatch = lockstep->model;
	return before;
}

void api_end_model(struct lockstep *lockstep, const struct group_dispatcher *before)
{
	lockstep->gpu.dispatch = before;
}

/* ---- The search ---- */

/* Has the launch run under the schedule that shows what was found. */
static void search(struct lockstep *lockstep, struct started *started, const struct launch *launch)
{
	static const enum lockstep_verdict verdicts[] = {[SEARCH_FINISHES] = LOCKSTEP_FINISHES,
		[SEARCH_MAY_HANG] = LOCKSTEP_MAY_HANG,
		[SEARCH_HANGS] = LOCKSTEP_HANGS,
		[SEARCH_FAULTS] = LOCKSTEP_FAULTS,
		[SEARCH_UNDECIDED] = LOCKSTEP_UNDECIDED};
	struct search_outcome *o = &started->search;
	struct lockstep_search *search = arena_new(&started->arena, struct lockstep_search);
	struct gpu_aside aside = gpu_put_aside(&lockstep->gpu, launch);

	gpu_search(&lockstep->gpu, &started->what, started->schedules, &started->arena, o);
	gpu_put_back(&lockstep->gpu, &aside);
	*search = (struct lockstep_search){.verdict = verdicts[o->verdict], .schedules = o->walks, .states = o->states};
	if (o->list.count) {
		search->schedule = schedule_list_text(&started->arena, &o->list);
		lockstep->gpu.schedule_list = &o->list;
	}
	started->result.search = search;
}

/* It runs as all others do. */
static void leave_model(struct lockstep *lockstep, struct started *started, struct launch *launch, const char *why)
{
	started->result.not_searched = why;
	if (lockstep->has_chosen)
		launch_set_policy(launch, lockstep->gpu.dispatch);
}

/* The launch that is to be searched, or under the model, of those that begin next; null: none is. */
static struct launch *chosen(const struct lockstep *lockstep)
{
	const struct gpu *gpu = &lockstep->gpu;

	if (gpu->machine || gpu->finished)
		return NULL;
	for (struct launch *l = gpu->waiting; l; l = lockstep->has_chosen ? l->next : NULL) {
		const struct started *started = l->result.owner;

		if (started->is_chosen || (!lockstep->has_chosen && started->schedules))
			return l;
	}
	return NULL;
}

bool lockstep_searches_next(const struct lockstep *lockstep)
{
	const struct launch *launch = chosen(lockstep);

	return launch && ((const struct started *)launch->result.owner)->schedules;
}

static const char *search_alone(struct lockstep *lockstep, struct started *started, const struct launch *launch)
{
	if (started->refusal)
		return started->refusal;
	if (started->schedules)
		search(lockstep, started, launch);
	return NULL;
}

void api_search_next(struct lockstep *lockstep)
{
	struct gpu *gpu = &lockstep->gpu;
	struct launch *launch = chosen(lockstep);
	struct started *started;
	const char *why;

	if (!gpu->machine && !gpu->finished)
		gpu->placement = NULL; /* what it was about has ended */
	if (!launch)
		return;
	started = launch->result.owner;
	if (started->schedules && gpu->space.host_writes && !gpu->host.waits)
		why = "schedules are not tried while the program may use memory that it shares with the GPU";
	else if (lockstep->has_chosen && gpu->waiting->next)
		why = api_place(lockstep, started, launch);
	else
		why = search_alone(lockstep, started, launch);
	if (why)
		leave_model(lockstep, started, launch, why);
	started->schedules = 0;
	started->is_chosen = false;
}

/* A hang is reported as possible only when it was shown: not when the launch was ended before, at its limit for
 * instance, or went on as the host had written to memory. */
static enum lockstep_verdict confirmed(const struct gpu *gpu, const struct started *started)
{
	enum lockstep_verdict verdict = started->result.search->verdict;
	bool hangs = verdict == LOCKSTEP_MAY_HANG || verdict == LOCKSTEP_HANGS;

	if (started->result.placements && started->result.outcome == LOCKSTEP_COMPLETED && gpu->machine &&
		!gpu_was_helped(gpu))
		return verdict; /* another of the launches is still to hang */
	return hangs && started->result.outcome != LOCKSTEP_HANG ? LOCKSTEP_UNDECIDED : verdict;
}

/* A kernel of the host's was to begin beside the launch, which under a progress model is alone: it might have let it go
 * on. */
static bool was_left_alone(const struct lockstep *lockstep, const struct started *started)
{
	return started->result.outcome == LOCKSTEP_HANG && !started->result.placements && lockstep->gpu.waiting;
}

void api_end_search(struct lockstep *lockstep, struct started *started)
{
	struct lockstep_search *search;

	if (!started->result.search)
		return;
	search = arena_new(&started->arena, struct lockstep_search);
	*search = *started->result.search;
	search->verdict = confirmed(&lockstep->gpu, started);
	if (lockstep->has_chosen && was_left_alone(lockstep, started)) {
		search->verdict = LOCKSTEP_UNDECIDED;
		started->result.not_searched = "it hangs alone, and another launch was to begin beside it, which a "
					       "progress model does not have";
	}
	started->result.search = search;
	lockstep->gpu.schedule_list = lockstep->schedule.count ? &lockstep->schedule : NULL;
}
