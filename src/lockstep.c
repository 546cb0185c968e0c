/* The public interface (include/lockstep.h) over the machine. */
#include "lockstep.h"

#include "check/lint.h"
#include "check/verdict.h"
#include "kernel/kernel.h"
#include "machine/gpu.h"
#include "machine/lsu/texel.h"
#include "machine/search.h"
#include "machine/observe/show.h"
#include "machine/observe/spinning.h"
#include "machine/observe/timeline.h"
#include "machine/state_graph.h"
#include "policy/policy.h"
#include "policy/schedule/fields.h"
#include "ptx/module.h"
#include "report/trace.h"
#include "util/arena.h"
#include "util/text.h"
#include "util/vector.h"
#include "warp/warp.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

/* A kernel decoded for this GPU, with its constants' addresses filled in. */
struct decoded {
	const struct kernel *kernel;
	uint32_t *constants;
};

struct lockstep_module {
	struct arena arena;               /* all that belongs to it */
	struct lockstep *gpu;
	struct ptx_module *ptx;
	uint64_t *addresses;              /* per module variable (index): global address, 0 for shared ones */
	uint64_t constant_first, constant_end; /* the .const variables lie side by side */
	VECTOR(const struct ptx_function *) kernels;
	struct decoded *decoded;          /* per kernel, made when first launched */
};

struct lockstep {
	struct arena arena;
	struct gpu machine;
	const char **sources;             /* per model field */
	VECTOR(struct lockstep_field) scheduler_fields;
	VECTOR(struct lockstep_module *) modules; /* null: unloaded */
	VECTOR(struct started *) running; /* those that have not ended, some of them not begun */
	VECTOR(struct started *) results; /* of those that have ended and are not forgotten */
	VECTOR(const struct lockstep_result *) early; /* ended within lockstep_run and not returned yet, from early_first on */
	uint32_t early_first;
	struct timespec last_end;         /* of a launch, by the host's clock */
	struct schedule_list schedule;
	struct trace *trace;
	struct timeline_sink sink;
	bool *trace_named;                /* per core */
	struct show_target show;
};

/* A started launch: what is known of its result, all when it has ended. */
struct started {
	struct lockstep_result result;
	struct arena arena;            /* all that belongs to it */
	const struct kernel *kernel;
	struct timespec start;
	struct search_outcome search;
};

static bool fail(struct lockstep_error *error, const struct report *report)
{
	snprintf(error->message, sizeof error->message, "%s", report->message);
	return false;
}

__attribute__((format(printf, 2, 3))) static bool fail_with(struct lockstep_error *error, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	vsnprintf(error->message, sizeof error->message, format, list);
	va_end(list);
	return false;
}

/* --- Timeline --- */

static void draw(void *context, const struct timeline_event *e)
{
	static const enum trace_wait waits[] = { [TIMELINE_BARRIER] = TRACE_BARRIER, [TIMELINE_LOCK_HELD] = TRACE_LOCK_HELD,
						 [TIMELINE_LOCK_WAITING] = TRACE_LOCK_WAITING };
	struct lockstep *gpu = context;
	char name[64], address[24];
	struct trace_argument arguments[2] = { { .name = "work-group", .number = e->group } };

	if (!gpu->trace)
		return; /* the file is complete: the process ends */
	if (!gpu->trace_named[e->core]) {
		gpu->trace_named[e->core] = true;
		trace_core(gpu->trace, e->core, gpu->machine.model->schedulers);
	}
	snprintf(name, sizeof name, "warp %u", e->warp);
	if (e->kind == TIMELINE_ISSUE) {
		arguments[1] = (struct trace_argument){ .name = "instructions", .number = e->detail };
		trace_slice(gpu->trace, e->core, e->lane, name, e->start, e->end, arguments, 2);
		return;
	}
	snprintf(address, sizeof address, "0x%llx", (unsigned long long)e->detail);
	arguments[1] = (struct trace_argument){ .name = "address", .text = address };
	trace_span(gpu->trace, e->core, waits[e->kind], e->lane, name, e->start, e->end, arguments, e->kind == TIMELINE_BARRIER ? 1 : 2);
}

/* --- Opening --- */

static bool choose_policies(struct gpu *machine, struct report *report)
{
	const struct gpu_model *model = machine->model;

	machine->scheduler = scheduler_find(model->scheduler, report);
	machine->divergence = report->failed ? NULL : divergence_find(model->divergence, report);
	machine->coherence = report->failed ? NULL : coherence_find(model->coherence, report);
	machine->dispatcher = report->failed ? NULL : dispatch_find(model->dispatch, report);
	machine->spin = report->failed ? NULL : spin_find(model->spin, report);
	machine->backoff = report->failed ? NULL : backoff_find(model->backoff, report);
	machine->lock = report->failed ? NULL : lock_find(model->lock, report);
	machine->retry = report->failed ? NULL : retry_find(model->retry, report);
	return !report->failed && spinning_check(machine, report);
}

/* The hostile build makes every queue and cache as small as it can be, so that all of them overflow all the time. */
static bool be_hostile(struct lockstep *gpu, struct report *report)
{
#if LOCKSTEP_HOSTILE
	static const char *const settings[] = { "l1.sets=2", "l1.ways=1", "l1.mshrs=2", "l1.merges=1", "l1.queue=1", "lsu.queue=1", "l2.sets=2",
						"l2.ways=2", "l2.mshrs=2", "l2.merges=1", "dram.queue=2", "independent.interval=1",
						"policy.scheduler=random" };

	for (size_t k = 0; k < sizeof settings / sizeof *settings; k++)
		if (!model_set(&gpu->arena, gpu->machine.model, settings[k], report))
			return false;
#endif
	(void)gpu;
	(void)report;
	return true;
}

static bool choose_schedule(struct lockstep *gpu, const struct lockstep_options *options, struct report *report)
{
	struct gpu *machine = &gpu->machine;

	if (!options->schedule)
		return true;
	if (!machine->dispatcher->owes) {
		report_error(report, (struct place){ 0 }, "a schedule is for a progress model, dispatch policy 'obe' for instance, not for '%s'",
			     machine->dispatcher->name);
		return false;
	}
	machine->schedule_list = &gpu->schedule;
	return schedule_list_read(&gpu->arena, options->schedule, &gpu->schedule, report);
}

