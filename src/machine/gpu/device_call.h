/* Calls of CUDA's device runtime that last until something happens. */
#ifndef LOCKSTEP_MACHINE_GPU_DEVICE_CALL_H
#define LOCKSTEP_MACHINE_GPU_DEVICE_CALL_H

#include "machine/gpu/children.h"

/* What the warp waits for has ended. */
void device_call_over(const struct child_wait *wait);

#endif
