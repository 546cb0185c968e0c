/* Modules: loading and unloading, their kernels and variables by name. */
#include "api/api.h"

#include "kernel/operand.h"
#include "util/demangle.h"
#include "util/text.h"

#include "util/pages.h"

#include <string.h>

static bool place_variable(struct lockstep_module *module, const struct ptx_variable *v, struct lockstep_error *error)
{
	struct address_space *space = &module->lockstep->gpu.space;

	if (v->space != space_GLOBAL && v->space != space_CONST)
		return true;
	uint64_t address = space_allocate(space, v->size ? v->size : 1, arena_text(&module->lockstep->arena, v->name));
	if (!address)
		return api_fail_with(error,
			"%s:%u:%u: no room for variable %s of %llu bytes in %llu bytes of global memory", v->place.file,
			v->place.line, v->place.column, v->name, (unsigned long long)v->size,
			(unsigned long long)space->size);
	module->addresses[v->index] = address;
	if (v->data)
		memcpy(space_host(space, address), v->data, v->size);
	if (v->space == space_CONST) {
		space_set_constant(space, address);
		if (!module->constant_first)
			module->constant_first = address;
		module->constant_end = address + (v->size ? v->size : 1);
	}
	return true;
}

/* Initialisers that are addresses, once all variables have theirs. */
static void relocate(struct lockstep_module *module, const struct ptx_variable *v)
{
	for (uint32_t k = 0; k < v->relocation_count; k++) {
		const struct ptx_relocation *r = &v->relocations[k];
		uint64_t value =
			r->variable ? module->addresses[r->variable->index] : kernel_function_address(r->function);
		char *at = (char *)space_host(&module->lockstep->gpu.space, module->addresses[v->index]) + r->offset;

		value = (value + (uint64_t)r->addend) & r->mask;
		if (r->mask != UINT64_MAX)
			value >>= __builtin_ctzll(r->mask ? r->mask : 1);
		memcpy(at, &value, r->bytes);
	}
}

/* The GPUs of gpus/ with lock bits, by name. */
static const char *gpus_with_lock_bits(struct arena *arena)
{
	struct text names = {.arena = arena};
	size_t count;
	const char *const *name = model_names(&count);

	for (size_t k = 0; k < count; k++) {
		const struct gpu_model *model = model_load(arena, name[k], NULL, &(struct diagnostic){0});

		if (model && model->shared_lock_bits)
			text_print(&names, "%s%s", names.length ? ", " : "", name[k]);
	}
	return names.at;
}

static bool needs_lock_bits(const struct ptx_function *f)
{
	for (uint32_t k = 0; k < f->code.count; k++)
		if (instruction_kind(&f->code.at[k]) == INSN_LOAD_LOCK ||
			instruction_kind(&f->code.at[k]) == INSN_STORE_UNLOCK)
			return true;
	return false;
}

/* Loads all models, which takes its time: only for modules that need lock bits. */
static void find_no_lock_bits(struct lockstep_module *module)
{
	const struct gpu_model *model = module->lockstep->gpu.model;
	bool needs = false;

	for (uint32_t k = 0; !model->shared_lock_bits && k < module->ptx->functions.count && !needs; k++)
		needs = needs_lock_bits(module->ptx->functions.at[k]);
	if (needs)
		module->no_lock_bits = arena_printf(&module->arena,
			"GPU %s has no lock bits; expected one that has (%s), or --set shared.lock_bits=1024",
			model->name, gpus_with_lock_bits(&module->arena));
}

/* False: the text is wrong, or there is no room. */
static bool build_module(
	struct lockstep_module *module, const char *name, const char *text, struct lockstep_error *error)
{
	struct diagnostic diagnostic = {0};
	struct arena *arena = &module->arena;

	module->ptx = ptx_parse(arena, arena_text(arena, name), arena_text(arena, text), &diagnostic);
	if (!module->ptx)
		return api_fail(error, &diagnostic);
	find_no_lock_bits(module);
	module->addresses = arena_new_array(arena, uint64_t, module->ptx->variables.count + 1);
	for (uint32_t pass = 0; pass < 2; pass++) /* constants first, so that nothing else lies among them */
		for (uint32_t k = 0; k < module->ptx->variables.count; k++)
			if ((module->ptx->variables.at[k]->space == space_CONST) == !pass &&
				!place_variable(module, module->ptx->variables.at[k], error))
				return false;
	for (uint32_t k = 0; k < module->ptx->variables.count; k++)
		relocate(module, module->ptx->variables.at[k]);
	for (uint32_t k = 0; k < module->ptx->functions.count;
		k++) { /* a kernel that is only declared has nothing to run */
		const struct ptx_function *f = module->ptx->functions.at[k];

		if (f->is_entry && f->is_defined)
			*vector_push(arena, &module->kernels) = f;
	}
	module->decoded = arena_new_array(arena, struct decoded, module->kernels.count + 1);
	return true;
}

