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

bool lockstep_searches_next(const struct lockstep *lockstep)
{
	const struct gpu *gpu = &lockstep->gpu;
	const struct started *next = gpu->waiting ? gpu->waiting->result.owner : NULL;

	return !gpu->machine && !gpu->finished && next && next->schedules;
}

void api_search_next(struct lockstep *lockstep)
{
	struct launch *launch = lockstep->gpu.waiting;
	struct started *started;

	if (!lockstep_searches_next(lockstep))
		return;
	started = launch->result.owner;
	if (lockstep->gpu.space.host_writes && !lockstep->gpu.host.waits)
		leave_model(lockstep, started, launch,
			"schedules are not tried while the program may use memory that it shares with the GPU");
	else
		search(lockstep, started, launch);
	started->schedules = 0;
}

/* A hang is reported as possible only when it was shown: not when the launch was ended before, at its limit for
 * instance, or went on as the host had written to memory. */
static enum lockstep_verdict confirmed(const struct started *started)
{
	enum lockstep_verdict verdict = started->result.search->verdict;
	bool hangs = verdict == LOCKSTEP_MAY_HANG || verdict == LOCKSTEP_HANGS;

	return hangs && started->result.outcome != LOCKSTEP_HANG ? LOCKSTEP_UNDECIDED : verdict;
}

void api_end_search(struct lockstep *lockstep, struct started *started)
{
	struct lockstep_search *search;

	if (!started->result.search)
		return;
	search = arena_new(&started->arena, struct lockstep_search);
	*search = *started->result.search;
	search->verdict = confirmed(started);
	started->result.search = search;
	lockstep->gpu.schedule_list = lockstep->schedule.count ? &lockstep->schedule : NULL;
}
