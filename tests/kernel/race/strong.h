/* Strong accesses and fences in PTX, by order and scope, for the kernels of this folder. */
#ifndef STRONG_H
#define STRONG_H

typedef unsigned long long word64;

#define LOAD(name, words, type, reg)                                                                                   \
	static __device__ inline type name(const type *p)                                                              \
	{                                                                                                              \
		type v;                                                                                                \
		asm volatile("ld." words " %0, [%1];" : "=" reg(v) : "l"(p) : "memory");                               \
		return v;                                                                                              \
	}
#define STORE(name, words, type, reg)                                                                                  \
	static __device__ inline void name(type *p, type v)                                                            \
	{                                                                                                              \
		asm volatile("st." words " [%0], %1;" ::"l"(p), reg(v) : "memory");                                    \
	}
#define ATOMIC(name, words)                                                                                            \
	static __device__ inline unsigned name(unsigned *p, unsigned v)                                                \
	{                                                                                                              \
		unsigned old;                                                                                          \
		asm volatile("atom." words " %0, [%1], %2;" : "=r"(old) : "l"(p), "r"(v) : "memory");                  \
		return old;                                                                                            \
	}
#define SWAP(name, words)                                                                                              \
	static __device__ inline unsigned name(unsigned *p, unsigned expected, unsigned v)                             \
	{                                                                                                              \
		unsigned old;                                                                                          \
		asm volatile("atom." words " %0, [%1], %2, %3;"                                                        \
			     : "=r"(old)                                                                               \
			     : "l"(p), "r"(expected), "r"(v)                                                           \
			     : "memory");                                                                              \
		return old;                                                                                            \
	}

LOAD(acquire, "acquire.gpu.u32", unsigned, "r")
LOAD(acquire_cta, "acquire.cta.u32", unsigned, "r")
LOAD(relaxed, "relaxed.gpu.u32", unsigned, "r")
LOAD(relaxed_cta, "relaxed.cta.u32", unsigned, "r")
LOAD(relaxed64, "relaxed.gpu.u64", word64, "l")
STORE(release, "release.gpu.u32", unsigned, "r")
STORE(release_cta, "release.cta.u32", unsigned, "r")
STORE(set, "relaxed.gpu.u32", unsigned, "r")
STORE(set_cta, "relaxed.cta.u32", unsigned, "r")
STORE(set64, "relaxed.gpu.u64", word64, "l")
ATOMIC(add, "relaxed.gpu.add.u32")
ATOMIC(add_release, "release.gpu.add.u32")
ATOMIC(add_acquire, "acquire.gpu.add.u32")
ATOMIC(add_both, "acq_rel.gpu.add.u32")
ATOMIC(add_release_cta, "release.cta.add.u32")
ATOMIC(or_acquire, "acquire.gpu.or.b32")
ATOMIC(and_release, "release.gpu.and.b32")
ATOMIC(and_relaxed, "relaxed.gpu.and.b32")
ATOMIC(exchange, "acq_rel.gpu.exch.b32")
ATOMIC(exchange_relaxed, "relaxed.gpu.exch.b32")
SWAP(swap_acquire, "acquire.gpu.cas.b32")
SWAP(swap_release, "release.gpu.cas.b32")
SWAP(swap, "relaxed.gpu.cas.b32")

#define fence() asm volatile("fence.acq_rel.gpu;" ::: "memory")
#define fence_sc() asm volatile("fence.sc.gpu;" ::: "memory")
#define fence_cta() asm volatile("fence.acq_rel.cta;" ::: "memory")
#define sync_warp() asm volatile("bar.warp.sync 0xffffffff;" ::: "memory")

#endif
