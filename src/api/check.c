/* What is refused before a launch begins. */
#include "api/api.h"

#include "machine/observe/show.h"
#include "machine/progress/state_graph.h"
#include "util/architecture.h"

#include <stdio.h>

void api_cluster(const struct lockstep_launch *launch, const struct ptx_function *f, uint32_t cluster[3])
{
	const uint32_t *asked = launch->cluster[0] ? launch->cluster : f->required_cluster;

	for (uint32_t k = 0; k < 3; k++)
		cluster[k] = asked[k] ? asked[k] : 1;
}

const char *api_other_model(
	const struct lockstep *lockstep, const struct lockstep_launch *launch, uint32_t least, char text[64])
{
	const char *target = lockstep_target(launch->module), *other = lockstep_gpu_for(lockstep, target);
	struct architecture architecture;

	text[0] = '\0';
	if (other && architecture_read(target, &architecture) && (architecture.variant || architecture.number >= least))
		snprintf(text, 64, "; for %s use --gpu %s", target, other);
	return text;
}

static bool check_cluster(const struct lockstep *lockstep, const struct lockstep_launch *launch,
	const struct ptx_function *f, struct lockstep_error *error)
{
	const struct gpu_model *model = lockstep->gpu.model;
	uint32_t cluster[3], required[3];
	uint64_t size = 1;
	char other[64];

	api_cluster(launch, f, cluster);
	api_cluster(&(struct lockstep_launch){.size = sizeof *launch}, f, required);
	for (uint32_t k = 0; k < 3; k++) {
		size *= cluster[k];
		if (f->required_cluster[0] && cluster[k] != required[k])
			return api_fail_with(error,
				"kernel %s requires clusters of %ux%ux%u work-groups (.reqnctapercluster)", f->name,
				required[0], required[1], required[2]);
		if (launch->grid[k] % cluster[k])
			return api_fail_with(error,
				"a grid of %ux%ux%u work-groups cannot be divided into clusters of %ux%ux%u",
				launch->grid[0], launch->grid[1], launch->grid[2], cluster[0], cluster[1], cluster[2]);
		if (size > 1 && model->cluster_groups == 1)
			return api_fail_with(error, "%s has no clusters of work-groups (cluster.groups)%s", model->name,
				api_other_model(lockstep, launch, 90 /* PTX ISA, .reqnctapercluster */, other));
		if (size > model->cluster_groups)
			return api_fail_with(error,
				"a cluster of %ux%ux%u work-groups is larger than the %u that %s allows "
				"(cluster.groups)",
				cluster[0], cluster[1], cluster[2], model->cluster_groups, model->name);
	}
	if (f->max_cluster && size > f->max_cluster)
		return api_fail_with(error, "kernel %s allows clusters of at most %u work-groups (.maxclusterrank)",
			f->name, f->max_cluster);
	if (f->explicit_cluster && !f->required_cluster[0] && !launch->cluster[0])
		return api_fail_with(
			error, "kernel %s is launched in clusters whose size is given (.explicitcluster)", f->name);
	return true;
}

bool api_check_shape(const struct lockstep *lockstep, const struct lockstep_launch *launch,
	const struct ptx_function *f, struct lockstep_error *error)
{
	const struct gpu_model *model = lockstep->gpu.model;
	uint64_t threads = 1, groups = 1;

	for (uint32_t k = 0; k < 3; k++) {
		if (!launch->grid[k] || !launch->block[k])
			return api_fail_with(error, "grid and block need at least 1 in every dimension");
		threads *= launch->block[k];
		groups *= launch->grid[k];
		if (threads > model->group_threads)
			return api_fail_with(error,
				"a work-group of %ux%ux%u threads is larger than the %u that %s allows "
				"(core.group_threads)",
				launch->block[0], launch->block[1], launch->block[2], model->group_threads,
				model->name);
		if (groups > UINT32_MAX)
			return api_fail_with(error, "a grid of more than %u work-groups is not supported", UINT32_MAX);
		if (f->required_threads[0] && f->required_threads[k] && launch->block[k] != f->required_threads[k])
			return api_fail_with(error, "kernel %s requires work-groups of %ux%ux%u threads (.reqntid)",
				f->name, f->required_threads[0], f->required_threads[1] ? f->required_threads[1] : 1,
				f->required_threads[2] ? f->required_threads[2] : 1);
	}
	if (threads > api_most_threads(f))
		return api_fail_with(error, "kernel %s allows work-groups of at most %llu threads (.maxntid)", f->name,
			(unsigned long long)api_most_threads(f));
	if (!check_cluster(lockstep, launch, f, error))
		return false;
	if (launch->parameter_bytes != f->parameter_bytes)
		return api_fail_with(error, "kernel %s takes %u bytes of parameters, %zu were given", f->name,
			f->parameter_bytes, launch->parameter_bytes);
	return true;
}

