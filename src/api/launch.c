/* Launches: starting them, and running until they have ended. */
#include "machine/gpu/launch.h"
#include "api/api.h"
#include "debug/checkpoint.h"
#include "debug/debugger.h"
#include "machine/gpu/launches.h"
#include "util/pages.h"

#include <assert.h>
#include <string.h>

void lockstep_set_mode(struct lockstep *lockstep, enum lockstep_mode mode)
{
	lockstep->gpu.functional = mode == LOCKSTEP_FUNCTIONAL;
}

struct launch_values api_launch_values(const struct lockstep *lockstep, struct arena *arena,
	const struct lockstep_launch *launch, const struct kernel *kernel)
{
	struct launch_values v = {
		.constant_first = launch->module->constant_first,
		.constant_bytes = launch->module->constant_end - launch->module->constant_first,
		.grid_id = lockstep->gpu.launches + 1,
		.dynamic_shared = launch->shared_bytes,
		.total_shared = api_shared_bytes(kernel, launch->shared_bytes) - kernel->shared.reserved_bytes,
		.reserved_shared = kernel->shared.reserved_bytes,
		.core_count = lockstep->gpu.model->core_count,
		.warps_per_core = model_core_warps(lockstep->gpu.model, 0),
		.nanoseconds_numerator = 1000000,
		.nanoseconds_denominator = lockstep->gpu.model->clock_core,
		.parameter_bytes = (uint32_t)launch->parameter_bytes,
	};
	uint8_t *parameters = arena_alloc(arena, launch->parameter_bytes + 16);

	if (launch->parameter_bytes)
		memcpy(parameters, launch->parameters, launch->parameter_bytes);
	v.parameters = parameters;
	memcpy(v.grid, launch->grid, sizeof v.grid);
	api_cluster(launch, kernel->entry, v.cluster);
	v.explicit_cluster =
		launch->cluster[0] || kernel->entry->required_cluster[0] || kernel->entry->explicit_cluster;
	memcpy(v.block, launch->block, sizeof v.block);
	memcpy(v.envreg, launch->envreg, sizeof v.envreg);
	return v;
}

static const char *limiter_name(enum occupancy_limiter limiter)
{
	static const char *const names[] = {[LIMIT_THREADS] = "threads",
		[LIMIT_GROUPS] = "groups",
		[LIMIT_REGISTERS] = "registers",
		[LIMIT_SHARED] = "shared"};

	return names[limiter];
}

/* What one work-group may have of it at most, as far as the core goes; and that in words, with the field. */
static uint32_t most_of(const struct gpu_model *model, enum occupancy_limiter limiter)
{
	switch (limiter) {
	case LIMIT_THREADS: return model->core_threads;
	case LIMIT_GROUPS: return model->core_groups;
	case LIMIT_REGISTERS: return model->core_registers;
	case LIMIT_SHARED: break;
	}
	return model->group_shared < model->core_shared ? model->group_shared : model->core_shared;
}

static const char *limit_words(enum occupancy_limiter limiter)
{
	static const char *const words[] = {[LIMIT_THREADS] = "threads (core.threads)",
		[LIMIT_GROUPS] = "work-groups (core.groups)",
		[LIMIT_REGISTERS] = "registers (core.registers)",
		[LIMIT_SHARED] = "bytes of shared memory (core.group_shared, core.shared)"};

	return words[limiter];
}

/* Matrices of warpgroups, if the kernel multiplies any, are something that the GPU has; else false and an error. */
static bool check_warpgroups(const struct lockstep *lockstep, const struct lockstep_launch *launch,
	const struct kernel *kernel, struct lockstep_error *error)
{
	const struct gpu_model *model = lockstep->gpu.model;
	char other[64];

	for (uint32_t f = 0; f < kernel->function_count && !model->wgmma_least; f++)
		if (kernel->functions[f].matrix_number)
			return api_fail_with(error, "kernel %s uses wgmma, which %s has not (wgmma.least)%s",
				kernel->entry->name, model->name, api_other_model(lockstep, launch, 90, other));
	return true;
}

