/* Launching kernels: checks, the work-group's size, the parameter block, and the run itself. */
#include "host/opencl/launch.h"
#include "host/device.h"
#include "host/host_race.h"
#include "host/opencl/command.h"
#include "host/opencl/image.h"
#include "host/opencl/memory.h"
#include "host/opencl/program.h"

#include "compile/envreg.h"
#include "util/demangle.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- The run ---- */

static void put_wide(uint32_t *low, uint32_t *high, uint64_t value)
{
	*low = (uint32_t)value;
	*high = (uint32_t)(value >> 32);
}

static bool is_empty(const struct shape *s)
{
	return !s->global[0] || !s->global[1] || !s->global[2];
}

/* A part of the launch whose groups are all of one size: bit k of `part` says that in dimension k it is the last group,
 * which is smaller.  False when there is no such part. */
static bool make_part(const struct shape *s, uint32_t part, struct lockstep_launch *what)
{
	assert(part < 8);
	uint32_t *e = what->envreg;
	e[ENVREG_WORK_DIM] = s->dimensions;
	for (uint32_t k = 0; k < 3; k++) {
		bool last = part >> k & 1;
		size_t whole = s->global[k] / s->local[k], rest = s->global[k] % s->local[k];
		what->grid[k] = last ? 1 : (uint32_t)whole;
		what->block[k] = (uint32_t)(last ? rest : s->local[k]);
		if (!what->grid[k] || !what->block[k])
			return false;
		e[ENVREG_LOCAL + k] = (uint32_t)s->local[k];
		e[ENVREG_FIRST_GROUP + k] = last ? (uint32_t)whole : 0;
		e[ENVREG_GROUPS + k] = (uint32_t)(whole + (rest != 0));
		put_wide(&e[ENVREG_OFFSET + k], &e[ENVREG_OFFSET_HIGH + k], s->offset[k]);
		put_wide(&e[ENVREG_SIZE + k], &e[ENVREG_SIZE_HIGH + k], s->global[k]);
		put_wide(&e[ENVREG_START + k], &e[ENVREG_START_HIGH + k],
			s->offset[k] + (last ? whole * s->local[k] : 0));
	}
	return true;
}

/* The queue's later commands fail, too. */
static cl_int fail(cl_event command)
{
	mutex_lock(&driver_lock);
	command->queue->failure = CL_OUT_OF_RESOURCES;
	mutex_unlock(&driver_lock);
	return CL_OUT_OF_RESOURCES;
}

/* Starts the next of the launch's parts. */
static int32_t start(struct command *command, uint64_t *number)
{
	struct launch *launch = command_event(command)->work;
	struct lockstep_error error;
	if (is_empty(&launch->shape))
		return CL_SUCCESS;
	if (!launch->next_part) {
		launch->mode = device_mode_of(launch->what.kernel);
		device_reach(CHANNEL_LAUNCHED);
	}
	lockstep_set_mode(device_get()->gpu, launch->mode);
	while (launch->next_part < 8) {
		if (!launch->make_part(&launch->shape, launch->next_part++, &launch->what))
			continue;
		device_announce(&launch->what);
		launch->what.stream = command_event(command)->queue->number;
		*number = lockstep_start(device_get()->gpu, &launch->what, &error);
		if (*number)
			return CL_SUCCESS;
		device_report(NULL, 0);
		device_complain_of_kernel(launch->what.kernel, "%s", error.message);
		return fail(command_event(command));
	}
	return CL_SUCCESS;
}

static int32_t ended(struct command *command, const struct lockstep_result *result, uint64_t *nanoseconds)
{
	host_race_launch(command, result);
	fflush(stdout); /* of the kernel's printf */
	device_report(result, command_event(command)->queue->number);
	device_complain_of(result);
	*nanoseconds = device_launch_time(result);
	return result->outcome == LOCKSTEP_COMPLETED ? CL_SUCCESS : fail(command_event(command));
}

/* Of a launch in parts the first. */
static void launch_queued(const void *work, struct arena *arena, struct lockstep_queued *queued)
{
	const struct launch *launch = work;
	struct lockstep_launch *what = arena_new(arena, struct lockstep_launch);
	uint32_t part = 0;
	if (is_empty(&launch->shape))
		return;
	*what = launch->what;
	while (part < 8 && !launch->make_part(&launch->shape, part, what))
		part++;
	queued->launch = part < 8 ? what : NULL;
	queued->what = part < 8 ? arena_printf(arena, "kernel %s", demangle_brief(arena, what->kernel)) : NULL;
}

