/* cl_lockstep_firmware: a kernel for the control processor, and those that it may dispatch.  device/lockstep_control.h
 * says what it does. */
#include "host/device.h"
#include "host/opencl/launch.h"

#include <stdlib.h>

#define CL_COMMAND_FIRMWARE_LOCKSTEP 0x4C53 /* device/lockstep_control.h */

/* The kernels that firmware may dispatch. */
struct dispatched {
	cl_uint count;
	const cl_kernel *kernels;
};

/* One thread.  %envreg is that of the kernels that it dispatches: 0 means what each dispatch has. */
static bool make_part(const struct shape *shape, uint32_t part, struct lockstep_launch *what)
{
	what->grid[0] = what->grid[1] = what->grid[2] = 1;
	what->block[0] = (uint32_t)shape->local[0];
	what->block[1] = what->block[2] = 1;
	return part == 0;
}

static cl_int add_dispatched(cl_event command, const struct dispatched *dispatched)
{
	struct launch *launch = command->work;
	struct lockstep_launch *what = &launch->what;
	launch->dispatchables = calloc(dispatched->count, sizeof *launch->dispatchables);
	launch->codes = calloc(dispatched->count, sizeof(struct program_code *));
	if (!launch->dispatchables || !launch->codes)
		return CL_OUT_OF_HOST_MEMORY;
	launch->make_part = make_part;
	what->firmware = true;
	what->dispatchables = launch->dispatchables;
	for (cl_uint k = 0; k < dispatched->count; k++) {
		cl_kernel kernel = dispatched->kernels[k];
		launch->dispatchables[k] =
			(struct lockstep_dispatchable){.module = kernel->code->module, .kernel = kernel->what->name};
		launch->codes[k] = kernel->code;
		code_hold(kernel->code);
		what->dispatchable_count++;
		if (!command_hold(command, kernel))
			return CL_OUT_OF_HOST_MEMORY;
	}
	return CL_SUCCESS;
}

static cl_int check_dispatched(cl_command_queue queue, const struct dispatched *dispatched, size_t threads)
{
	if (!dispatched->count || !dispatched->kernels)
		return CL_INVALID_VALUE;
	for (cl_uint k = 0; k < dispatched->count; k++) {
		cl_kernel kernel = dispatched->kernels[k];
		if (!object_is(kernel, OBJECT_KERNEL))
			return CL_INVALID_KERNEL;
		if (kernel->object.context != queue->object.context)
			return CL_INVALID_CONTEXT;
		if (threads > kernel->needs.group_threads)
			return CL_INVALID_WORK_GROUP_SIZE;
	}
	return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueFirmwareLOCKSTEP(cl_command_queue queue, cl_kernel firmware,
	cl_uint kernel_count, const cl_kernel *kernels, size_t group, cl_uint count, const cl_event *list,
	cl_event *event)
{
	const struct dispatched dispatched = {kernel_count, kernels};
	struct shape shape = {1, {0, 0, 0}, {1, 1, 1}, {1, 1, 1}};
	cl_int why = command_check(queue, count, list);
	if (!why)
		why = launch_check_kernel(queue, firmware);
	if (why)
		return why;
	shape.local[0] = group ? group : device_get()->warp;
	why = check_dispatched(queue, &dispatched, shape.local[0]);
	if (why)
		return why;
	if (!device_get()->has_control) {
		device_complain("clEnqueueFirmwareLOCKSTEP: kernel %s: this GPU has no control processor: expected one "
				"that has (apu-2014), or --control ooo-2",
			firmware->what->name);
		return CL_INVALID_OPERATION;
	}
	cl_event command = launch_new(queue, CL_COMMAND_FIRMWARE_LOCKSTEP, firmware, &shape, count, list, &why);
	if (!command)
		return why;
	why = add_dispatched(command, &dispatched);
	if (!why)
		return command_enqueue(command, false, event);
	command_discard(command);
	return why;
}
