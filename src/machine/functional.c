/* The functional mode: no clock; warps take turns of some instructions, chosen by the seed; memory is one and at once.
 *
 * As many work-groups are resident as in timing mode, so programs whose groups wait for each other do the same in both.  The
 * loop over plain instructions is all there is to it; everything else is shared with timing mode. */
#include "machine/control.h"
#include "machine/gpu.h"
#include "machine/print.h"
#include "machine/timeline.h"
#include "util/text.h"

static uint32_t count_lanes(lane_mask lanes)
{
	return (uint32_t)__builtin_popcountll(lanes);
}

/* Runs a warp until its turn is over or it cannot go on. */
static void turn(struct core *core, struct resident *r, uint32_t budget)
{
	struct warp *w = &r->warp;
	struct path *path = w->path;
	uint64_t threads = 0;
	uint32_t left = budget;

	while (left && path->active && !r->finished && !core->stopped) {
		const struct insn *i = &core->code[path->pc];
		lane_mask lanes = path->active & (w->predicates[i->guard] ^ -(lane_mask)i->guard_invert);

		left--;
		threads += count_lanes(lanes);
		if (i->kind == INSN_PLAIN) {
			((uint64_t *)&core->counters)[core->cost[path->pc].counter]++;
			if (lanes)
				i->exec(w, i, lanes);
			if (++path->pc == path->stop)
				control_rejoin(core, r);
			continue;
		}
		((uint64_t *)&core->counters)[core->cost[path->pc].counter]++;
		w->now = core->now + (budget - left);
		core->issuing = r;
		control_execute(core, r, i, lanes);
		core->issuing = NULL;
		if (i->kind == INSN_NANOSLEEP)
			break;
	}
	core->now += budget - left;
	core->counters.warp_instructions += budget - left;
	core->counters.thread_instructions += threads;
	if (!r->finished)
		core_schedule(core, r);
}

static uint32_t pick(uint64_t ready, uint64_t *seed)
{
	uint32_t count = count_lanes(ready), nth = count > 1 ? (uint32_t)(splitmix64(seed) % count) : 0;

	while (nth--)
		ready &= ready - 1;
	return (uint32_t)__builtin_ctzll(ready);
}

/* A turn for one warp of every core.  False when no warp of any core is ready. */
static bool round_of_turns(struct launch *launch, uint64_t *seed)
{
	bool any = false;

	for (uint32_t c = 0; c < launch->core_count; c++) {
		struct core *core = &launch->cores[c];
		uint32_t w;

		if (!core->ready || core->stopped)
			continue;
		any = true;
		w = pick(core->ready, seed);
		core->ready &= ~(1ull << w);
		turn(core, &core->residents[w], launch->model->functional_turn);
	}
	return any;
}

static const struct finding *first_finding(const struct launch *launch)
{
	for (uint32_t c = 0; c < launch->core_count; c++)
		if (launch->cores[c].finding.found)
			return &launch->cores[c].finding;
	return NULL;
}

static void sums(const struct launch *launch, uint64_t *instructions, uint64_t *groups)
{
	*instructions = *groups = 0;
	for (uint32_t c = 0; c < launch->core_count; c++) {
		*instructions += launch->cores[c].counters.warp_instructions;
		*groups += launch->cores[c].groups_done;
	}
}

#define PROGRESS_ROUNDS 16384

void functional_run(struct launch *launch, struct gpu *gpu, struct gpu_result *result)
{
	uint64_t seed = launch->seed, instructions, groups, rounds = 0;

	for (;;) {
		const struct finding *fault;
		bool any;

		launch_dispatch(launch, 0);
		any = round_of_turns(launch, &seed);
		print_flush(launch);
		fault = first_finding(launch);
		sums(launch, &instructions, &groups);
		if (fault) {
			result->outcome = GPU_FAULT;
			result->finding = *fault;
			return;
		}
		if (groups == launch->total_groups)
			return;
		if (!any) {
			result->outcome = GPU_HANG;
			launch_explain_blocked(launch, &result->finding);
			return;
		}
		if (gpu->max_cycles && instructions >= gpu->max_cycles) {
			result->outcome = GPU_LIMIT;
			return;
		}
		if (gpu->progress && ++rounds % PROGRESS_ROUNDS == 0)
			gpu->progress(gpu->progress_context, 0, instructions, groups, launch->total_groups);
	}
}
