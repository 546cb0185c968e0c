/* Opening and closing a GPU: its model, policies, options. */
#include "api/api.h"

#include "check/verdict.h"
#include "machine/gpu/launches.h"
#include "machine/observe/spinning.h"
#include "options/run_options.h"
#include "policy/policy.h"
#include "policy/schedule/fields.h"
#include "util/pages.h"
#include "warp/warp.h"

#include <inttypes.h>

static bool choose_policies(struct gpu *gpu, struct diagnostic *diagnostic)
{
	const struct gpu_model *model = gpu->model;

#define POLICY_KIND(kind, vtable, table, decides)                                                                      \
	gpu->kind = diagnostic->failed ? NULL : kind##_find(model->kind, diagnostic);
#include "policy/kinds.def"
#undef POLICY_KIND
	return !diagnostic->failed && spinning_check(gpu, diagnostic);
}

/* The hostile build makes every queue and cache as small as it can be, so that all of them overflow all the time.
 * Memory ends below the addresses of AddressSanitizer, without which a program could not share any of it. */
static bool apply_hostile_settings(struct lockstep *lockstep, struct diagnostic *diagnostic)
{
#if LOCKSTEP_HOSTILE
	static const char *const settings[] = {"l1.divisions=none", "l1.sets=2", "l1.ways=1", "l1.mshrs=2",
		"l1.merges=1", "l1.queue=1", "lsu.queue=1", "l2.sets=2", "l2.ways=2", "l2.mshrs=2", "l2.merges=1",
		"dram.queue=2", "independent.interval=1", "policy.scheduler=random", "memory.size=1536"};

	for (size_t k = 0; k < sizeof settings / sizeof *settings; k++)
		if (!model_set(&lockstep->arena, lockstep->gpu.model, settings[k], diagnostic))
			return false;
#endif
	(void)lockstep;
	(void)diagnostic;
	return true;
}

static bool choose_schedule(
	struct lockstep *lockstep, const struct lockstep_options *options, struct diagnostic *diagnostic)
{
	struct gpu *gpu = &lockstep->gpu;

	if (!options->schedule)
		return true;
	if (!gpu->dispatch->guarantees)
		return diagnose(diagnostic, (struct place){0},
			"a schedule is for a progress model, dispatch policy 'obe' for instance, not for '%s'",
			gpu->dispatch->name);
	gpu->schedule_list = &lockstep->schedule;
	return schedule_list_read(&lockstep->arena, options->schedule, &lockstep->schedule, diagnostic);
}

/* One launch alone is under the progress model: others have what the model's file says. */
static bool choose_launch(
	struct lockstep *lockstep, const struct lockstep_options *options, struct diagnostic *diagnostic)
{
	struct gpu *gpu = &lockstep->gpu;

	if (!options->launch)
		return true;
	if (!gpu->dispatch->guarantees)
		return diagnose(diagnostic, (struct place){0},
			"launch %" PRIu64
			" is to be under a progress model, dispatch policy 'obe' for instance, not '%s'",
			*options->launch, gpu->dispatch->name);
	if (options->mode != LOCKSTEP_FUNCTIONAL)
		return diagnose(diagnostic, (struct place){0},
			"dispatch policy '%s' is a progress model: expected functional mode (--mode functional)",
			gpu->dispatch->name);
	lockstep->has_chosen = true;
	lockstep->chosen = *options->launch;
	lockstep->model = gpu->dispatch;
	gpu->dispatch = dispatch_find(lockstep->file->dispatch, diagnostic);
	if (gpu->dispatch && gpu->dispatch->guarantees)
		gpu->dispatch = dispatch_find("in-order", diagnostic);
	return gpu->dispatch;
}

/* The scheduler's own fields: set, and kept for lockstep_configuration. */
static bool set_scheduler(struct lockstep *lockstep, const char *const *settings, struct diagnostic *diagnostic)
{
	struct gpu *gpu = &lockstep->gpu;
	const struct warp_scheduler *s = gpu->scheduler;
	const uint32_t *values = schedule_read_fields(&lockstep->arena, s, settings, diagnostic);

	for (uint32_t k = 0; values && s->fields && s->fields[k].name; k++) {
		const struct schedule_field *f = &s->fields[k];

		*vector_push(&lockstep->arena, &lockstep->scheduler_fields) =
			(struct lockstep_field){.path = arena_printf(&lockstep->arena, "%s.%s", s->name, f->name),
				.unit = f->unit,
				.meaning = f->meaning,
				.source = "of the scheduler itself",
				.number = values[k]};
	}
	gpu->scheduler_fields = values;
	return values;
}

/* The machine reorders as far as its model has it. */
static bool weaken(struct gpu_model *model, const struct lockstep_options *options, struct diagnostic *diagnostic)
{
	if (options->weak != LOCKSTEP_WEAK)
		return true;
	if (options->mode == LOCKSTEP_FUNCTIONAL)
		return diagnose(diagnostic, (struct place){0},
			"weak memory: expected timing mode, in functional mode memory is one and at once");
	if (model->crossbar_jitter < model->weak_jitter)
		model->crossbar_jitter = model->weak_jitter;
	model->crossbar_loads_pass |= model->weak_loads_pass;
	return true;
}

