/* A kernel decoded for the GPU, and what it needs of a core. */
#include "api/api.h"

#include <string.h>

const char *api_refusal(struct lockstep_module *module, size_t index)
{
	struct decoded *d = &module->decoded[index];

	if (!d->was_asked)
		d->refusal =
			kernel_refusal(&module->arena, module->ptx, module->kernels.at[index], module->no_lock_bits);
	d->was_asked = true;
	return d->refusal;
}

const char *lockstep_kernel_refusal(struct lockstep_module *module, const char *name)
{
	size_t index;

	return api_find_kernel(module, name, &index) ? api_refusal(module, index) : NULL;
}

const struct decoded *api_decode(struct lockstep_module *module, size_t index, struct lockstep_error *error)
{
	struct lockstep *lockstep = module->lockstep;
	struct decoded *d = &module->decoded[index];
	struct diagnostic diagnostic = {0};

	if (d->kernel)
		return d;
	if (api_refusal(module, index)) {
		api_fail_with(error, "%s", d->refusal);
		return NULL;
	}
	const struct kernel *kernel = kernel_decode(
		&module->arena, module->ptx, module->kernels.at[index], lockstep->gpu.model->warp_size, &diagnostic);
	if (!kernel) {
		api_fail(error, &diagnostic);
		return NULL;
	}
	d->constants = kernel->constants;
	for (uint32_t k = 0; k < kernel->variable_address_count; k++) {
		const struct variable_address *v = &kernel->variable_addresses[k];
		uint64_t address = module->addresses[v->variable->index] + (uint64_t)v->addend;

		for (uint32_t l = 0; l < kernel->lanes; l++)
			if (v->bytes == 8)
				((uint64_t *)(d->constants + v->word))[l] = address;
			else
				d->constants[v->word + l] = (uint32_t)address;
	}
	d->kernel = kernel;
	return d;
}

uint64_t api_most_threads(const struct ptx_function *f)
{
	const uint32_t *most = f->max_threads;

	return most[0] ? most[0] * (uint64_t)(most[1] ? most[1] : 1) * (most[2] ? most[2] : 1) : UINT64_MAX;
}

/* The largest work-group that fits a core, of whole warps unless .maxntid is smaller than what fits. */
static uint32_t largest_group(const struct gpu_model *model, const struct kernel *kernel)
{
	uint32_t threads = model->group_threads / model->warp_size * model->warp_size;
	uint64_t most = api_most_threads(kernel->entry);

	while (threads && !kernel_occupancy(model, kernel, threads, kernel->shared.static_bytes).groups_per_core)
		threads -= model->warp_size;
	return most < threads ? (uint32_t)most : threads;
}

/* Does it read %tid or %ntid? */
static bool reads_threads(const struct kernel *kernel)
{
	bool reads = false;

	for (uint32_t k = 0; k < kernel->warp_constant_count; k++)
		reads |= kernel->warp_constants[k].special == SPECIAL_TID;
	for (uint32_t k = 0; k < kernel->launch_constant_count; k++)
		reads |= kernel->launch_constants[k].special == SPECIAL_NTID;
	for (uint32_t pc = 0; pc < kernel->code_count && !reads; pc++)
		reads = kernel->code[pc].inserted == INSERTED_SPECIAL && kernel->code[pc].special == SPECIAL_TID;
	return reads;
}

static const struct decoded *decode_named(
	struct lockstep_module *module, const char *name, struct lockstep_error *error)
{
	size_t index;

	if (api_find_kernel(module, name, &index))
		return api_decode(module, index, error);
	api_fail_with(error, "%s: no kernel '%s'", module->ptx->file, name);
	return NULL;
}

bool lockstep_kernel_needs(
	struct lockstep_module *module, const char *name, struct lockstep_needs *needs, struct lockstep_error *error)
{
	const struct gpu_model *model = module->lockstep->gpu.model;
	const struct decoded *d = decode_named(module, name, error);

	if (!d)
		return false;
	struct lockstep_needs own = {
		.size = sizeof own,
		.registers_per_thread = kernel_occupancy(model, d->kernel, model->warp_size, 0).registers_per_thread,
		.shared_bytes = d->kernel->shared.static_bytes,
		.shared_first = d->kernel->shared.first,
		.dynamic_offset = d->kernel->shared.dynamic,
		.local_bytes = d->kernel->stack_bytes,
		.group_threads = largest_group(model, d->kernel),
		.reads_threads = reads_threads(d->kernel),
		.ignores_setmaxnreg = d->kernel->uses.register_pool && !kernel_pool_registers(model, d->kernel),
	};
	memcpy(own.required, d->kernel->entry->required_threads, sizeof own.required);
	if (d->kernel->entry->required_cluster[0])
		api_cluster(&(struct lockstep_launch){.firmware = false}, d->kernel->entry, own.cluster);
	return api_give(needs, &own, sizeof own, "lockstep_needs", error);
}

bool lockstep_kernel_occupancy(struct lockstep_module *module, const char *name, uint32_t threads, size_t shared_bytes,
	struct lockstep_occupancy *occupancy, struct lockstep_error *error)
{
	const struct gpu_model *model = module->lockstep->gpu.model;
	const struct decoded *d = decode_named(module, name, error);
	struct lockstep_occupancy own = {.size = sizeof own};

	if (!d)
		return false;
	shared_bytes += d->kernel->shared.static_bytes;
	if (threads && threads <= model->group_threads && shared_bytes <= model->group_shared) {
		struct occupancy o = kernel_occupancy(model, d->kernel, threads, (uint32_t)shared_bytes);

		own.groups_per_core = o.groups_per_core;
		own.groups = o.groups;
	}
	return api_give(occupancy, &own, sizeof own, "lockstep_occupancy", error);
}

uint32_t api_shared_bytes(const struct kernel *kernel, uint32_t dynamic)
{
	uint64_t total = dynamic ? (uint64_t)kernel->shared.dynamic - kernel->shared.first + dynamic
				 : kernel->shared.static_bytes;
	return total < UINT32_MAX ? (uint32_t)total : UINT32_MAX;
}
