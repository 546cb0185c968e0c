// Named barriers as inlined functions, for kernels of this folder: PTX ISA 9.7.13.1 (bar, barrier).
#ifndef BARRIERS_H
#define BARRIERS_H
#define seeded(name) (FAULT == (name))

static __device__ __forceinline__ void named_sync(unsigned threads, unsigned number)
{
	asm volatile("bar.sync %0, %1;" ::"r"(number), "r"(threads) : "memory");
}

static __device__ __forceinline__ void named_arrive(unsigned threads, unsigned number)
{
	asm volatile("bar.arrive %0, %1;" ::"r"(number), "r"(threads) : "memory");
}
#endif
