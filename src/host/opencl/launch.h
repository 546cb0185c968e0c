/* Commands that launch a kernel. */
#ifndef LOCKSTEP_HOST_OPENCL_LAUNCH_H
#define LOCKSTEP_HOST_OPENCL_LAUNCH_H

#include "host/opencl/command.h"
#include "host/opencl/program.h"

/* The shape of a launch, with 1 in the dimensions that are not given. */
struct shape {
	cl_uint dimensions;
	size_t offset[3], global[3], local[3];
};

struct launch {
	struct lockstep_launch what; /* but for the grid, the block and %envreg: each part has its own */
	struct program_code *code;   /* held */
	struct shape shape;
	/* Fills in part `part` of the launch, 0 to 7; false: there is no such part. */
	bool (*make_part)(const struct shape *shape, uint32_t part, struct lockstep_launch *what);
	uint32_t next_part; /* to be started */
	enum lockstep_mode mode;
	struct lockstep_dispatchable *dispatchables; /* of firmware, as many as there are in `codes`; else null */
	struct program_code **codes;                 /* theirs, held */
};

/* Whether the kernel can be enqueued: it belongs to the queue's context and has all arguments. */
cl_int launch_check_kernel(cl_command_queue queue, cl_kernel kernel);
/* A command that has not been enqueued; null and an error in *why. */
cl_event launch_new(cl_command_queue queue, cl_command_type type, cl_kernel kernel, const struct shape *shape,
	cl_uint count, const cl_event *list, cl_int *why);

#endif
