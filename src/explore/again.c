/* Running a launch again (again.h): a second GPU over the same memory. */
#include "explore/again_parts.h"

#include "machine/gpu/launch.h"
#include "machine/gpu/launches.h"
#include "machine/gpu/machine.h"
#include "machine/observe/watch.h"
#include "machine/state/launch_state.h"
#include "machine/state/machine.h"
#include "memory/snapshot.h"

#include <time.h>

#define LAUNCHES 16 /* that run at the same time, at most */

double again_clock(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* ---- What cannot be run again ---- */

static uint32_t launches_of(const struct machine *machine)
{
	uint32_t count = 0;

	for (const struct launch *l = machine->launches.first; l; l = l->next)
		count++;
	return count;
}

const char *again_refuses(const struct machine *machine)
{
	if (!machine->at_start.snapshot)
		return "the contents of memory at the launch's start were not saved";
	if (machine->at_start.snapshot->lost)
		return "the launch has written more memory than Lockstep saves";
	if (machine->space->host_writes && !machine->gpu->host.waits)
		return "the program may read some of the memory at any time";
	if (machine->was_interrupted)
		return "the program has written to memory since the launch began";
	if (machine->launches.ended || launches_of(machine) > LAUNCHES)
		return "other kernels have ended since it began";
	for (const struct launch *l = machine->launches.first; l; l = l->next)
		if (l->family)
			return "a kernel may launch others on the GPU";
	if (machine->gpu->schedule)
		return "its schedule is one of many that are tried";
	return NULL;
}

/* ---- Another GPU ---- */

void again_show(const struct gpu *gpu, uint64_t cycles)
{
	if (gpu->options.confirming)
		gpu->options.confirming(
			gpu->options.progress_context, gpu->experiment.test, gpu->experiment.tests, cycles);
}

/* Called from time to time, between quanta: ends the run when its time is over. */
static void look_at_clock(
	void *context, uint64_t cycles, uint64_t warp_instructions, uint64_t groups_done, uint64_t groups)
{
	struct again *again = context;

	again_show(again->machine->gpu, cycles);
	(void)warp_instructions;
	(void)groups_done;
	(void)groups;
	if (again_clock() < again->until && !gpu_is_interrupted(again->machine->gpu))
		return;
	again->time_is_over = true;
	again->gpu.pause.at = 1;
}

static void make_gpu(struct again *again, const struct machine *machine)
{
	struct gpu *gpu = &again->gpu;

	*gpu = *machine->gpu;
	again->model = *machine->gpu->model;
	gpu->arena = &again->arena;
	gpu->model = &again->model;
	gpu->machine = NULL;
	gpu->waiting = gpu->finished = NULL;
	gpu->drops = (struct arena){0};
	gpu->launches = machine->launches.first->ordinal;
	launches_take_mode_of(gpu, machine);
	gpu->dispatch = machine->launches.first->dispatch.policy; /* which other launches need not have */
	gpu->options.pause_when_stuck = gpu->pause.when_dead = true;
	gpu_hide(gpu);
	gpu->options.progress = look_at_clock;
	gpu->options.progress_context = again;
	gpu->counts_issues = true;
	gpu->options.max_cycles = 0;
	gpu->options.interrupt = NULL; /* look_at_clock checks it */
	gpu->experiment.keeps_start = gpu->experiment.puts_back = true;
}

static void start_launches(struct again *again)
{
	for (const struct launch *l = again->machine->launches.first; l; l = l->next) {
		struct gpu_launch what = {.kernel = l->kernel,
			.constants = l->constants,
			.values = l->values,
			.group = l->group,
			.after = l->early.after, /* they have the ordinals of the first run */
			.owner = (void *)(uintptr_t)l};

		gpu_start(&again->gpu, &what);
	}
}

struct again *again_begin(
	struct machine *machine, void (*change)(struct gpu *gpu, struct gpu_model *model, void *context), void *context)
{
	struct arena arena = {0};
	struct again *again = arena_new(&arena, struct again);

	again->arena = arena;
	again->machine = machine;
	machine_swap(machine);
	make_gpu(again, machine);
	if (change)
		change(&again->gpu, &again->model, context);
	gpu_create(&again->gpu);
	gpu_prefill(&again->gpu);
	start_launches(again);
	return again;
}

void again_end(struct again *again)
{
	struct arena arena = again->arena; /* `again` itself is in it */
	struct machine *machine = again->machine;

	gpu_destroy(&again->gpu);
	machine_swap(machine);
	arena_free(&arena);
}

/* ---- Running ---- */

static uint64_t threads_ended(const struct launch *launch, const struct machine *machine)
{
	uint64_t ended = launch_groups_done(launch) * launch->group.threads;

	for (uint32_t c = 0; c < machine->cores.count; c++)
		for (uint64_t m = machine->cores.at[c].machine ? machine->cores.at[c].groups.used : 0; m; m &= m - 1) {
			const struct group *group = &machine->cores.at[c].groups.at[__builtin_ctzll(m)];

			if (group->core_launch->launch == launch)
				ended += group->threads - group->live_threads;
		}
	return ended;
}

uint64_t again_ended_on(const struct machine *machine)
{
	uint64_t ended = 0;

	for (const struct launch *l = machine->launches.first; l; l = l->next)
		ended += threads_ended(l, machine);
	return ended;
}

uint64_t again_ended(const struct again *again)
{
	return again->ended + (again->gpu.machine ? again_ended_on(again->gpu.machine) : 0);
}

enum again_outcome again_run(struct again *again, struct again_limits limits)
{
	struct gpu *gpu = &again->gpu;
	struct gpu_result result;

	gpu->pause.at = limits.cycles;
	again->until = limits.until;
	while (gpu_finish(gpu, &result)) {
		if (result.outcome != GPU_COMPLETED)
			return result.outcome == GPU_FAULT ? AGAIN_FAULT : AGAIN_LIMIT;
		const struct launch *completed = result.owner;
		if (completed) /* else one that was let past */
			again->ended += (uint64_t)completed->total_groups * completed->group.threads;
	}
	if (!gpu->stuck)
		return AGAIN_COMPLETED;
	if (again->time_is_over)
		return AGAIN_TIME_OVER;
	return gpu->pause.reached ? AGAIN_LIMIT : AGAIN_HANGS;
}

uint64_t again_elapsed_on(const struct machine *machine)
{
	return machine->mode->elapsed(machine, machine->launches.first);
}

uint64_t again_elapsed(const struct again *again)
{
	const struct machine *machine = again->gpu.machine;

	return machine && machine->launches.first ? again_elapsed_on(machine) : 0;
}

#define LEAST_CYCLES 262144 /* of a run */

uint64_t again_limit_for(const struct machine *machine)
{
	uint64_t length = machine->mode->elapsed(machine, NULL);

	return 2 * (length > LEAST_CYCLES ? length : LEAST_CYCLES) + watch_longest_proof(machine);
}