bool api_check_waves(const struct lockstep *lockstep, const struct kernel *kernel, struct lockstep_error *error)
{
	assert(kernel && kernel->entry);
	assert(lockstep->gpu.divergence);
	if (!kernel->uses.waves || !lockstep->gpu.divergence->yield)
		return true;
	return api_fail_with(error,
		"kernel %s has wave instructions, which need lanes that stay together: expected --divergence stack, or "
		"channels without LOCKSTEP_CHANNELS_WAVE (option --lanes 32 of a program that has it)",
		kernel->entry->name);
}

/* A work-group of so much fits a core, and a cluster the cores that lie together; else false and an error. */
static bool check_room(const struct lockstep *lockstep, const struct lockstep_launch *launch,
	const struct kernel *kernel, uint32_t threads, const struct occupancy *occupancy, struct lockstep_error *error)
{
	const struct gpu_model *model = lockstep->gpu.model;
	uint32_t cluster[3], cluster_size;
	char other[64];

	if (!occupancy->groups_per_core)
		return api_fail_with(error,
			"a work-group of kernel %s (%u threads, %u registers each, %u bytes of shared memory) does not "
			"fit a core of %s, expected at most %u %s%s",
			kernel->entry->name, threads, occupancy->registers_per_thread,
			api_shared_bytes(kernel, launch->shared_bytes), model->name, most_of(model, occupancy->limiter),
			limit_words(occupancy->limiter), api_other_model(lockstep, launch, UINT32_MAX, other));
	api_cluster(launch, kernel->entry, cluster);
	cluster_size = cluster[0] * cluster[1] * cluster[2];
	return cluster_size <= dispatch_cluster_room(model, occupancy->groups_per_core) ||
	       api_fail_with(error,
		       "a cluster of %u work-groups of kernel %s does not fit the %u cores of %s that lie together "
		       "(cluster.cores): a core holds %u",
		       cluster_size, kernel->entry->name, model->cluster_cores, model->name,
		       occupancy->groups_per_core);
}

struct started *api_describe(struct lockstep *lockstep, const struct lockstep_launch *launch, const struct decoded *d,
	uint64_t schedules, struct gpu_launch *what, struct lockstep_error *error)
{
	uint32_t threads = launch->block[0] * launch->block[1] * launch->block[2];
	uint32_t shared_bytes = api_shared_bytes(d->kernel, launch->shared_bytes);
	struct occupancy occupancy = kernel_occupancy(lockstep->gpu.model, d->kernel, threads, shared_bytes);
	struct arena arena = {0};
	struct started *started;

	*what = (struct gpu_launch){
		.kernel = d->kernel, .after = launch->early_after, .constants = d->constants, .group.threads = threads};
	if (!api_check_waves(lockstep, d->kernel, error) ||
		!api_describe_firmware(lockstep, &arena, launch, d->kernel, what, &occupancy, error) ||
		!check_warpgroups(lockstep, launch, d->kernel, error) ||
		!check_room(lockstep, launch, d->kernel, threads, &occupancy, error) ||
		!api_check_kernel(lockstep, d->kernel, occupancy.groups, launch, schedules, error)) {
		arena_free(&arena);
		return NULL;
	}
	what->group.per_core = occupancy.groups_per_core;
	what->group.per_lesser_core = occupancy.groups_per_lesser_core;
	what->group.registers = occupancy.group_registers;
	what->group.shared = occupancy.group_shared;
	what->group.shared_bytes = d->kernel->shared.first + shared_bytes;
	what->owner = started = arena_new(&arena, struct started);
	what->values = api_launch_values(lockstep, &arena, launch, d->kernel);
	*started = (struct started){.kernel = d->kernel,
		.stream = launch->stream,
		.result = {.stream = launch->stream,
			.kernel = arena_copy(&arena, d->kernel->entry->name, strlen(d->kernel->entry->name)),
			.number = lockstep->gpu.launches + 1,
			.mode = lockstep->gpu.functional ? LOCKSTEP_FUNCTIONAL : LOCKSTEP_TIMING,
			.shared_bytes = shared_bytes,
			.registers_per_thread = occupancy.registers_per_thread,
			.groups_per_core = occupancy.groups_per_core,
			.groups = occupancy.groups,
			.limiter = limiter_name(occupancy.limiter),
			.origin = launch->module->origin}};
	memcpy(started->result.grid, launch->grid, sizeof started->result.grid);
	memcpy(started->result.block, launch->block, sizeof started->result.block);
	started->arena = arena; /* last: it has grown */
	clock_gettime(CLOCK_MONOTONIC, &started->start);
	return started;
}

