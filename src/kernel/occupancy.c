/* How many work-groups fit on a core at once: the least of what threads, group slots, registers and shared memory
 * allow.
 *
 * The rules are those of NVIDIA's occupancy calculator.  Threads count in whole warps, unless the model has core.warps.
 * Registers are given to a warp in units of model.register_unit, so 20 registers of 32 threads, 640, take 640 on Fermi
 * (unit 64) and 768 on Volta (unit 256); and a warp's registers come from its own scheduler's part of the file, so the
 * warps of a core round down to a multiple of the schedulers.  Shared memory is given to a group in units of
 * model.shared_unit, with what the driver reserves in each, model.shared_reserved. */
#include "kernel/kernel.h"

static uint32_t round_up(uint32_t value, uint32_t unit)
{
	return unit ? (value + unit - 1) / unit * unit : value;
}

static uint32_t groups_by_registers(const struct gpu_model *model, uint32_t warps, uint32_t registers)
{
	uint32_t per_warp = round_up(registers * model->warp_size, model->register_unit);
	if (!per_warp)
		return UINT32_MAX;
	/* Each scheduler's share of the register file holds whole warps. */
	uint32_t share = model->core_registers / model->schedulers;
	return share / per_warp * model->schedulers / warps;
}

static uint32_t groups_by_threads(
	const struct gpu_model *model, uint32_t core_threads, uint32_t threads, uint32_t warps)
{
	if (!model->core_warps)
		return core_threads / model->warp_size / warps;
	uint32_t by_warps = model->core_warps / warps, by_threads = core_threads / (threads ? threads : 1);
	return by_warps < by_threads ? by_warps : by_threads;
}

/* Threads of a work-group, at most, as .maxntid or .reqntid says; 0: neither does. */
static uint64_t most_threads(const struct ptx_function *entry)
{
	uint64_t threads = 1;
	if (!entry->max_threads[0] && !entry->required_threads[0])
		return 0;
	for (int k = 0; k < 3; k++) {
		uint32_t most = entry->required_threads[0] ? entry->required_threads[k] : entry->max_threads[k];
		threads *= most ? most : 1;
	}
	return threads;
}

/* What .maxntid and .minnctapersm promise, the compiler has to keep: so many threads fit on this core at once. */
static uint32_t promised_registers(const struct gpu_model *model, const struct ptx_function *entry, uint32_t registers)
{
	uint64_t threads = most_threads(entry);
	if (!threads)
		return registers;
	uint64_t warps = (threads + model->warp_size - 1) / model->warp_size *
			 (entry->min_groups_per_core ? entry->min_groups_per_core : 1);
	uint64_t per_warp = model->core_registers / warps / model->register_unit * model->register_unit;
	uint64_t most = per_warp / model->warp_size;
	return most && most < registers ? (uint32_t)most : registers;
}

/* Registers of a core and of a thread, and the unit in which a thread gets them, on all targets that have setmaxnreg
 * (sm_90a and later).  ptxas reckons with these, so what it fixes does not depend on the GPU that is simulated. */
#define TARGET_REGISTERS 65536u
#define TARGET_THREAD_REGISTERS 256u
#define TARGET_UNIT 8u
#define TARGET_WARP 32u

/* What .minnctapersm with .maxntid or .reqntid leaves to each thread of the target; 0: they fix no number. */
static uint32_t target_registers(const struct ptx_function *entry)
{
	uint64_t warps = (most_threads(entry) + TARGET_WARP - 1) / TARGET_WARP * entry->min_groups_per_core;
	return warps ? (uint32_t)(TARGET_REGISTERS / TARGET_WARP / warps / TARGET_UNIT * TARGET_UNIT) : 0;
}

/* PTX ISA, setmaxnreg: without "a valid value of maximum number of per-thread registers" it may have no effect.  ptxas
 * 13 knows the value from .maxnreg, or from .minnctapersm with .maxntid or .reqntid; else it ignores setmaxnreg and
 * says so (C7508).  core.registers_override stands for its option -maxrregcount. */
