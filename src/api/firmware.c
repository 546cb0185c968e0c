/* Launches with firmware: what it may dispatch, and what is refused. */
#include "api/api.h"

#include "machine/control/processor.h"
#include "machine/state/launch_kind.h"
#include "policy/policy.h"

/* What of the GPU's options a launch with firmware does not go with; null: nothing. */
static const char *in_the_way(const struct lockstep *lockstep)
{
	const struct gpu *gpu = &lockstep->gpu;

	if (gpu->functional)
		return "functional mode: expected timing mode";
	if (gpu->dispatch->guarantees)
		return "a progress model: expected another dispatch policy";
	if (gpu->observe[OBSERVER_races] || gpu->observe[OBSERVER_init] || gpu->observe[OBSERVER_sync])
		return "--check: what firmware orders is not known to it";
	if (gpu->options.profile)
		return "--profile: it has one kernel of a launch, not several";
	if (gpu->options.on_fault == LOCKSTEP_CONTINUE)
		return "--on-fault continue: expected stop";
	if (gpu->observe[OBSERVER_show] || gpu->observe[OBSERVER_show_bits] || gpu->observe[OBSERVER_show_mbarriers] ||
		gpu->observe[OBSERVER_show_barriers])
		return "--show";
	return NULL;
}

static bool check_firmware(const struct lockstep *lockstep, struct arena *arena, const struct lockstep_launch *launch,
	const struct kernel *kernel, struct lockstep_error *error)
{
	const char *name = kernel->entry->name;

	if (!lockstep->gpu.control->exists)
		return api_fail_with(error,
			"kernel %s is firmware: GPU %s has no control processor; expected one that has (apu-2014), or "
			"--control ooo-2",
			name, lockstep->gpu.model->name);
	const char *why = in_the_way(lockstep);
	if (why)
		return api_fail_with(error, "kernel %s is firmware, which does not run under %s", name, why);
	if (launch->grid[0] * (uint64_t)launch->grid[1] * launch->grid[2] != 1)
		return api_fail_with(error, "kernel %s is firmware, one thread: expected a grid of 1, not %ux%ux%u",
			name, launch->grid[0], launch->grid[1], launch->grid[2]);
	why = control_refuses(arena, kernel);
	return !why || api_fail_with(error, "%s", why);
}

/* Its parameters, and what it is made of. */
static bool check_dispatchable(
	const struct ptx_function *f, const struct kernel *kernel, uint32_t threads, struct lockstep_error *error)
{
	const char *name = f->name;

	if (f->parameter_bytes && (f->signature.parameter_count != 1 || f->parameter_bytes != 8))
		return api_fail_with(error,
			"kernel %s has parameters, %u of %u bytes in all: expected one of 8 bytes, or none, of "
			"a kernel that firmware dispatches",
			name, f->signature.parameter_count, f->parameter_bytes);
	if (kernel->uses.firmware)
		return api_fail_with(error, "kernel %s calls %s, which is for firmware", name, kernel->uses.firmware);
	if (kernel->uses.yield && threads > kernel->lanes)
		return api_fail_with(error,
			"kernel %s calls __lockstep_yield: expected work-groups of one wavefront, %u threads, not %u",
			name, kernel->lanes, threads);
	if (kernel->uses.participants || kernel->uses.lock_bits || kernel->uses.register_pool)
		return api_fail_with(error, "kernel %s uses %s, which a kernel that firmware dispatches cannot", name,
			kernel->uses.participants ? "participant"
			: kernel->uses.lock_bits  ? "lock bits"
						  : "setmaxnreg");
	return true;
}

static bool add_dispatchable(struct lockstep *lockstep, struct arena *arena, const struct lockstep_launch *launch,
	const struct lockstep_dispatchable *of, struct gpu_launch *what, struct occupancy *occupancy,
	struct lockstep_error *error)
{
	struct lockstep_module *module = of->module ? of->module : launch->module;
	uint32_t threads = launch->block[0] * launch->block[1] * launch->block[2];
	struct lockstep_launch own = *launch;
	size_t index;
	const struct ptx_function *f = api_find_kernel(module, of->kernel, &index);

	if (!f)
		return api_fail_with(error, "%s: no kernel '%s'", module->ptx->file, of->kernel);
	own.module = module;
	own.parameters = NULL;
	own.parameter_bytes = f->parameter_bytes;
	if (!api_check_shape(lockstep, &own, f, error))
		return false;
	const struct decoded *d = api_decode(module, index, error);
	if (!d || !api_check_waves(lockstep, d->kernel, error) || !check_dispatchable(f, d->kernel, threads, error))
		return false;
	uint32_t shared = api_shared_bytes(d->kernel, launch->shared_bytes);
	*occupancy = kernel_occupancy(lockstep->gpu.model, d->kernel, threads, shared);
	if (!occupancy->groups_per_core)
		return api_fail_with(error, "a work-group of kernel %s of %u threads does not fit a core of %s",
			f->name, threads, lockstep->gpu.model->name);
	own.parameter_bytes = 0;
	*what = (struct gpu_launch){.kernel = d->kernel,
		.constants = d->constants,
		.values = api_launch_values(lockstep, arena, &own, d->kernel),
		.group.threads = threads,
		.group.per_core = occupancy->groups_per_core,
		.group.per_lesser_core = occupancy->groups_per_lesser_core,
		.group.shared_bytes = d->kernel->shared.first + shared,
		.group.registers = occupancy->group_registers,
		.group.shared = occupancy->group_shared};
	what->values.parameter_bytes = f->parameter_bytes;
	return true;
}

bool api_check_no_firmware(const struct kernel *kernel, struct lockstep_error *error)
{
	const char *name = kernel->entry->name;

	if (kernel->uses.firmware)
		return api_fail_with(error, "kernel %s calls %s: expected it to be launched as firmware (--firmware)",
			name, kernel->uses.firmware);
	if (kernel->uses.yield)
		return api_fail_with(error,
			"kernel %s calls __lockstep_yield: expected it to be dispatched by firmware (--dispatches)",
			name);
	return true;
}

bool api_describe_firmware(struct lockstep *lockstep, struct arena *arena, const struct lockstep_launch *launch,
	const struct kernel *kernel, struct gpu_launch *what, struct occupancy *most, struct lockstep_error *error)
{
	struct gpu_launch *list = arena_new_array(arena, struct gpu_launch, launch->dispatchable_count + 1);

	if (!launch->firmware)
		return api_check_no_firmware(kernel, error);
	if (!check_firmware(lockstep, arena, launch, kernel, error))
		return false;
	most->groups_per_core = 0;
	for (size_t k = 0; k < launch->dispatchable_count; k++) {
		struct occupancy own;

		if (!add_dispatchable(lockstep, arena, launch, &launch->dispatchables[k], &list[k], &own, error))
			return false;
		if (own.groups_per_core > most->groups_per_core)
			*most = own;
	}
	if (!launch->dispatchable_count)
		return api_fail_with(
			error, "kernel %s is firmware: expected a kernel that it may dispatch", kernel->entry->name);
	what->kind = &launch_firmware;
	what->dispatchables = list;
	what->dispatchable_count = (uint32_t)launch->dispatchable_count;
	return true;
}
