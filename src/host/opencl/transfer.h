/* Copies as commands, of buffers and images. */
#ifndef LOCKSTEP_HOST_OPENCL_TRANSFER_H
#define LOCKSTEP_HOST_OPENCL_TRANSFER_H

#include "host/opencl/command.h"

/* One side of a rectangle: where it begins, and from row to row and slice to slice. */
struct side {
	uint8_t *at;
	size_t row, slice;
};

/* A copy of rows of `width` bytes; a straight copy is one row. */
struct copy {
	struct side from, to;
	size_t width, height, depth;
	bool to_host; /* and the application does not wait for it: memory of its own may be gone when it ends */
};

/* Makes the command's copy, and tells host_race.h about it. */
void transfer_carry_out(struct command *command, const struct copy *copy);
/* As a command.  `a` and `b` are the objects concerned; b may be null. */
cl_int transfer_enqueue(cl_command_queue queue, cl_command_type type, cl_uint count, const cl_event *list,
	const struct copy *copy, cl_mem a, cl_mem b, bool blocking, cl_event *event);

/* May the host not read the object, or else not write it? */
static inline bool transfer_is_forbidden(cl_mem memory, bool reads)
{
	return memory->flags & (CL_MEM_HOST_NO_ACCESS | (reads ? CL_MEM_HOST_WRITE_ONLY : CL_MEM_HOST_READ_ONLY));
}

#endif
