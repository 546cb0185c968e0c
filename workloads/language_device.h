/* Words of OpenCL C for headers that are compiled as CUDA C++, too. */
#ifndef LOCKSTEP_WORKLOADS_LANGUAGE_DEVICE_H
#define LOCKSTEP_WORKLOADS_LANGUAGE_DEVICE_H

#ifdef __OPENCL_VERSION__
#define FUNCTION
#define ATOMIC_ADD(at, value) atomic_add(at, value)
#else
#define FUNCTION static __device__
#define ATOMIC_ADD(at, value) atomicAdd(at, value)
#define global
typedef unsigned uint;
typedef unsigned long long ulong;
#endif

#endif