static void discard(void *work)
{
	struct launch *launch = work;
	code_drop(launch->code);
	for (size_t k = 0; k < launch->what.dispatchable_count; k++)
		code_drop(launch->codes[k]);
	free(launch->codes);
	free(launch->dispatchables);
	free((void *)(uintptr_t)launch->what.parameters);
}

/* ---- Parameters ---- */

#define LOCAL_ALIGNMENT 128u /* of the largest type, long16 */

/* Local arguments lie one behind the other in dynamic shared memory, and their values are addresses there. */
static bool place_local(cl_kernel kernel, size_t bytes, uint64_t *end, uint64_t *address)
{
	*address = (*end + LOCAL_ALIGNMENT - 1) & ~(uint64_t)(LOCAL_ALIGNMENT - 1);
	*end = *address + bytes;
	return bytes <= device_get()->group_shared && *end - kernel->needs.dynamic_offset <= UINT32_MAX;
}

static cl_int fill_parameter(cl_kernel kernel, cl_uint index, cl_event command, uint8_t *block, uint64_t *local_end)
{
	const struct program_argument *a = &kernel->what->arguments[index];
	const struct argument_value *value = &kernel->arguments[index];
	uint64_t address = value->pointer;
	bool is_local = a->space == CL_KERNEL_ARG_ADDRESS_LOCAL;
	assert(value->given);
	if (!a->type && a->size == 8 && !value->bytes && !value->memory && value->size)
		is_local = true;
	if (value->bytes) {
		memcpy(block + a->offset, value->bytes, a->size);
		return CL_SUCCESS;
	}
	if (is_local) {
		if (!place_local(kernel, value->size, local_end, &address))
			return CL_OUT_OF_RESOURCES;
	} else if (value->memory) {
		if (!memory_is_live(value->memory))
			return CL_INVALID_MEM_OBJECT;
		address = value->memory->image ? value->memory->image->handle : value->memory->address;
		if (!command_hold(command, value->memory))
			return CL_OUT_OF_HOST_MEMORY;
	}
	memcpy(block + a->offset, &address, a->size < sizeof address ? a->size : sizeof address);
	return CL_SUCCESS;
}

static size_t block_bytes(const struct program_kernel *what)
{
	size_t bytes = 0;
	for (cl_uint k = 0; k < what->argument_count; k++)
		if (what->arguments[k].offset + what->arguments[k].size > bytes)
			bytes = what->arguments[k].offset + what->arguments[k].size;
	return bytes;
}

static cl_int fill_parameters(cl_kernel kernel, cl_event command, struct launch *launch)
{
	size_t bytes = block_bytes(kernel->what);
	uint8_t *block = calloc(1, bytes + 1);
	uint64_t start = kernel->needs.dynamic_offset, local_end = start;
	cl_int why = block ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
	launch->what.parameters = block;
	launch->what.parameter_bytes = bytes;
	for (cl_uint k = 0; !why && k < kernel->what->argument_count; k++)
		why = fill_parameter(kernel, k, command, block, &local_end);
	launch->what.shared_bytes = (uint32_t)(local_end - start);
	if (!why && local_end - kernel->needs.shared_first > device_get()->group_shared && local_end > start)
		why = CL_OUT_OF_RESOURCES;
	return why;
}

/* ---- The shape ---- */

/* A work-group size where the application leaves it open: whole, as near to 256 work-items as the global size allows,
 * whole warps where it can be; the first dimension first, since neighbours there touch neighbouring memory. */
static void choose_local(cl_kernel kernel, struct shape *s)
{
	size_t left = kernel->needs.group_threads < 256 ? kernel->needs.group_threads : 256, warp = device_get()->warp;
	for (int k = 0; k < 3; k++) {
		size_t best = 1, best_of_warps = 0;
		for (size_t size = 1; size <= left && size <= s->global[k]; size++) {
			if (s->global[k] % size)
				continue;
			best = size;
			if (size % warp == 0)
				best_of_warps = size;
		}
		s->local[k] = k == 0 && best_of_warps ? best_of_warps : best;
		left /= s->local[k];
	}
}

/* Groups of different sizes came with OpenCL C 2.0; a program's language without options is 1.2. */
static bool is_uniform(cl_program program)
{
	const char *options = program->options;
	bool language = strstr(options, "-cl-std=CL2") || strstr(options, "-cl-std=CL3");
	return strstr(options, "-cl-uniform-work-group-size") || (program->source && !language);
}

