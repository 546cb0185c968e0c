/* Memory for the parameters of grids that kernels launch: cudaGetParameterBufferV2 gives it, the kernel stores the
 * parameters there, and cudaLaunchDeviceV2 takes it back.  Or cudaGetParameterBuffer and cudaLaunchDevice: then of the
 * grid only the size of the parameters is kept with it. */
#ifndef LOCKSTEP_MACHINE_GPU_DEVICE_BUFFERS_H
#define LOCKSTEP_MACHINE_GPU_DEVICE_BUFFERS_H

#include "machine/gpu/children.h"

/* A buffer for the grid's parameters, which are 0 so far; the grid is kept with it.  0: there is no memory. */
uint64_t device_buffer_take(struct gpu *gpu, const struct child_grid *grid);
/* The grid of a buffer that was given and not taken back, and its parameters, in `arena`; the memory is free then.
 * False: it is no such buffer. */
bool device_buffer_return(struct gpu *gpu, uint64_t address, struct arena *arena, struct child_grid *grid);
/* How many were given and not taken back. */
uint32_t device_buffers_taken(const struct gpu *gpu);

#endif