struct lockstep_module *lockstep_load(
	struct lockstep *lockstep, const char *name, const char *text, struct lockstep_error *error)
{
	struct arena arena = {0};
	bool apart = pages_apart(false);
	struct lockstep_module *module = arena_new(&arena, struct lockstep_module), **place = NULL;
	bool good;

	module->arena = arena;
	module->lockstep = lockstep;
	good = build_module(module, name, text, error);
	pages_apart(apart);
	if (!good) {
		lockstep_unload(module);
		return NULL;
	}
	module->origin = api_origin(lockstep, text, module->ptx->target);
	for (uint32_t k = 0; k < lockstep->modules.count && !place; k++)
		place = lockstep->modules.at[k] ? NULL : &lockstep->modules.at[k];
	if (!place)
		place = vector_push(&lockstep->arena, &lockstep->modules);
	return *place = module;
}

void api_free_module(struct lockstep_module *module)
{
	struct arena arena = module ? module->arena : (struct arena){0}; /* the module lies in it */

	arena_free(&arena);
}

void lockstep_unload(struct lockstep_module *module)
{
	if (!module)
		return;
	struct lockstep *lockstep = module->lockstep;
	for (uint32_t k = 0; module->addresses && k < module->ptx->variables.count; k++) {
		uint64_t address = module->addresses[module->ptx->variables.at[k]->index];

		if (address) {
			image_bind(&lockstep->gpu.images, address, NULL);
			space_free(&lockstep->gpu.space, address);
		}
	}
	for (uint32_t k = 0; k < lockstep->modules.count; k++)
		if (lockstep->modules.at[k] == module)
			lockstep->modules.at[k] = NULL;
	if (module->ptx)
		parts_forget(lockstep, module->ptx);
	api_free_module(module);
}

const char *lockstep_target(const struct lockstep_module *module)
{
	return module->ptx->target;
}

size_t lockstep_kernel_count(const struct lockstep_module *module)
{
	return module->kernels.count;
}

const char *lockstep_kernel_name(const struct lockstep_module *module, size_t k)
{
	return k < module->kernels.count ? module->kernels.at[k]->name : NULL;
}

const struct ptx_function *api_find_kernel(const struct lockstep_module *module, const char *name, size_t *index)
{
	for (size_t k = 0; k < module->kernels.count; k++)
		if (!strcmp(module->kernels.at[k]->name, name)) {
			*index = k;
			return module->kernels.at[k];
		}
	return NULL;
}

const char *lockstep_kernel_demangled(struct lockstep_module *module, const char *kernel)
{
	return demangle(&module->arena, kernel, true);
}

bool lockstep_kernel_parameter(
	const struct lockstep_module *module, const char *kernel, size_t k, struct lockstep_parameter *parameter)
{
	size_t index;
	const struct ptx_function *f = api_find_kernel(module, kernel, &index);

	if (!f || k >= f->signature.parameter_count)
		return false;
	const struct ptx_variable *v = f->signature.parameters[k];
	*parameter = (struct lockstep_parameter){.name = v->name,
		.type = ptx_types[v->type].text,
		.size = v->size,
		.align = v->align,
		.offset = v->offset};
	return true;
}

bool lockstep_symbol(
	struct lockstep *lockstep, struct lockstep_module *module, const char *name, uint64_t *address, size_t *bytes)
{
	(void)lockstep;
	for (uint32_t k = 0; k < module->ptx->variables.count; k++) {
		const struct ptx_variable *v = module->ptx->variables.at[k];

		if (strcmp(v->name, name) || !module->addresses[v->index])
			continue;
		*address = module->addresses[v->index];
		*bytes = v->size;
		return true;
	}
	return false;
}

size_t lockstep_global_bytes(const struct lockstep_module *module)
{
	size_t bytes = 0;

	for (uint32_t k = 0; k < module->ptx->variables.count; k++)
		if (module->ptx->variables.at[k]->space == space_GLOBAL)
			bytes += module->ptx->variables.at[k]->size;
	return bytes;
}