uint32_t kernel_pool_registers(const struct gpu_model *model, const struct kernel *kernel)
{
	uint32_t bounds = target_registers(kernel->entry), most = kernel->entry->max_registers;
	if (!kernel->uses.register_pool)
		return 0;
	if (!most || (bounds && bounds < most))
		most = bounds;
	if (model->registers_override)
		most = model->registers_override;
	most = round_up(most, TARGET_UNIT);
	return most < TARGET_THREAD_REGISTERS ? most : TARGET_THREAD_REGISTERS;
}

static void limit(struct occupancy *occupancy, uint32_t groups, enum occupancy_limiter limiter)
{
	if (groups >= occupancy->groups_per_core)
		return;
	occupancy->groups_per_core = groups;
	occupancy->limiter = limiter;
}

/* What those cores hold that have less than the others, and so what the GPU holds. */
static void count_lesser_cores(
	struct occupancy *occupancy, const struct gpu_model *model, uint32_t threads, uint32_t warps)
{
	uint32_t groups = occupancy->groups_per_core;
	uint32_t by_threads = groups_by_threads(model, model->lesser_threads, threads, warps);
	uint32_t by_shared = occupancy->group_shared ? model->lesser_shared / occupancy->group_shared : UINT32_MAX;
	uint32_t lesser = by_threads < by_shared ? by_threads : by_shared;
	if (lesser > groups)
		lesser = groups;
	occupancy->groups_per_lesser_core = lesser;
	occupancy->groups =
		(uint64_t)groups * (model->core_count - model->lesser_cores) + (uint64_t)lesser * model->lesser_cores;
}

/* In `shared_bytes` is what is reserved if the kernel asks where that is; it is no part of what a group may have. */
static void limit_by_shared(
	struct occupancy *occupancy, const struct gpu_model *model, const struct kernel *kernel, uint32_t shared_bytes)
{
	uint32_t reserved = kernel->shared.reserved_bytes, more = reserved ? 0 : model->shared_reserved;
	uint32_t own = shared_bytes > reserved ? shared_bytes - reserved : 0;
	occupancy->group_shared = round_up(shared_bytes + more, model->shared_unit);
	if (own > model->group_shared) /* perhaps by so much that the sum has wrapped */
		limit(occupancy, 0, LIMIT_SHARED);
	else if (occupancy->group_shared)
		limit(occupancy, model->core_shared / occupancy->group_shared, LIMIT_SHARED);
}

struct occupancy kernel_occupancy(
	const struct gpu_model *model, const struct kernel *kernel, uint32_t threads, uint32_t shared_bytes)
{
	uint32_t warps = threads ? (threads + model->warp_size - 1) / model->warp_size : 1;
	uint32_t pool = kernel_pool_registers(model, kernel);
	uint32_t registers = model->registers_override ? model->registers_override
			     : pool                    ? pool
						       : kernel->registers_per_thread;
	struct occupancy occupancy = {.groups_per_core = UINT32_MAX};
	if (!model->registers_override) {
		registers = promised_registers(model, kernel->entry, registers);
		registers = registers < model->registers_max
				    ? registers
				    : model->registers_max; /* a compiler would spill the rest */
	}
	occupancy.registers_per_thread = registers;
	occupancy.group_registers = round_up(registers * model->warp_size, model->register_unit) * warps;
	bool is_too_large = threads > model->group_threads;
	limit(&occupancy, is_too_large ? 0 : groups_by_threads(model, model->core_threads, threads, warps),
		LIMIT_THREADS);
	limit(&occupancy, model->core_groups, LIMIT_GROUPS);
	limit(&occupancy, groups_by_registers(model, warps, registers), LIMIT_REGISTERS);
	limit_by_shared(&occupancy, model, kernel, shared_bytes);
	count_lesser_cores(&occupancy, model, threads, warps);
	return occupancy;
}