/* A progress model is about functional mode, and about all work-groups of the grid: none lacks a core. */
static bool check_progress(const struct lockstep *lockstep, const struct kernel *kernel, uint64_t room,
	const struct lockstep_launch *launch, struct lockstep_error *error)
{
	const struct gpu *gpu = &lockstep->gpu;
	uint64_t groups = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
	uint32_t cluster[3];

	if (!gpu->dispatch->guarantees)
		return true;
	api_cluster(launch, kernel->entry, cluster);
	if (cluster[0] * cluster[1] * cluster[2] > 1)
		return api_fail_with(error,
			"kernel %s is launched in clusters: dispatch policy '%s' is a progress model, which has none",
			kernel->entry->name, gpu->dispatch->name);
	if (!gpu->functional)
		return api_fail_with(error,
			"dispatch policy '%s' is a progress model: expected functional mode (--mode functional)",
			gpu->dispatch->name);
	if (groups > room)
		return api_fail_with(error,
			"%llu work-groups of kernel %s: under dispatch policy '%s' all of them are on the GPU, and %s "
			"holds %llu",
			(unsigned long long)groups, kernel->entry->name, gpu->dispatch->name, gpu->model->name,
			(unsigned long long)room);
	for (uint32_t k = 0; k < lockstep->schedule.count; k++)
		if (lockstep->schedule.runs[k].part == PART_LAUNCH)
			return api_fail_with(error,
				"the schedule names launches, which run together: expected work-groups, as kernel %s "
				"runs alone",
				kernel->entry->name);
		else if (lockstep->schedule.runs[k].group >= groups)
			return api_fail_with(error, "the schedule names work-group %u: expected one below %llu",
				lockstep->schedule.runs[k].group, (unsigned long long)groups);
	return true;
}

static bool check_shown_group(uint32_t group, uint64_t groups, struct lockstep_error *error)
{
	return group < groups || api_fail_with(error, "work-group %u is to be shown: expected one below %llu", group,
					 (unsigned long long)groups);
}

/* The warp that is to be shown is there, and can be; and so is the work-group. */
static bool check_show(
	const struct lockstep *lockstep, const struct lockstep_launch *launch, struct lockstep_error *error)
{
	const struct gpu *gpu = &lockstep->gpu;
	uint64_t groups = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
	uint32_t threads = launch->block[0] * launch->block[1] * launch->block[2], lanes = gpu->model->warp_size;
	uint32_t warps = (threads + lanes - 1) / lanes;
	const struct show_target *show = gpu->observe[OBSERVER_show];
	const uint32_t *shown[] = {gpu->observe[OBSERVER_show_mbarriers], gpu->observe[OBSERVER_show_barriers]};

	for (size_t k = 0; k < sizeof shown / sizeof *shown; k++)
		if (shown[k] && !check_shown_group(*shown[k], groups, error))
			return false;
	if (!show)
		return true;
	if (!gpu->divergence->each_entry)
		return api_fail_with(error,
			"divergence model '%s' shows no entries: expected one with the hook each_entry",
			gpu->divergence->name);
	if (!check_shown_group(show->group, groups, error))
		return false;
	if (show->warp >= warps)
		return api_fail_with(
			error, "warp %u of a work-group is to be shown: expected one below %u", show->warp, warps);
	return true;
}

/* What lockstep_search needs beyond a launch. */
static bool check_search(const struct lockstep *lockstep, const struct kernel *kernel,
	const struct lockstep_launch *launch, struct lockstep_error *error)
{
	uint64_t groups = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];

	if (!lockstep->gpu.dispatch->guarantees)
		return api_fail_with(error,
			"trying schedules is for a progress model, dispatch policy 'obe' for instance, not for '%s'",
			lockstep->gpu.dispatch->name);
	if (groups > GRAPH_GROUPS)
		return api_fail_with(error, "trying schedules is for at most %u work-groups, not for %llu",
			GRAPH_GROUPS, (unsigned long long)groups);
	if (kernel->uses.heap)
		return api_fail_with(error,
			"kernel %s calls malloc or free: expected one that does not where schedules are tried",
			kernel->entry->name);
	return true;
}

bool api_check_kernel(const struct lockstep *lockstep, const struct kernel *kernel, uint64_t room,
	const struct lockstep_launch *launch, bool searches, struct lockstep_error *error)
{
	return check_show(lockstep, launch, error) && check_progress(lockstep, kernel, room, launch, error) &&
	       api_check_children(lockstep, kernel, searches, error) &&
	       (!searches || check_search(lockstep, kernel, launch, error));
}
