/* Launches from the GPU: which kernels there are to be launched, and what they need (machine/gpu/children.h). */
#include "api/api.h"
#include "machine/gpu/children.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

static struct lockstep *lockstep_of(struct gpu *gpu)
{
	return (struct lockstep *)(void *)((char *)gpu - offsetof(struct lockstep, gpu));
}

static struct lockstep_module *module_of(const struct lockstep *lockstep, const struct kernel *kernel)
{
	for (uint32_t k = 0; k < lockstep->modules.count; k++)
		if (lockstep->modules.at[k] && lockstep->modules.at[k]->ptx == kernel->module)
			return lockstep->modules.at[k];
	return NULL;
}

/* ---- Kernels of our own ---- */

/* A kernel of `name`: each thread moves `type`, of so many bytes, if there is one for it. */
#define MOVE(name, type, size, load)                                                                                   \
	".visible .entry " name "(.param .u64 to, .param .u64 what, .param .u64 count)\n{\n"                           \
	"\t.reg .pred %p;\n\t.reg .b32 %r<4>;\n\t.reg .b64 %a<6>;\n"                                                   \
	"\tmov.u32 %r0, %ctaid.x;\n\tmov.u32 %r1, %ntid.x;\n\tmov.u32 %r2, %tid.x;\n"                                  \
	"\tcvt.u64.u32 %a1, %r2;\n\tmad.wide.u32 %a0, %r0, %r1, %a1;\n"                                                \
	"\tld.param.u64 %a2, [count];\n\tsetp.ge.u64 %p, %a0, %a2;\n\t@%p ret;\n"                                      \
	"\tld.param.u64 %a3, [to];\n\tmad.lo.u64 %a3, %a0, " size ", %a3;\n" load "\tst.global." type                  \
	" [%a3], %r3;\n\tret;\n}\n"
#define LOAD(type, size)                                                                                               \
	"\tld.param.u64 %a4, [what];\n\tmad.lo.u64 %a4, %a0, " size ", %a4;\n\tld.global." type " %r3, [%a4];\n"

static const char own_text[] =
	".version 6.0\n.target sm_30\n.address_size 64\n" MOVE("cudaMemcpyAsync", "u8", "1", LOAD("u8", "1"))
		MOVE("cudaMemcpyAsync_words", "u32", "4", LOAD("u32", "4"))
			MOVE("cudaMemsetAsync", "u8", "1", "\tld.param.u32 %r3, [what];\n")
				MOVE("cudaMemsetAsync_words", "u32", "4", "\tld.param.u32 %r3, [what];\n");

static const char *own_name(uint64_t function)
{
	static const char *const names[] = {[CHILD_COPY_BYTES] = "cudaMemcpyAsync",
		[CHILD_COPY_WORDS] = "cudaMemcpyAsync_words",
		[CHILD_FILL_BYTES] = "cudaMemsetAsync",
		[CHILD_FILL_WORDS] = "cudaMemsetAsync_words"};

	return names[function];
}

static struct lockstep_module *own_module(struct lockstep *lockstep)
{
	struct lockstep_error error;

	if (!lockstep->own)
		lockstep->own = lockstep_load(lockstep, "CUDA's device runtime", own_text, &error);
	assert(lockstep->own);
	lockstep->gpu.device.module = lockstep->own->ptx;
	return lockstep->own;
}

/* ---- What is launched ---- */

/* The kernel at the grid's address, and what is to be launched; false: there is none. */
static bool find(struct lockstep *lockstep, const struct launch *parent, const struct child_grid *grid,
	struct lockstep_launch *launch, size_t *index)
{
	bool is_own = grid->function < CHILD_OWN_END;
	struct lockstep_module *module = is_own ? own_module(lockstep) : module_of(lockstep, parent->kernel);
	const struct ptx_function *f = is_own ? api_find_kernel(module, own_name(grid->function), index)
					      : kernel_function_at(parent->kernel->module, grid->function);
	const struct started *started = parent->result.owner;