void api_runs(struct lockstep *lockstep, struct started *started)
{
	*vector_push(&lockstep->arena, &lockstep->running) = started;
}

static uint64_t start_kernel(struct lockstep *lockstep, const struct lockstep_launch *launch, const struct decoded *d,
	uint64_t schedules, struct lockstep_error *error)
{
	struct gpu_launch what;
	struct started *started = api_describe(lockstep, launch, d, schedules, &what, error);

	if (!started)
		return 0;
	started->schedules = schedules;
	started->what = what;
	api_runs(lockstep, started);
	gpu_prefill(&lockstep->gpu);
	gpu_start(&lockstep->gpu, &what);
	return started->result.number;
}

/* The kernel of a launch whose shape it can have; null and an error: there is none. */
static const struct decoded *decode(
	const struct lockstep *lockstep, const struct lockstep_launch *launch, struct lockstep_error *error)
{
	struct lockstep_module *module = launch->module;
	const char *name = launch->kernel;
	const struct ptx_function *f;
	size_t index;

	if (!name && module->kernels.count != 1) {
		api_fail_with(error, "%s has %u kernels: name one", module->ptx->file, module->kernels.count);
		return NULL;
	}
	f = api_find_kernel(module, name ? name : module->kernels.at[0]->name, &index);
	if (!f) {
		api_fail_with(error, "%s: no kernel '%s'", module->ptx->file, name);
		return NULL;
	}
	return api_check_shape(lockstep, launch, f, error) ? api_decode(module, index, error) : NULL;
}

struct started *api_describe_queued(
	struct lockstep *lockstep, const struct lockstep_launch *launch, struct gpu_launch *what)
{
	struct lockstep_error ignored;
	struct lockstep_launch own;
	const struct decoded *d = NULL;

	if (api_take(&own, sizeof own, launch, "lockstep_launch", &ignored) && !own.firmware)
		d = decode(lockstep, &own, &ignored);
	return d ? api_describe(lockstep, &own, d, 0, what, &ignored) : NULL;
}

static uint64_t start_under_model(struct lockstep *lockstep, const struct lockstep_launch *launch,
	const struct decoded *d, uint64_t schedules, struct lockstep_error *error)
{
	const struct group_dispatcher *before = api_begin_model(lockstep);
	uint64_t number = start_kernel(lockstep, launch, d, schedules, error);

	api_end_model(lockstep, before);
	return number;
}

/* The launch of options.launch: under the progress model if that can be, else without. */
static uint64_t start_chosen(struct lockstep *lockstep, const struct lockstep_launch *launch, const struct decoded *d,
	uint64_t schedules, struct lockstep_error *error)
{
	bool joins = lockstep->gpu.machine;
	uint64_t number = joins ? 0 : start_under_model(lockstep, launch, d, schedules, error);
	struct lockstep_error own;
	struct started *started;

	if (!number && !start_kernel(lockstep, launch, d, 0, &own)) {
		*error = own;
		return 0;
	}
	started = lockstep->running.at[lockstep->running.count - 1];
	started->is_chosen = !joins;
	started->schedules = joins ? 0 : schedules;
	if (joins)
		started->result.not_searched = "a launch that has begun before it has not ended";
	else if (!number)
		started->refusal = arena_text(&started->arena, error->message);
	return started->result.number;
}