static bool configure(struct lockstep *lockstep, const struct lockstep_options *options, struct diagnostic *diagnostic)
{
	struct gpu *gpu = &lockstep->gpu;

	for (size_t k = 0; options->plugins && options->plugins[k]; k++)
		if (!plugin_load(options->plugins[k], diagnostic))
			return false;
	gpu->model = model_load(&lockstep->arena, options->gpu, &lockstep->sources, diagnostic);
	if (!gpu->model)
		return false;
	struct gpu_model *file = arena_new(&lockstep->arena, struct gpu_model);
	*file = *gpu->model;
	lockstep->file = file;
	if (!apply_hostile_settings(lockstep, diagnostic))
		return false;
	for (size_t k = 0; options->settings && options->settings[k]; k++)
		if (!schedule_owns(options->settings[k]) &&
			!model_set(&lockstep->arena, gpu->model, options->settings[k], diagnostic))
			return false;
	if (!weaken(gpu->model, options, diagnostic) || !model_check(gpu->model, diagnostic) ||
		!choose_policies(gpu, diagnostic) || !choose_schedule(lockstep, options, diagnostic) ||
		!choose_launch(lockstep, options, diagnostic))
		return false;
	return set_scheduler(lockstep, options->settings, diagnostic) && !diagnostic->failed;
}

/* What a report says of them, long after the caller's may be gone. */
static void keep_texts(struct arena *arena, struct lockstep_options *options)
{
	size_t count = 0;

	options->gpu = arena_text(arena, options->gpu);
	while (options->plugins && options->plugins[count])
		count++;
	const char **plugins = arena_new_array(arena, const char *, count + 1);
	for (size_t k = 0; k < count; k++)
		plugins[k] = arena_text(arena, options->plugins[k]);
	options->plugins = plugins;
}

struct lockstep *lockstep_open(const struct lockstep_options *options, struct lockstep_error *error)
{
	struct lockstep_options own;

	if (!api_take(&own, sizeof own, options, "lockstep_options", error))
		return NULL;

	if ((own.debug || own.checkpoint) && !arena_record()) {
		api_fail_with(error, "a debugger or a checkpoint: this system does not tell which pages of memory are "
				     "in use (/proc/self/pagemap)");
		return NULL;
	}

	struct arena arena = {0};
	struct lockstep *lockstep = arena_new(&arena, struct lockstep);
	struct diagnostic diagnostic = {0};
	struct gpu *gpu = &lockstep->gpu;

	lockstep->arena = arena;
	kernel_set_exec_lookup(warp_exec_lookup);
	gpu->arena = &lockstep->arena;
	gpu->options = own;
	run_options_complete(&gpu->options);
	keep_texts(&lockstep->arena, &gpu->options);
	gpu->explain = verdict_give;
	if (gpu->options.explain_limit != LOCKSTEP_EXPLAIN_NEVER)
		gpu->explain_seconds = (double)gpu->options.explain_limit;
	gpu->experiment.keeps_start = gpu->explain_seconds > 0;
	gpu->functional = own.mode == LOCKSTEP_FUNCTIONAL;
	if (configure(lockstep, &gpu->options, &diagnostic)) {
		space_create(&gpu->space, &lockstep->arena, (uint64_t)gpu->model->memory_megabytes << 20,
			gpu->model->line_bytes, !own.checkpoint);
		parts_open(lockstep, &diagnostic);
	}
	if (diagnostic.failed) {
		api_fail(error, &diagnostic);
		lockstep_close(lockstep);
		return NULL;
	}
	gpu->heap.bytes = gpu->model->heap_bytes;
	api_open_children(lockstep);
	gpu->images.arena = &lockstep->arena;
	gpu_create(gpu);
	if (own.debug || own.checkpoint)
		pages_apart(true); /* the caller's */
	if (own.debug)             /* which has all of a launch on one thread */
		pages_others_apart();
	return lockstep;
}

void lockstep_close(struct lockstep *lockstep)
{
	if (!lockstep)
		return;
	parts_close(lockstep);
	arena_free(&lockstep->report);
	api_forget_queued(lockstep);
	if (lockstep->gpu.partition_arenas)
		gpu_destroy(&lockstep->gpu);
	for (uint32_t k = 0; k < lockstep->running.count; k++)
		api_free_started(lockstep->running.at[k]);
	for (uint32_t k = 0; k < lockstep->results.count; k++)
		api_free_started(lockstep->results.at[k]);
	for (uint32_t k = 0; k < lockstep->modules.count; k++)
		api_free_module(lockstep->modules.at[k]);
	struct arena arena = lockstep->arena; /* gpu lies in it */
	arena_free(&arena);
}