/* The scheduler's own fields: set, and kept for lockstep_configuration. */
static bool set_scheduler(struct lockstep *gpu, const char *const *settings, struct report *report)
{
	struct gpu *machine = &gpu->machine;
	const struct warp_scheduler *s = machine->scheduler;
	const uint32_t *values = schedule_read_fields(&gpu->arena, s, settings, report);

	for (uint32_t k = 0; values && s->fields && s->fields[k].name; k++) {
		const struct schedule_field *f = &s->fields[k];

		*vector_push(&gpu->arena, &gpu->scheduler_fields) =
			(struct lockstep_field){ .path = arena_printf(&gpu->arena, "%s.%s", s->name, f->name), .unit = f->unit, .meaning = f->meaning,
						 .source = "of the scheduler itself", .number = values[k] };
	}
	machine->scheduler_fields = values;
	return values;
}

static bool configure(struct lockstep *gpu, const struct lockstep_options *options, struct report *report)
{
	struct gpu *machine = &gpu->machine;

	for (size_t k = 0; options->plugins && options->plugins[k]; k++)
		if (!plugin_load(options->plugins[k], report))
			return false;
	machine->model = model_load(&gpu->arena, options->gpu ? options->gpu : "gtx480", &gpu->sources, report);
	if (!machine->model || !be_hostile(gpu, report))
		return false;
	for (size_t k = 0; options->settings && options->settings[k]; k++)
		if (!schedule_owns(options->settings[k]) && !model_set(&gpu->arena, machine->model, options->settings[k], report))
			return false;
	if (!model_check(machine->model, report) || !choose_policies(machine, report) || !choose_schedule(gpu, options, report))
		return false;
	if (!set_scheduler(gpu, options->settings, report))
		return false;
	if (options->trace) {
		gpu->trace = trace_open(&gpu->arena, options->trace, report);
		gpu->trace_named = arena_new_array(&gpu->arena, bool, machine->model->core_count);
		gpu->sink = (struct timeline_sink){ .context = gpu, .event = draw };
		machine->observe[OBSERVER_timeline] = &gpu->sink;
	}
	if (options->show) {
		gpu->show = (struct show_target){ .group = options->show->group, .warp = options->show->warp };
		machine->observe[OBSERVER_show] = &gpu->show;
	}
	return !report->failed;
}

struct lockstep *lockstep_open(const struct lockstep_options *options, struct lockstep_error *error)
{
	struct arena arena = { 0 };
	struct lockstep *gpu = arena_new(&arena, struct lockstep);
	struct report report = { 0 };
	struct gpu *machine = &gpu->machine;

	gpu->arena = arena;
	kernel_set_exec_lookup(warp_exec_lookup);
	machine->arena = &gpu->arena;
	machine->seed = options->seed;
	machine->threads = options->threads ? options->threads : 1;
	machine->max_cycles = options->max_cycles;
	machine->interrupt = options->interrupt;
	machine->drops_faults = options->on_fault == LOCKSTEP_CONTINUE;
	machine->hang_after = options->hang_after ? options->hang_after : LOCKSTEP_HANG_AFTER;
	machine->explain = verdict_give;
	if (options->explain_limit != LOCKSTEP_EXPLAIN_NEVER)
		machine->explain_seconds = (double)(options->explain_limit ? options->explain_limit : LOCKSTEP_EXPLAIN_LIMIT);
	machine->keeps_start = machine->explain_seconds > 0;
	machine->pause_when_stuck = options->pause_when_stuck;
	machine->functional = options->mode == LOCKSTEP_FUNCTIONAL;
	machine->progress = options->progress;
	machine->progress_context = options->progress_context;
	machine->print = options->print;
	machine->print_context = options->print_context;
	if (!configure(gpu, options, &report)) {
		fail(error, &report);
		lockstep_close(gpu);
		return NULL;
	}
	space_create(&machine->space, &gpu->arena, (uint64_t)machine->model->memory_megabytes << 20);
	machine->heap.bytes = machine->model->heap_bytes;
	machine->images.arena = &gpu->arena;
	gpu_create(machine);
	return gpu;
}

bool lockstep_end_trace(struct lockstep *gpu, struct lockstep_error *error)
{
	struct report report = { 0 };
	struct trace *trace = gpu->trace;

	gpu->trace = NULL;
	return !trace || trace_close(trace, &report) || fail(error, &report);
}

static void free_module(struct lockstep_module *module)
{
	struct arena arena;

	if (!module)
		return;
	arena = module->arena; /* the module lies in it */
	arena_free(&arena);
}

static void free_started(struct started *started)
{
	struct arena arena = started->arena; /* it lies in it */

	arena_free(&arena);
}

void lockstep_close(struct lockstep *gpu)
{
	struct lockstep_error ignored;
	struct arena arena;

	if (!gpu)
		return;
	lockstep_end_trace(gpu, &ignored);
	if (gpu->machine.partition_arenas)
		gpu_destroy(&gpu->machine);
	for (uint32_t k = 0; k < gpu->running.count; k++)
		free_started(gpu->running.at[k]);
	for (uint32_t k = 0; k < gpu->results.count; k++)
		free_started(gpu->results.at[k]);
	for (uint32_t k = 0; k < gpu->modules.count; k++)
		free_module(gpu->modules.at[k]);
	arena = gpu->arena; /* gpu lies in it */
	arena_free(&arena);
}

/* --- Modules --- */

static bool place_variable(struct lockstep_module *module, const struct ptx_variable *v, struct lockstep_error *error)
{
	struct address_space *space = &module->gpu->machine.space;
	uint64_t address;

	if (v->space != space_GLOBAL && v->space != space_CONST)
		return true;
	address = space_allocate(space, v->size ? v->size : 1, arena_copy(&module->gpu->arena, v->name, strlen(v->name)));
	if (!address)
		return fail_with(error, "%s:%u:%u: no room for variable %s of %llu bytes in %llu bytes of global memory", v->place.file, v->place.line,
				 v->place.column, v->name, (unsigned long long)v->size, (unsigned long long)space->size);
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
		uint64_t value = r->variable ? module->addresses[r->variable->index] : kernel_function_address(r->function);
		char *at = (char *)space_host(&module->gpu->machine.space, module->addresses[v->index]) + r->offset;

		value = (value + (uint64_t)r->addend) & r->mask;
		if (r->mask != UINT64_MAX)
			value >>= __builtin_ctzll(r->mask ? r->mask : 1);
		memcpy(at, &value, r->bytes);
	}
}

