// mbarriers as inlined functions, for kernels of this folder: PTX ISA 9.7.13.15.
#ifndef MBARRIERS_H
#define MBARRIERS_H
#define seeded(name) (FAULT == (name))

__device__ inline unsigned in_shared(const void *p)
{
	return (unsigned)__cvta_generic_to_shared(p);
}

__device__ inline void init(unsigned long long *bar, unsigned count)
{
	asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(in_shared(bar)), "r"(count) : "memory");
}

__device__ inline void arrive(unsigned long long *bar)
{
	asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(in_shared(bar)) : "memory");
}

__device__ inline void wait(unsigned long long *bar, unsigned parity)
{
	unsigned done;

	do
		asm volatile("{\n\t.reg .pred p;\n\tmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n\tselp.u32 "
			     "%0, 1, 0, p;\n\t}"
			     : "=r"(done)
			     : "r"(in_shared(bar)), "r"(parity)
			     : "memory");
	while (!done);
}

#endif