/* schedules: to be tried first. */
static uint64_t start(struct lockstep *lockstep, const struct lockstep_launch *launch, uint64_t schedules,
	struct lockstep_error *error)
{
	struct lockstep_launch own;
	bool good = api_take(&own, sizeof own, launch, "lockstep_launch", error), apart = pages_apart(false);
	const struct decoded *d = good ? decode(lockstep, &own, error) : NULL;
	uint64_t number = !d                         ? 0
			  : !api_is_chosen(lockstep) ? start_kernel(lockstep, &own, d, 0, error)
			  : lockstep->has_chosen     ? start_chosen(lockstep, &own, d, schedules, error)
						     : start_under_model(lockstep, &own, d, schedules, error);

	if (number && lockstep->checkpoint && !api_restore(lockstep, launch, error))
		number = 0;
	pages_apart(apart);
	return number;
}

uint64_t lockstep_start(struct lockstep *lockstep, const struct lockstep_launch *launch, struct lockstep_error *error)
{
	return start(lockstep, launch, lockstep->gpu.options.schedules, error);
}

uint64_t lockstep_cycle(const struct lockstep *lockstep)
{
	return lockstep->gpu.cycle;
}

/* Runs until a launch has ended, and keeps its result; null when nothing is left, or all is stuck. */
static const struct lockstep_result *run_one(struct lockstep *lockstep)
{
	const struct lockstep_result *result = NULL;
	struct gpu_result r;
	bool apart = pages_apart(false);

	api_search_next(lockstep);
	if (lockstep->debugger         ? debugger_finish(lockstep->debugger, &r)
		: lockstep->checkpoint ? checkpoint_finish(lockstep->checkpoint, &r)
				       : gpu_finish(&lockstep->gpu, &r))
		result = api_keep_result(lockstep, r.owner, &r);
	pages_apart(apart);
	return result;
}

const struct lockstep_result *lockstep_finish(struct lockstep *lockstep)
{
	if (lockstep->early_first < lockstep->early.count)
		return lockstep->early.at[lockstep->early_first++];
	return run_one(lockstep);
}

/* Until the launch of that number has ended; 0: there is none. */
static const struct lockstep_result *run_until(struct lockstep *lockstep, uint64_t number)
{
	const struct lockstep_result *result;

	if (!number)
		return NULL;
	do {
		result = run_one(lockstep);
		if (!result)
			lockstep_give_up(lockstep);
		else if (result->number != number)
			*vector_push(&lockstep->arena, &lockstep->early) = result;
	} while (!result || result->number != number);
	return result;
}

const struct lockstep_result *lockstep_run(
	struct lockstep *lockstep, const struct lockstep_launch *launch, struct lockstep_error *error)
{
	return run_until(lockstep, lockstep_start(lockstep, launch, error));
}

const struct lockstep_result *lockstep_search(struct lockstep *lockstep, const struct lockstep_launch *launch,
	uint64_t schedules, struct lockstep_error *error)
{
	return run_until(lockstep, start(lockstep, launch, schedules, error));
}

bool lockstep_is_stuck(const struct lockstep *lockstep)
{
	return lockstep->gpu.stuck;
}

bool lockstep_asks_host(const struct lockstep *lockstep)
{
	return gpu_asks_host(&lockstep->gpu);
}

bool lockstep_is_stuck_for_ever(const struct lockstep *lockstep)
{
	return gpu_is_stuck_for_ever(&lockstep->gpu);
}

void lockstep_host_waits(struct lockstep *lockstep, bool waits, const char *doubt)
{
	lockstep->gpu.host.waits = waits;
	lockstep->gpu.host.doubt = arena_text(&lockstep->arena, doubt);
}

const char *lockstep_why_stuck(struct lockstep *lockstep)
{
	return gpu_why_stuck(&lockstep->gpu, &lockstep->arena);
}

void lockstep_give_up(struct lockstep *lockstep)
{
	bool apart = pages_apart(false);

	if (lockstep->debugger)
		debugger_give_up(lockstep->debugger);
	else
		gpu_give_up(&lockstep->gpu);
	pages_apart(apart);
	api_forget_queued(lockstep);
}