/* False: the text is wrong, or there is no room. */
static bool build_module(struct lockstep_module *module, const char *name, const char *text, struct lockstep_error *error)
{
	struct report report = { 0 };
	struct arena *arena = &module->arena;

	module->ptx = ptx_parse(arena, arena_copy(arena, name, strlen(name)), arena_copy(arena, text, strlen(text)), &report);
	if (!module->ptx)
		return fail(error, &report);
	module->addresses = arena_new_array(arena, uint64_t, module->ptx->variables.count + 1);
	for (uint32_t pass = 0; pass < 2; pass++) /* constants first, so that nothing else lies among them */
		for (uint32_t k = 0; k < module->ptx->variables.count; k++)
			if ((module->ptx->variables.at[k]->space == space_CONST) == !pass &&
			    !place_variable(module, module->ptx->variables.at[k], error))
				return false;
	for (uint32_t k = 0; k < module->ptx->variables.count; k++)
		relocate(module, module->ptx->variables.at[k]);
	for (uint32_t k = 0; k < module->ptx->functions.count; k++) { /* a kernel that is only declared has nothing to run */
		const struct ptx_function *f = module->ptx->functions.at[k];

		if (f->is_entry && f->is_defined)
			*vector_push(arena, &module->kernels) = f;
	}
	module->decoded = arena_new_array(arena, struct decoded, module->kernels.count + 1);
	return true;
}

struct lockstep_module *lockstep_load(struct lockstep *gpu, const char *name, const char *text, struct lockstep_error *error)
{
	struct arena arena = { 0 };
	struct lockstep_module *module = arena_new(&arena, struct lockstep_module), **place = NULL;

	module->arena = arena;
	module->gpu = gpu;
	if (!build_module(module, name, text, error)) {
		lockstep_unload(module);
		return NULL;
	}
	for (uint32_t k = 0; k < gpu->modules.count && !place; k++)
		place = gpu->modules.at[k] ? NULL : &gpu->modules.at[k];
	if (!place)
		place = vector_push(&gpu->arena, &gpu->modules);
	return *place = module;
}