	*launch = (struct lockstep_launch){.module = module,
		.shared_bytes = grid->shared_bytes,
		.parameters = grid->parameters,
		.stream = started->stream};
	if (!f || !f->is_entry || !launch->module || !api_find_kernel(launch->module, f->name, index))
		return false;
	launch->kernel = f->name;
	launch->parameter_bytes = f->parameter_bytes;
	memcpy(launch->grid, grid->grid, sizeof launch->grid);
	memcpy(launch->block, grid->block, sizeof launch->block);
	return true;
}

static enum child_verdict not_supported(struct lockstep *lockstep, const struct lockstep_error *error, const char **why)
{
	*why = arena_text(&lockstep->arena, error->message);
	return CHILD_NOT_SUPPORTED;
}

static enum child_verdict check(struct gpu *gpu, const struct launch *parent, struct child_grid *grid, const char **why)
{
	struct lockstep *lockstep = lockstep_of(gpu);
	struct lockstep_launch launch;
	struct lockstep_error error;
	size_t index;

	if (!find(lockstep, parent, grid, &launch, &index))
		return CHILD_NO_KERNEL;
	if (!api_check_shape(lockstep, &launch, launch.module->kernels.at[index], &error))
		return CHILD_BAD_SHAPE;
	const struct decoded *d = api_decode(launch.module, index, &error);
	if (!d)
		return not_supported(lockstep, &error, why);
	grid->parameter_bytes = d->kernel->parameter_bytes;
	grid->waits = d->kernel->uses.device_wait;
	struct occupancy occupancy = kernel_occupancy(gpu->model, d->kernel,
		grid->block[0] * grid->block[1] * grid->block[2], api_shared_bytes(d->kernel, grid->shared_bytes));
	if (!occupancy.groups_per_core)
		return CHILD_NO_ROOM;
	if (!api_check_no_firmware(d->kernel, &error) ||
		!api_check_kernel(lockstep, d->kernel, occupancy.groups, &launch, false, &error))
		return not_supported(lockstep, &error, why);
	return CHILD_GOOD;
}

static void make(struct gpu *gpu, const struct launch *parent, const struct child_grid *grid, struct gpu_launch *what)
{
	struct lockstep *lockstep = lockstep_of(gpu);
	struct started *started = parent->result.owner;
	struct lockstep_launch launch;
	struct lockstep_error error;
	size_t index;
	struct started *child =
		find(lockstep, parent, grid, &launch, &index)
			? api_describe(lockstep, &launch, api_decode(launch.module, index, &error), 0, what, &error)
			: NULL;

	assert(child); /* check has seen that it can be */
	api_runs(lockstep, child);
	child->result.parent = started->result.number;
	child->result.root = started->result.parent ? started->result.root : started->result.number;
	started->result.children++;
}

void api_open_children(struct lockstep *lockstep)
{
	lockstep->gpu.device.pending = lockstep->gpu.model->device_pending;
	lockstep->gpu.device.depth = 2; /* as CUDA's guide has it */
	lockstep->gpu.device.check_child = check;
	lockstep->gpu.device.make_child = make;
}

bool lockstep_set_pending(struct lockstep *lockstep, uint64_t grids)
{
	if (!grids || grids > UINT32_MAX)
		return false;
	lockstep->gpu.device.pending = (uint32_t)grids;
	return true;
}

void lockstep_set_wait_depth(struct lockstep *lockstep, uint64_t depth)
{
	lockstep->gpu.device.depth = depth < UINT32_MAX ? (uint32_t)depth : UINT32_MAX;
}

/* What of the GPU's options launches from the GPU do not go with; null: nothing. */
static const char *in_the_way(const struct lockstep *lockstep, bool searches)
{
	const struct gpu *gpu = &lockstep->gpu;

	if (gpu->dispatch->guarantees)
		return "a progress model: expected another dispatch policy";
	if (searches)
		return "a search of schedules";
	if (gpu->coherence->directory)
		return "a directory (--coherence moesi): what a kernel writes may not be in memory when it launches "
		       "another";
	return NULL;
}

bool api_check_children(
	const struct lockstep *lockstep, const struct kernel *kernel, bool searches, struct lockstep_error *error)
{
	const char *why = kernel->uses.device ? in_the_way(lockstep, searches) : NULL;

	return !why || api_fail_with(error, "kernel %s calls %s, which does not run under %s", kernel->entry->name,
			       kernel->uses.device, why);
}
