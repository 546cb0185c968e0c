/* CUDA dynamic parallelism: kernels that launch kernels, by functions that NVIDIA's device runtime (libcudadevrt) and
 * driver provide. */
#ifndef LOCKSTEP_UTIL_DEVICE_RUNTIME_H
#define LOCKSTEP_UTIL_DEVICE_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>

#define DEVICE_RUNTIME_USED "uses CUDA dynamic parallelism (launches from the device), which Lockstep does not have"

/* Whether a function of this name is one of them. */
bool device_runtime_has(const char *name, size_t length);

#endif
