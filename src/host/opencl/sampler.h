/* Samplers, for kernels' arguments. */
#ifndef LOCKSTEP_HOST_OPENCL_SAMPLER_H
#define LOCKSTEP_HOST_OPENCL_SAMPLER_H

#include "host/opencl/objects.h"

/* What kernels get for it: its state, as enum lockstep_sampler (lockstep/image.h). */
uint64_t sampler_handle(cl_sampler sampler);

#endif