static cl_int check_local(cl_kernel kernel, const struct shape *s)
{
	const uint32_t *required = kernel->what->required;
	size_t threads = 1;
	for (cl_uint k = 0; k < s->dimensions; k++) {
		if (!s->local[k])
			return CL_INVALID_WORK_GROUP_SIZE;
		if (required[0] && s->local[k] != (required[k] ? required[k] : 1))
			return CL_INVALID_WORK_GROUP_SIZE;
		if (s->local[k] > device_get()->group_threads || (k == 2 && s->local[k] > 64))
			return CL_INVALID_WORK_ITEM_SIZE;
		threads *= s->local[k];
		if (s->global[k] % s->local[k] && (required[0] || is_uniform(kernel->program)))
			return CL_INVALID_WORK_GROUP_SIZE;
	}
	if (threads > device_get()->group_threads)
		return CL_INVALID_WORK_GROUP_SIZE;
	return threads > kernel->needs.group_threads ? CL_OUT_OF_RESOURCES : CL_SUCCESS;
}

static cl_int read_shape(cl_kernel kernel, cl_uint dimensions, const size_t *offset, const size_t *global,
	const size_t *local, struct shape *s)
{
	const uint32_t *required = kernel->what->required;
	if (dimensions < 1 || dimensions > 3)
		return CL_INVALID_WORK_DIMENSION;
	*s = (struct shape){dimensions, {0, 0, 0}, {1, 1, 1}, {1, 1, 1}};
	for (cl_uint k = 0; k < dimensions; k++) {
		s->offset[k] = offset ? offset[k] : 0;
		s->global[k] = global ? global[k] : 0;
		if (s->offset[k] > SIZE_MAX - s->global[k])
			return CL_INVALID_GLOBAL_OFFSET;
		if (local)
			s->local[k] = local[k];
		else if (required[0])
			s->local[k] = required[k] ? required[k] : 1;
	}
	if (is_empty(s))
		return CL_SUCCESS;
	if (!local && !required[0])
		choose_local(kernel, s);
	return check_local(kernel, s);
}

/* False when there are more work-groups than the GPU counts. */
static bool fits_counters(const struct shape *s)
{
	uint64_t groups = 1;
	for (int k = 0; k < 3; k++) {
		uint64_t in_dimension = s->global[k] / (s->local[k] ? s->local[k] : 1) + 1;
		if (in_dimension > UINT32_MAX || (groups *= in_dimension) > UINT32_MAX)
			return false;
	}
	return true;
}

/* ---- Entry points ---- */

cl_int launch_check_kernel(cl_command_queue queue, cl_kernel kernel)
{
	if (!object_is(kernel, OBJECT_KERNEL))
		return CL_INVALID_KERNEL;
	if (kernel->object.context != queue->object.context)
		return CL_INVALID_CONTEXT;
	for (cl_uint k = 0; k < kernel->what->argument_count; k++)
		if (!kernel->arguments[k].given)
			return CL_INVALID_KERNEL_ARGS;
	if (!kernel->what->refusal)
		return CL_SUCCESS;
	if (!atomic_exchange(&kernel->has_complained, true))
		device_complain("kernel refused: %s", kernel->what->refusal);
	return CL_INVALID_PROGRAM_EXECUTABLE;
}

cl_event launch_new(cl_command_queue queue, cl_command_type type, cl_kernel kernel, const struct shape *shape,
	cl_uint count, const cl_event *list, cl_int *why)
{
	cl_event command = command_new(queue, type, count, list, ENGINE_KERNEL, NULL, NULL, sizeof(struct launch));
	*why = CL_OUT_OF_HOST_MEMORY;
	if (!command)
		return NULL;
	struct launch *launch = command->work;
	command->discard = discard;
	command->queued = launch_queued;
	command->command.start = start;
	command->command.kernel = kernel->what->name;
	command->command.ended_launch = ended;
	launch->code = kernel->code;
	code_hold(kernel->code);
	launch->what.size = sizeof launch->what;
	launch->what.module = kernel->code->module;
	launch->what.kernel = kernel->what->name;
	launch->shape = *shape;
	launch->make_part = make_part;
	*why = fits_counters(shape) ? fill_parameters(kernel, command, launch) : CL_OUT_OF_RESOURCES;
	if (!*why && !command_hold(command, kernel))
		*why = CL_OUT_OF_HOST_MEMORY;
	if (!*why)
		return command;
	command_discard(command);
	return NULL;
}

static cl_int enqueue(cl_command_queue queue, cl_command_type type, cl_kernel kernel, const struct shape *shape,
	cl_uint count, const cl_event *list, cl_event *event)
{
	cl_int why;
	cl_event command = launch_new(queue, type, kernel, shape, count, list, &why);
	return command ? command_enqueue(command, false, event) : why;
}

