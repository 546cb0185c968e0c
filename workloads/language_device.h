/* Words of OpenCL C for headers that are compiled as CUDA C++, too. */
#ifndef LOCKSTEP_WORKLOADS_LANGUAGE_DEVICE_H
#define LOCKSTEP_WORKLOADS_LANGUAGE_DEVICE_H

#ifdef __OPENCL_VERSION__
#define FUNCTION
#define ATOMIC_ADD(at, value) atomic_add(at, value)
#else
#define FUNCTION static __device__
#define ATOMIC_ADD(at, value) atomicAdd(at, value)
#define __global /* not `global`, a word of the attributes that CUDA C++ consists of */
typedef unsigned uint;
typedef unsigned long ulong; /* both as sys/types.h has them, where that is included */
#endif

#endif