void lockstep_unload(struct lockstep_module *module)
{
	struct lockstep *gpu;

	if (!module)
		return;
	gpu = module->gpu;
	for (uint32_t k = 0; module->ptx && k < module->ptx->variables.count; k++)
		if (module->addresses[module->ptx->variables.at[k]->index]) {
			image_bind(&gpu->machine.images, module->addresses[module->ptx->variables.at[k]->index], NULL);
			space_free(&gpu->machine.space, module->addresses[module->ptx->variables.at[k]->index]);
		}
	for (uint32_t k = 0; k < gpu->modules.count; k++)
		if (gpu->modules.at[k] == module)
			gpu->modules.at[k] = NULL;
	free_module(module);
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

static const struct ptx_function *find_kernel(const struct lockstep_module *module, const char *name, size_t *index)
{
	for (size_t k = 0; k < module->kernels.count; k++)
		if (!strcmp(module->kernels.at[k]->name, name)) {
			*index = k;
			return module->kernels.at[k];
		}
	return NULL;
}

bool lockstep_kernel_parameter(const struct lockstep_module *module, const char *kernel, size_t k, size_t *size, size_t *align, size_t *offset)
{
	size_t index;
	const struct ptx_function *f = find_kernel(module, kernel, &index);

	if (!f || k >= f->signature.parameter_count)
		return false;
	*size = f->signature.parameters[k]->size;
	*align = f->signature.parameters[k]->align;
	*offset = f->signature.parameters[k]->offset;
	return true;
}

bool lockstep_symbol(struct lockstep *gpu, struct lockstep_module *module, const char *name, uint64_t *address, size_t *bytes)
{
	(void)gpu;
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

/* --- Memory --- */

uint64_t lockstep_allocate(struct lockstep *gpu, size_t bytes, const char *name)
{
	return space_allocate(&gpu->machine.space, bytes, name ? arena_copy(&gpu->arena, name, strlen(name)) : NULL);
}

bool lockstep_free(struct lockstep *gpu, uint64_t address)
{
	return space_free(&gpu->machine.space, address);
}

uint64_t lockstep_register(struct lockstep *gpu, void *host, size_t bytes, const char *name)
{
	return space_share(&gpu->machine.space, host, bytes, name);
}

bool lockstep_unregister(struct lockstep *gpu, uint64_t address)
{
	return space_unshare(&gpu->machine.space, address);
}

void *lockstep_map(struct lockstep *gpu, uint64_t address, size_t bytes)
{
	return space_find(&gpu->machine.space, address, bytes) ? space_host(&gpu->machine.space, address) : NULL;
}

bool lockstep_write(struct lockstep *gpu, uint64_t address, const void *host, size_t bytes, struct lockstep_error *error)
{
	void *to = lockstep_map(gpu, address, bytes);

	if (!to)
		return fail_with(error, "write of %zu bytes at 0x%llx: not within one allocation", bytes, (unsigned long long)address);
	memcpy(to, host, bytes);
	return true;
}

bool lockstep_read(struct lockstep *gpu, void *host, uint64_t address, size_t bytes, struct lockstep_error *error)
{
	const void *from = lockstep_map(gpu, address, bytes);

	if (!from)
		return fail_with(error, "read of %zu bytes at 0x%llx: not within one allocation", bytes, (unsigned long long)address);
	memcpy(host, from, bytes);
	return true;
}

void lockstep_fill(const struct lockstep *gpu, void *to, size_t bytes, const void *pattern, size_t pattern_bytes)
{
	space_fill(&gpu->machine.space, to, bytes, pattern, pattern_bytes);
}

/* --- Images --- */

uint64_t lockstep_image_create(struct lockstep *gpu, const struct lockstep_image *image, struct lockstep_error *error)
{
	const char *problem = image_problem(&gpu->machine.space, image);

	if (problem) {
		fail_with(error, "%s", problem);
		return 0;
	}
	return image_create(&gpu->machine.images, image);
}

bool lockstep_image_destroy(struct lockstep *gpu, uint64_t handle)
{
	return image_destroy(&gpu->machine.images, handle);
}

static const struct ptx_variable *find_reference(const struct lockstep_module *module, const char *name)
{
	for (uint32_t k = 0; k < module->ptx->variables.count; k++)
		if (module->ptx->variables.at[k]->opaque && !strcmp(module->ptx->variables.at[k]->name, name))
			return module->ptx->variables.at[k];
	return NULL;
}

bool lockstep_image_bind(struct lockstep *gpu, struct lockstep_module *module, const char *name, const struct lockstep_image *image,
	struct lockstep_error *error)
{
	const struct ptx_variable *v = find_reference(module, name);
	const char *problem = image ? image_problem(&gpu->machine.space, image) : NULL;

	if (!v || (image && (v->opaque == OPAQUE_TEXTURE) != (image->use == LOCKSTEP_TEXTURE)))
		return fail_with(error, "%s: no %s reference '%s'", module->ptx->file,
				 !image ? "image" : image->use == LOCKSTEP_TEXTURE ? "texture" : "surface", name);
	if (problem)
		return fail_with(error, "%s", problem);
	image_bind(&gpu->machine.images, module->addresses[v->index], image);
	return true;
}

void lockstep_image_texel(const struct lockstep_image *image, const uint32_t component[4], void *texel)
{
	uint8_t bytes[TEXEL_BYTES];

	texel_write(image, component, bytes);
	memcpy(texel, bytes, image_texel_bytes(image));
}

const struct lockstep_image *lockstep_image(const struct lockstep *gpu, uint64_t handle)
{
	return image_find(&gpu->machine.images, handle);
}

/* --- Launching --- */

static const struct decoded *decode(struct lockstep_module *module, size_t index, struct lockstep_error *error)
{
	struct lockstep *gpu = module->gpu;
	struct decoded *d = &module->decoded[index];
	struct report report = { 0 };
	const struct kernel *kernel;

	if (d->kernel)
		return d;
	kernel = kernel_decode(&module->arena, module->ptx, module->kernels.at[index], gpu->machine.model->warp_size, &report);
	if (!kernel) {
		fail(error, &report);
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

/* What .maxntid allows, the product of its dimensions; UINT64_MAX when there is none. */
static uint64_t most_threads(const struct ptx_function *f)
{
	const uint32_t *most = f->max_threads;

	return most[0] ? most[0] * (uint64_t)(most[1] ? most[1] : 1) * (most[2] ? most[2] : 1) : UINT64_MAX;
}

/* The largest work-group that fits a core, of whole warps unless .maxntid is smaller than what fits. */
static uint32_t largest_group(const struct gpu_model *model, const struct kernel *kernel)
{
	uint32_t threads = model->group_threads / model->warp_size * model->warp_size;
	uint64_t most = most_threads(kernel->entry);

	while (threads && !kernel_occupancy(model, kernel, threads, kernel->static_shared_bytes).groups_per_core)
		threads -= model->warp_size;
	return most < threads ? (uint32_t)most : threads;
}

bool lockstep_kernel_needs(struct lockstep_module *module, const char *name, struct lockstep_needs *needs, struct lockstep_error *error)
{
	const struct gpu_model *model = module->gpu->machine.model;
	const struct decoded *d;
	size_t index;
	const struct ptx_function *f = find_kernel(module, name, &index);

	if (!f)
		return fail_with(error, "%s: no kernel '%s'", module->ptx->file, name);
	d = decode(module, index, error);
	if (!d)
		return false;
	*needs = (struct lockstep_needs){
		.registers_per_thread = kernel_occupancy(model, d->kernel, model->warp_size, 0).registers_per_thread,
		.shared_bytes = d->kernel->static_shared_bytes, .shared_first = d->kernel->shared_first, .dynamic_offset = d->kernel->dynamic_shared_offset,
		.local_bytes = d->kernel->stack_bytes, .group_threads = largest_group(model, d->kernel),
	};
	memcpy(needs->required, f->required_threads, sizeof needs->required);
	return true;
}

bool lockstep_kernel_occupancy(struct lockstep_module *module, const char *name, uint32_t threads, size_t shared_bytes,
	struct lockstep_occupancy *occupancy, struct lockstep_error *error)
{
	const struct gpu_model *model = module->gpu->machine.model;
	const struct decoded *d;
	size_t index;

	if (!find_kernel(module, name, &index))
		return fail_with(error, "%s: no kernel '%s'", module->ptx->file, name);
	d = decode(module, index, error);
	if (!d)
		return false;
	*occupancy = (struct lockstep_occupancy){ 0 };
	shared_bytes += d->kernel->static_shared_bytes;
	if (threads && threads <= model->group_threads && shared_bytes <= model->group_shared) {
		struct occupancy o = kernel_occupancy(model, d->kernel, threads, (uint32_t)shared_bytes);

		*occupancy = (struct lockstep_occupancy){ .groups_per_core = o.groups_per_core, .groups = o.groups };
	}
	return true;
}

void lockstep_set_mode(struct lockstep *gpu, enum lockstep_mode mode)
{
	gpu->machine.functional = mode == LOCKSTEP_FUNCTIONAL;
}

bool lockstep_set_heap(struct lockstep *gpu, uint64_t bytes)
{
	if (gpu->machine.heap.blocks || bytes > UINT32_MAX)
		return false;
	gpu->machine.heap.bytes = bytes;
	return true;
}

static bool check_shape(const struct lockstep *gpu, const struct lockstep_launch *launch, const struct ptx_function *f, struct lockstep_error *error)
{
	const struct gpu_model *model = gpu->machine.model;
	uint64_t threads = 1, groups = 1;

	for (uint32_t k = 0; k < 3; k++) {
		if (!launch->grid[k] || !launch->block[k])
			return fail_with(error, "grid and block need at least 1 in every dimension");
		threads *= launch->block[k];
		groups *= launch->grid[k];
		if (threads > model->group_threads)
			return fail_with(error, "a work-group of %ux%ux%u threads is larger than the %u that %s allows (core.group_threads)",
					 launch->block[0], launch->block[1], launch->block[2], model->group_threads, model->name);
		if (groups > UINT32_MAX)
			return fail_with(error, "a grid of more than %u work-groups is not supported", UINT32_MAX);
		if (f->required_threads[0] && f->required_threads[k] && launch->block[k] != f->required_threads[k])
			return fail_with(error, "kernel %s requires work-groups of %ux%ux%u threads (.reqntid)", f->name, f->required_threads[0],
					 f->required_threads[1] ? f->required_threads[1] : 1, f->required_threads[2] ? f->required_threads[2] : 1);
	}
	if (threads > most_threads(f))
		return fail_with(error, "kernel %s allows work-groups of at most %llu threads (.maxntid)", f->name,
			(unsigned long long)most_threads(f));
	if (launch->parameter_bytes != f->parameter_bytes)
		return fail_with(error, "kernel %s takes %u bytes of parameters, %zu were given", f->name, f->parameter_bytes, launch->parameter_bytes);
	return true;
}

/* Static and dynamic shared memory of a work-group; the dynamic part begins at an aligned offset.  What is beyond 32 bits fits
 * no core, so UINT32_MAX stands for it. */
static uint32_t shared_bytes_of(const struct kernel *kernel, uint32_t dynamic)
{
	uint64_t total = dynamic ? (uint64_t)kernel->dynamic_shared_offset - kernel->shared_first + dynamic : kernel->static_shared_bytes;
	return total < UINT32_MAX ? (uint32_t)total : UINT32_MAX;
}

static struct launch_values values_of(const struct lockstep *gpu, struct arena *arena, const struct lockstep_launch *launch, const struct kernel *kernel)
{
	struct launch_values v = {
		.constant_first = launch->module->constant_first,
		.constant_bytes = launch->module->constant_end - launch->module->constant_first,
		.grid_id = gpu->machine.launches + 1, .dynamic_shared = launch->shared_bytes,
		.total_shared = shared_bytes_of(kernel, launch->shared_bytes), .core_count = gpu->machine.model->core_count,
		.warps_per_core = model_core_warps(gpu->machine.model, 0),
		.nanoseconds_numerator = 1000000, .nanoseconds_denominator = gpu->machine.model->clock_core,
		.parameter_bytes = (uint32_t)launch->parameter_bytes,
	};
	uint8_t *parameters = arena_alloc(arena, launch->parameter_bytes + 16);

	if (launch->parameter_bytes)
		memcpy(parameters, launch->parameters, launch->parameter_bytes);
	v.parameters = parameters;
	memcpy(v.grid, launch->grid, sizeof v.grid);
	memcpy(v.block, launch->block, sizeof v.block);
	memcpy(v.envreg, launch->envreg, sizeof v.envreg);
	return v;
}

/* --- Results --- */

static const char *limiter_name(enum occupancy_limiter limiter)
{
	static const char *const names[] = { [LIMIT_THREADS] = "threads", [LIMIT_GROUPS] = "groups", [LIMIT_REGISTERS] = "registers",
					     [LIMIT_SHARED] = "shared" };

	return names[limiter];
}

static const struct lockstep_counter counters[] = {
#define COUNTER(field, text, what, sense) { .name = text, .unit = what, .meaning = sense },
#include "machine/counters.def"
#include "memory/counters.def"
#include "machine/energy.def"
#undef COUNTER
};
#define COUNTER_COUNT (sizeof counters / sizeof *counters)

static void list_counters(struct arena *arena, struct lockstep_result *result, const struct gpu_result *r)
{
	struct lockstep_counter *list = arena_new_array(arena, struct lockstep_counter, COUNTER_COUNT), *next = list;

	memcpy(list, counters, sizeof counters);
#define COUNTER(field, text, what, sense) next++->value = r->counters.field;
#include "machine/counters.def"
#undef COUNTER
#define COUNTER(field, text, what, sense) next++->value = r->partition_counters.field;
#include "memory/counters.def"
#undef COUNTER
#define COUNTER(field, text, what, sense) next++->value = r->energy.field;
#include "machine/energy.def"
#undef COUNTER
	result->counters = list;
	result->counter_count = COUNTER_COUNT;
}

static void unflatten(uint32_t flat, const uint32_t size[3], uint32_t to[3])
{
	to[0] = flat % size[0];
	to[1] = flat / size[0] % size[1];
	to[2] = flat / size[0] / size[1];
}

/* What goes with a hang: its places, threads and addresses. */
static void add_detail(struct arena *arena, struct lockstep_finding *finding, const struct finding_detail *d, const struct lockstep_result *result,
		       const struct kernel *kernel)
{
	struct lockstep_line *lines = arena_new_array(arena, struct lockstep_line, FINDING_LINES);
	struct lockstep_thread *threads = arena_new_array(arena, struct lockstep_thread, FINDING_THREADS);

	for (uint32_t k = 0; k < d->line_count; k++) {
		struct place place = kernel_place(kernel, d->lines[k]);

		lines[k] = (struct lockstep_line){ .file = arena_copy(arena, place.file, strlen(place.file)), .line = place.line, .role = d->roles[k] };
	}
	for (uint32_t k = 0; k < d->thread_count; k++) {
		threads[k].state = d->threads[k].state;
		unflatten(d->threads[k].group, result->grid, threads[k].group);
		unflatten(d->threads[k].thread, result->block, threads[k].thread);
	}
	*finding = (struct lockstep_finding){ .kind = finding->kind, .certainty = d->proved ? "proved" : "suspected", .cause = finding->cause,
					      .message = d->message, .lines = lines, .line_count = d->line_count, .threads = threads,
					      .thread_count = d->thread_count, .addresses = d->addresses, .address_count = d->address_count,
					      .confirmed = d->confirmed, .count = 1 };
}

/* Where it was, and what. */
static const char *message_of(struct arena *arena, const struct lockstep_thread *t, struct place place, const char *what)
{
	return arena_printf(arena, "%s:%u: group (%u,%u,%u) thread (%u,%u,%u): %s", place.file, place.line, t->group[0], t->group[1], t->group[2],
			    t->thread[0], t->thread[1], t->thread[2], what);
}

static struct lockstep_finding finding_of(struct arena *arena, const struct lockstep_result *result, const struct finding *f, const struct kernel *kernel)
{
	struct lockstep_line *line = arena_new(arena, struct lockstep_line);
	struct lockstep_thread *thread = arena_new(arena, struct lockstep_thread);
	struct place place = kernel_place(kernel, f->pc);
	const char **address = arena_new_array(arena, const char *, 1);

	*line = (struct lockstep_line){ .file = place.file ? arena_copy(arena, place.file, strlen(place.file)) : NULL, .line = place.line };
	unflatten(f->group, result->grid, thread->group);
	unflatten(f->thread, result->block, thread->thread);
	thread->state = arena_printf(arena, "at %s:%u: %s", kernel_ptx_place(kernel, f->pc).file, kernel_ptx_place(kernel, f->pc).line,
				     kernel_text(arena, kernel, f->pc));
	*address = arena_printf(arena, "0x%llx", (unsigned long long)f->address);
	return (struct lockstep_finding){ .kind = f->kind, .certainty = "proved", .cause = f->cause, .count = 1,
					  .message = message_of(arena, thread, place, f->message), .lines = line, .line_count = 1, .threads = thread,
					  .thread_count = 1, .addresses = address, .address_count = f->has_address };
}

/* The accesses that were dropped at one place. */
static struct lockstep_finding dropped_of(struct arena *arena, const struct lockstep_result *result, const struct drop *drop, const struct kernel *kernel)
{
	struct lockstep_finding finding = finding_of(arena, result, &drop->first, kernel);

	finding.count = drop->count;
	finding.message = arena_printf(arena, "%s; dropped%s", finding.message,
				       drop->count == 1 ? "" : arena_printf(arena, ", the first of %llu such accesses here", (unsigned long long)drop->count));
	return finding;
}

/* What ended the launch, and then what was dropped. */
static void add_findings(struct arena *arena, struct lockstep_result *result, const struct gpu_result *r, const struct kernel *kernel)
{
	struct lockstep_finding *list = arena_new_array(arena, struct lockstep_finding, r->drops.count + 2), *next = list;

	if (r->finding.found) {
		*next = finding_of(arena, result, &r->finding, kernel);
		if (r->finding.detail)
			add_detail(arena, next, r->finding.detail, result, kernel);
		next++;
	}
	for (uint32_t k = 0; k < r->drops.count; k++)
		*next++ = dropped_of(arena, result, &r->drops.at[k], kernel);
	if (r->drops.elsewhere)
		*next++ = (struct lockstep_finding){
			.kind = "fault", .certainty = "proved", .cause = "other", .count = r->drops.elsewhere,
			.message = arena_printf(arena, "kernel %s: accesses at further places; %llu dropped there", kernel->entry->name,
						(unsigned long long)r->drops.elsewhere),
		};
	result->findings = list;
	result->finding_count = (size_t)(next - list);
}

size_t lockstep_lint(struct lockstep_module *module, const struct lockstep_finding **findings)
{
	struct lint lint = lint_module(&module->arena, module->ptx);
	struct lockstep_finding *list = arena_new_array(&module->arena, struct lockstep_finding, lint.count);

	for (uint32_t k = 0; k < lint.count; k++) {
		const struct lint_finding *f = &lint.at[k];
		struct lockstep_line *lines = arena_new_array(&module->arena, struct lockstep_line, f->line_count);

		for (uint32_t n = 0; n < f->line_count; n++)
			lines[n] = (struct lockstep_line){ .file = f->lines[n].place.file, .line = f->lines[n].place.line, .role = f->lines[n].role };
		list[k] = (struct lockstep_finding){ .kind = "spin", .certainty = strcmp(f->cause, "simt") ? "noted" : "suspected", .cause = f->cause,
						     .message = f->message, .lines = lines, .line_count = f->line_count, .count = 1 };
	}
	*findings = list;
	return lint.count;
}

static double seconds_between(const struct timespec *start, const struct timespec *end)
{
	return (double)(end->tv_sec - start->tv_sec) + (double)(end->tv_nsec - start->tv_nsec) * 1e-9;
}

/* What launches take together is the sum of it, also when they ran side by side. */
static double own_seconds(struct lockstep *gpu, const struct timespec *start)
{
	struct timespec before = gpu->last_end;

	clock_gettime(CLOCK_MONOTONIC, &gpu->last_end);
	return seconds_between(seconds_between(&before, start) > 0 ? start : &before, &gpu->last_end);
}

static void end_running(struct lockstep *gpu, const struct started *started)
{
	uint32_t k = 0;

	while (gpu->running.at[k] != started)
		k++;
	gpu->running.at[k] = gpu->running.at[--gpu->running.count]; /* they are in no order */
}

/* A hang is said to be possible only when it was shown: not when the launch was ended before, at its limit for instance. */
static void confirm_search(struct started *started)
{
	struct lockstep_search *search = arena_new(&started->arena, struct lockstep_search);

	*search = *started->result.search;
	if ((search->verdict == LOCKSTEP_MAY_HANG || search->verdict == LOCKSTEP_HANGS) && started->result.outcome != LOCKSTEP_HANG)
		search->verdict = LOCKSTEP_UNDECIDED;
	started->result.search = search;
}

static const struct lockstep_result *keep_result(struct lockstep *gpu, struct started *started, const struct gpu_result *r)
{
	static const enum lockstep_outcome outcomes[] = { [GPU_COMPLETED] = LOCKSTEP_COMPLETED, [GPU_HANG] = LOCKSTEP_HANG,
							  [GPU_FAULT] = LOCKSTEP_FAULT, [GPU_LIMIT] = LOCKSTEP_LIMIT,
							  [GPU_INTERRUPTED] = LOCKSTEP_INTERRUPTED };
	struct lockstep_result *result = &started->result;

	result->overlapped = r->overlapped;
	result->start = r->start;
	result->outcome = outcomes[r->outcome];
	result->cycles = r->cycles;
	result->warp_instructions = r->counters.warp_instructions;
	result->thread_instructions = r->counters.thread_instructions;
	result->wall_seconds = own_seconds(gpu, &started->start);
	list_counters(&started->arena, result, r);
	if (result->search)
		confirm_search(started);
	if (r->finding.found || r->drops.count)
		add_findings(&started->arena, result, r, started->kernel);
	end_running(gpu, started);
	*vector_push(&gpu->arena, &gpu->results) = started;
	return result;
}

/* A progress model is about functional mode, and about all work-groups of the grid: none lacks a core. */
static bool check_progress(const struct lockstep *gpu, const struct kernel *kernel, uint64_t room, const struct lockstep_launch *launch,
			   struct lockstep_error *error)
{
	const struct gpu *machine = &gpu->machine;
	uint64_t groups = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];

	if (!machine->dispatcher->owes)
		return true;
	if (!machine->functional)
		return fail_with(error, "dispatch policy '%s' is a progress model: expected functional mode (--mode functional)", machine->dispatcher->name);
	if (groups > room)
		return fail_with(error, "%llu work-groups of kernel %s: under dispatch policy '%s' all of them are on the GPU, and %s holds %llu",
				 (unsigned long long)groups, kernel->entry->name, machine->dispatcher->name, machine->model->name, (unsigned long long)room);
	for (uint32_t k = 0; k < gpu->schedule.count; k++)
		if (gpu->schedule.runs[k].group >= groups)
			return fail_with(error, "the schedule names work-group %u: expected one below %llu", gpu->schedule.runs[k].group,
					 (unsigned long long)groups);
	return true;
}

/* The warp that is to be shown is there, and can be. */
static bool check_show(const struct lockstep *gpu, const struct lockstep_launch *launch, struct lockstep_error *error)
{
	const struct gpu *machine = &gpu->machine;
	uint64_t groups = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
	uint32_t threads = launch->block[0] * launch->block[1] * launch->block[2], lanes = machine->model->warp_size;
	uint32_t warps = (threads + lanes - 1) / lanes;

	if (!machine->observe[OBSERVER_show])
		return true;
	if (!machine->divergence->each_entry)
		return fail_with(error, "divergence model '%s' shows no entries: expected one with the hook each_entry", machine->divergence->name);
	if (gpu->show.group >= groups)
		return fail_with(error, "work-group %u is to be shown: expected one below %llu", gpu->show.group, (unsigned long long)groups);
	if (gpu->show.warp >= warps)
		return fail_with(error, "warp %u of a work-group is to be shown: expected one below %u", gpu->show.warp, warps);
	return true;
}

/* What lockstep_search needs beyond a launch. */
static bool check_search(const struct lockstep *gpu, const struct kernel *kernel, const struct lockstep_launch *launch, struct lockstep_error *error)
{
	uint64_t groups = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];

	if (!gpu->machine.dispatcher->owes)
		return fail_with(error, "trying schedules is for a progress model, dispatch policy 'obe' for instance, not for '%s'",
				 gpu->machine.dispatcher->name);
	if (groups > GRAPH_GROUPS)
		return fail_with(error, "trying schedules is for at most %u work-groups, not for %llu", GRAPH_GROUPS, (unsigned long long)groups);
	if (kernel->uses_heap)
		return fail_with(error, "kernel %s calls malloc or free: expected one that does not where schedules are tried", kernel->entry->name);
	if (gpu->running.count)
		return fail_with(error, "schedules are tried while no other kernel runs");
	return true;
}

/* Tries schedules, and has the launch run under the one that shows what was found. */
static void search_schedules(struct lockstep *gpu, const struct gpu_launch *what, struct started *started, uint64_t schedules)
{
	static const enum lockstep_verdict verdicts[] = { [SEARCH_FINISHES] = LOCKSTEP_FINISHES, [SEARCH_MAY_HANG] = LOCKSTEP_MAY_HANG,
							  [SEARCH_HANGS] = LOCKSTEP_HANGS, [SEARCH_FAULTS] = LOCKSTEP_FAULTS,
							  [SEARCH_UNDECIDED] = LOCKSTEP_UNDECIDED };
	struct search_outcome *o = &started->search;
	struct lockstep_search *search = arena_new(&started->arena, struct lockstep_search);

	gpu_search(&gpu->machine, what, schedules, &started->arena, o);
	*search = (struct lockstep_search){ .verdict = verdicts[o->verdict], .schedules = o->walks, .states = o->states };
	if (o->list.count) {
		search->schedule = schedule_list_text(&started->arena, &o->list);
		gpu->machine.schedule_list = &o->list;
	}
	started->result.search = search;
}

static uint64_t start_kernel(struct lockstep *gpu, const struct lockstep_launch *launch, const struct decoded *d, uint64_t schedules,
			     struct lockstep_error *error)
{
	struct gpu_launch what = { .kernel = d->kernel, .constants = d->constants, .group_threads = launch->block[0] * launch->block[1] * launch->block[2] };
	uint32_t shared_bytes = shared_bytes_of(d->kernel, launch->shared_bytes);
	struct occupancy occupancy = kernel_occupancy(gpu->machine.model, d->kernel, what.group_threads, shared_bytes);
	struct arena arena = { 0 };
	struct started *started;

	what.groups_per_core = occupancy.groups_per_core;
	what.groups_per_lesser_core = occupancy.groups_per_lesser_core;
	what.group_registers = occupancy.group_registers;
	what.group_shared = occupancy.group_shared;
	if (!occupancy.groups_per_core) {
		fail_with(error, "a work-group of kernel %s (%u threads, %u registers each, %u bytes of shared memory) does not fit a core of %s: limited by %s",
			  d->kernel->entry->name, what.group_threads, occupancy.registers_per_thread, shared_bytes, gpu->machine.model->name,
			  limiter_name(occupancy.limiter));
		return 0;
	}
	if (!check_show(gpu, launch, error) || !check_progress(gpu, d->kernel, occupancy.groups, launch, error) || (schedules && !check_search(gpu, d->kernel, launch, error)))
		return 0;
	gpu_prefill(&gpu->machine);
	what.shared_bytes = d->kernel->shared_first + shared_bytes;
	what.owner = started = arena_new(&arena, struct started);
	what.values = values_of(gpu, &arena, launch, d->kernel);
	*started = (struct started){ .kernel = d->kernel, .result = {
		.kernel = arena_copy(&arena, d->kernel->entry->name, strlen(d->kernel->entry->name)), .number = gpu->machine.launches + 1,
		.mode = gpu->machine.functional ? LOCKSTEP_FUNCTIONAL : LOCKSTEP_TIMING, .shared_bytes = shared_bytes,
		.registers_per_thread = occupancy.registers_per_thread, .groups_per_core = occupancy.groups_per_core,
		.groups = occupancy.groups, .limiter = limiter_name(occupancy.limiter) } };
	memcpy(started->result.grid, launch->grid, sizeof started->result.grid);
	memcpy(started->result.block, launch->block, sizeof started->result.block);
	started->arena = arena; /* last: it has grown */
	clock_gettime(CLOCK_MONOTONIC, &started->start);
	if (schedules)
		search_schedules(gpu, &what, started, schedules);
	*vector_push(&gpu->arena, &gpu->running) = started;
	gpu_start(&gpu->machine, &what);
	return started->result.number;
}

/* schedules: to be tried first. */
static uint64_t start(struct lockstep *gpu, const struct lockstep_launch *launch, uint64_t schedules, struct lockstep_error *error)
{
	struct lockstep_module *module = launch->module;
	const char *name = launch->kernel;
	const struct ptx_function *f;
	const struct decoded *d;
	size_t index;

	if (!name && module->kernels.count != 1) {
		fail_with(error, "%s has %u kernels: name one", module->ptx->file, module->kernels.count);
		return 0;
	}
	f = find_kernel(module, name ? name : module->kernels.at[0]->name, &index);
	if (!f) {
		fail_with(error, "%s: no kernel '%s'", module->ptx->file, name);
		return 0;
	}
	if (!check_shape(gpu, launch, f, error))
		return 0;
	d = decode(module, index, error);
	return d ? start_kernel(gpu, launch, d, schedules, error) : 0;
}

uint64_t lockstep_start(struct lockstep *gpu, const struct lockstep_launch *launch, struct lockstep_error *error)
{
	return start(gpu, launch, 0, error);
}

/* Runs until a launch has ended, and keeps its result; null when nothing is left, or all is stuck. */
static const struct lockstep_result *run_one(struct lockstep *gpu)
{
	struct gpu_result r;

	return gpu_finish(&gpu->machine, &r) ? keep_result(gpu, r.owner, &r) : NULL;
}

const struct lockstep_result *lockstep_finish(struct lockstep *gpu)
{
	if (gpu->early_first < gpu->early.count)
		return gpu->early.at[gpu->early_first++];
	return run_one(gpu);
}

/* Until the launch of that number has ended; 0: there is none. */
static const struct lockstep_result *run_until(struct lockstep *gpu, uint64_t number)
{
	const struct lockstep_result *result;

	if (!number)
		return NULL;
	do {
		result = run_one(gpu);
		if (!result)
			lockstep_give_up(gpu);
		else if (result->number != number)
			*vector_push(&gpu->arena, &gpu->early) = result;
	} while (!result || result->number != number);
	return result;
}

const struct lockstep_result *lockstep_run(struct lockstep *gpu, const struct lockstep_launch *launch, struct lockstep_error *error)
{
	return run_until(gpu, lockstep_start(gpu, launch, error));
}

const struct lockstep_result *lockstep_search(struct lockstep *gpu, const struct lockstep_launch *launch, uint64_t schedules,
	struct lockstep_error *error)
{
	const struct schedule_list *list = gpu->machine.schedule_list;
	const struct lockstep_result *result = run_until(gpu, start(gpu, launch, schedules, error));

	gpu->machine.schedule_list = list;
	return result;
}

bool lockstep_is_stuck(const struct lockstep *gpu)
{
	return gpu->machine.stuck;
}

bool lockstep_asks_host(const struct lockstep *gpu)
{
	return gpu_asks_host(&gpu->machine);
}

void lockstep_host_waits(struct lockstep *gpu, bool waits)
{
	gpu->machine.host_waits = waits;
}

void lockstep_give_up(struct lockstep *gpu)
{
	gpu_give_up(&gpu->machine);
}

void lockstep_expect_host_writes(struct lockstep *gpu, uint64_t address)
{
	space_expect_host_writes(&gpu->machine.space, address);
}

size_t lockstep_result_count(const struct lockstep *gpu)
{
	return gpu->results.count;
}

const struct lockstep_result *lockstep_result(const struct lockstep *gpu, size_t k)
{
	return k < gpu->results.count ? &gpu->results.at[k]->result : NULL;
}

void lockstep_forget(struct lockstep *gpu, const struct lockstep_result *result)
{
	uint32_t k = gpu->results.count;

	while (k && &gpu->results.at[k - 1]->result != result) /* mostly the last */
		k--;
	if (!k)
		return;
	free_started(gpu->results.at[k - 1]);
	memmove(&gpu->results.at[k - 1], &gpu->results.at[k], (gpu->results.count - k) * sizeof(struct started *));
	gpu->results.count--;
}

/* --- What there is --- */

bool lockstep_configuration(const struct lockstep *gpu, size_t k, struct lockstep_field *field)
{
	const struct gpu_model *model = gpu->machine.model;

	if (k >= model_field_count + gpu->scheduler_fields.count)
		return false;
	if (k >= model_field_count) {
		*field = gpu->scheduler_fields.at[k - model_field_count];
		return true;
	}
	*field = (struct lockstep_field){ .path = model_fields[k].path, .unit = model_fields[k].unit, .meaning = model_fields[k].meaning,
					  .source = gpu->sources ? gpu->sources[k] : NULL };
	if (model_fields[k].is_name)
		field->text = model_text(model, (uint32_t)k);
	else
		field->number = model_value(model, (uint32_t)k);
	return true;
}

bool lockstep_counter(size_t k, struct lockstep_counter *counter)
{
	if (k >= COUNTER_COUNT)
		return false;
	*counter = counters[k];
	return true;
}

const char *lockstep_gpu_name(size_t k)
{
	size_t count;
	const char *const *names = model_names(&count);

	return k < count ? names[k] : NULL;
}

bool lockstep_policy(size_t k, struct lockstep_policy *policy)
{
	for (enum policy_kind kind = 0; kind < POLICY_KIND_COUNT; kind++)
		for (size_t j = 0; policy_at(kind, j); j++)
			if (k-- == 0) {
				*policy = (struct lockstep_policy){ .kind = policy_kind_name(kind), .name = policy_at(kind, j)->name,
								    .summary = policy_at(kind, j)->summary };
				return true;
			}
	return false;
}