static const char *error_name(cl_int error)
{
#define ERROR(name)                                                                                                    \
	{                                                                                                              \
		name, #name                                                                                            \
	}
	static const struct {
		cl_int error;
		const char *name;
	} errors[] = {ERROR(CL_INVALID_CONTEXT), ERROR(CL_INVALID_EVENT_WAIT_LIST), ERROR(CL_INVALID_GLOBAL_OFFSET),
		ERROR(CL_INVALID_KERNEL_ARGS), ERROR(CL_INVALID_MEM_OBJECT), ERROR(CL_INVALID_WORK_DIMENSION),
		ERROR(CL_INVALID_WORK_GROUP_SIZE), ERROR(CL_INVALID_WORK_ITEM_SIZE), ERROR(CL_OUT_OF_HOST_MEMORY),
		ERROR(CL_OUT_OF_RESOURCES)};
#undef ERROR
	for (size_t k = 0; k < sizeof errors / sizeof *errors; k++)
		if (errors[k].error == error)
			return errors[k].name;
	return "an error of OpenCL";
}

/* Why sizes that are small enough do not fit, as check_local finds it; null where it is something else. */
static const char *misfit_words(
	struct arena *arena, cl_kernel kernel, cl_uint dimensions, const size_t *global, const size_t *local)
{
	const uint32_t *required = kernel->what->required;
	for (cl_uint k = 0; global && local && k < dimensions; k++) {
		if (required[0] && local[k] != (required[k] ? required[k] : 1))
			return arena_printf(arena, "the kernel requires %u,%u,%u", required[0],
				required[1] ? required[1] : 1, required[2] ? required[2] : 1);
		if (local[k] && global[k] % local[k])
			return arena_printf(arena, "%zu work-items are no multiple of %zu", global[k], local[k]);
	}
	return NULL;
}

/* The report lists the launch; returns the error. */
static cl_int refuse(cl_kernel kernel, cl_uint dimensions, const size_t *global, const size_t *local, cl_int error)
{
	struct device_refusal refusal = {.error = error_name(error), .grid = {1, 1, 1}, .block = {1, 1, 1}};
	struct arena arena = {0};
	if (!object_is(kernel, OBJECT_KERNEL) || dimensions > 3)
		return error;
	refusal.kernel = kernel->what->name;
	for (cl_uint k = 0; k < dimensions; k++) {
		size_t size = local ? local[k] : 1, groups = global && size ? (global[k] + size - 1) / size : 1;
		refusal.block[k] = size < UINT32_MAX ? (uint32_t)size : UINT32_MAX;
		refusal.grid[k] = groups < UINT32_MAX ? (uint32_t)groups : UINT32_MAX;
	}
	if (error == CL_INVALID_WORK_GROUP_SIZE)
		refusal.why = misfit_words(&arena, kernel, dimensions, global, local);
	device_refuse(&refusal);
	arena_free(&arena);
	return error;
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
	const size_t *offset, const size_t *global, const size_t *local, cl_uint count, const cl_event *list,
	cl_event *event)
{
	struct shape shape;
	cl_int why = command_check(queue, count, list);
	if (!why)
		why = launch_check_kernel(queue, kernel);
	if (!why)
		why = read_shape(kernel, dimensions, offset, global, local, &shape);
	if (!why)
		why = enqueue(queue, CL_COMMAND_NDRANGE_KERNEL, kernel, &shape, count, list, event);
	return why ? refuse(kernel, dimensions, global, local, why) : CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueTask(
	cl_command_queue queue, cl_kernel kernel, cl_uint count, const cl_event *list, cl_event *event)
{
	struct shape shape = {1, {0, 0, 0}, {1, 1, 1}, {1, 1, 1}};
	cl_int why = command_check(queue, count, list);
	if (!why)
		why = launch_check_kernel(queue, kernel);
	if (!why)
		why = check_local(kernel, &shape);
	if (!why)
		why = enqueue(queue, CL_COMMAND_TASK, kernel, &shape, count, list, event);
	return why ? refuse(kernel, 0, NULL, NULL, why) : CL_SUCCESS;
}

/* CL_DEVICE_EXECUTION_CAPABILITIES lacks CL_EXEC_NATIVE_KERNEL. */
CL_API_ENTRY cl_int CL_API_CALL clEnqueueNativeKernel(cl_command_queue queue, void(CL_CALLBACK *function)(void *),
	void *data, size_t bytes, cl_uint memory_count, const cl_mem *memories, const void **places, cl_uint count,
	const cl_event *list, cl_event *event)
{
	(void)function, (void)data, (void)bytes, (void)memory_count, (void)memories, (void)places, (void)event;
	cl_int why = command_check(queue, count, list);
	return why ? why : CL_INVALID_OPERATION;
}
