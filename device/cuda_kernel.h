/* clang-format off: tables of macros, aligned by hand.
 * CUDA C for kernels, without NVIDIA's toolkit: what `lockstep kernel FILE.cu` puts in front of a file that clang compiles for the
 * device only.  Keywords, indices, vector types, barriers, fences, warp functions, alloca, atomics, bits, arithmetic, printf, assert, and
 * declarations of the host functions that such files often mention.  The names of cuda_runtime.h and its kin all lead here. */
#ifndef LOCKSTEP_CUDA_KERNEL_H
#define LOCKSTEP_CUDA_KERNEL_H

#include <stddef.h>

/* ---- Keywords ---- */

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((device))
#define __grid_constant__ __attribute__((annotate("lockstep.grid_constant")))
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __align__(n) __attribute__((aligned(n)))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __CUDACC__ 1
#define __LOCKSTEP__ 1

#define LOCKSTEP_DEVICE static __inline__ __attribute__((device, always_inline, nodebug))
#define LOCKSTEP_BOTH static __inline__ __attribute__((host, device, always_inline, nodebug))
#define LOCKSTEP_C extern "C" __inline__ __attribute__((device, always_inline, nodebug))

/* ---- Vector types and indices ---- */

#define LOCKSTEP_VECTORS(type, name)                                                                                     \
	struct name##1 { type x; };                                                                                      \
	struct name##3 { type x, y, z; };                                                                                \
	struct __attribute__((aligned(2 * sizeof(type)))) name##2 { type x, y; };                                        \
	struct __attribute__((aligned(sizeof(type) == 8 ? 16 : 4 * sizeof(type)))) name##4 { type x, y, z, w; };         \
	LOCKSTEP_BOTH name##1 make_##name##1(type x) { name##1 v = {x}; return v; }                                      \
	LOCKSTEP_BOTH name##2 make_##name##2(type x, type y) { name##2 v = {x, y}; return v; }                           \
	LOCKSTEP_BOTH name##3 make_##name##3(type x, type y, type z) { name##3 v = {x, y, z}; return v; }                \
	LOCKSTEP_BOTH name##4 make_##name##4(type x, type y, type z, type w) { name##4 v = {x, y, z, w}; return v; }
LOCKSTEP_VECTORS(signed char, char)
LOCKSTEP_VECTORS(unsigned char, uchar)
LOCKSTEP_VECTORS(short, short)
LOCKSTEP_VECTORS(unsigned short, ushort)
LOCKSTEP_VECTORS(int, int)
LOCKSTEP_VECTORS(unsigned, uint)
LOCKSTEP_VECTORS(long, long)
LOCKSTEP_VECTORS(unsigned long, ulong)
LOCKSTEP_VECTORS(long long, longlong)
LOCKSTEP_VECTORS(unsigned long long, ulonglong)
LOCKSTEP_VECTORS(float, float)
LOCKSTEP_VECTORS(double, double)

struct dim3 {
	unsigned x, y, z;
	__host__ __device__ constexpr dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {}
	__host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
	__host__ __device__ constexpr operator uint3() const { return uint3{x, y, z}; }
};

/* A member that is read by calling a function. */
#define LOCKSTEP_MEMBER(member, builtin)                                                                                 \
	__declspec(property(get = read_##member)) unsigned member;                                                       \
	static __inline__ __attribute__((device, always_inline, nodebug)) unsigned read_##member(void) { return builtin(); }
#define LOCKSTEP_INDEX(name, sreg)                                                                                       \
	struct lockstep_##name {                                                                                         \
		LOCKSTEP_MEMBER(x, __nvvm_read_ptx_sreg_##sreg##_x)                                                      \
		LOCKSTEP_MEMBER(y, __nvvm_read_ptx_sreg_##sreg##_y)                                                      \
		LOCKSTEP_MEMBER(z, __nvvm_read_ptx_sreg_##sreg##_z)                                                      \
		__device__ operator dim3() const { return dim3(read_x(), read_y(), read_z()); }                          \
		__device__ operator uint3() const { return uint3{read_x(), read_y(), read_z()}; }                        \
	};                                                                                                               \
	extern const __attribute__((device, weak)) lockstep_##name name;
LOCKSTEP_INDEX(threadIdx, tid)
LOCKSTEP_INDEX(blockIdx, ctaid)
LOCKSTEP_INDEX(blockDim, ntid)
LOCKSTEP_INDEX(gridDim, nctaid)
#define warpSize 32

/* ---- Barriers and fences ---- */

/* In a loop that waits: see docs/spinning.md. */
#define __lockstep_spin() __asm__ volatile(".pragma \"lockstep_spin\";")
/* Faults, with this reason, a string literal, in the message. */
#define __lockstep_trap(why) __asm__ volatile(".pragma \"lockstep_trap " why "\"; trap;")
/* Lock instructions. */
#define __LOCKSTEP__ 1
#include "lockstep_locks.h"
#define LOCKSTEP_COMPILER_BARRIER() __asm__ volatile("" ::: "memory")

LOCKSTEP_DEVICE int __syncthreads_count(int p) { return __nvvm_bar0_popc(p); }
LOCKSTEP_DEVICE int __syncthreads_and(int p) { return __nvvm_bar0_and(p); }
LOCKSTEP_DEVICE int __syncthreads_or(int p) { return __nvvm_bar0_or(p); }
LOCKSTEP_DEVICE void __syncwarp(unsigned mask = 0xffffffffu) { __nvvm_bar_warp_sync(mask); }
LOCKSTEP_DEVICE void __threadfence_block(void) { __nvvm_membar_cta(); }
LOCKSTEP_DEVICE void __threadfence(void) { __nvvm_membar_gl(); }
LOCKSTEP_DEVICE void __threadfence_system(void) { __nvvm_membar_sys(); }

/* ---- Warps ---- */

LOCKSTEP_DEVICE unsigned __activemask(void)
{
	unsigned mask;
	__asm__ volatile("activemask.b32 %0;" : "=r"(mask));
	return mask;
}
LOCKSTEP_DEVICE int __any_sync(unsigned mask, int p) { return __nvvm_vote_any_sync(mask, p); }
LOCKSTEP_DEVICE int __all_sync(unsigned mask, int p) { return __nvvm_vote_all_sync(mask, p); }
LOCKSTEP_DEVICE int __uni_sync(unsigned mask, int p) { return __nvvm_vote_uni_sync(mask, p); }
LOCKSTEP_DEVICE unsigned __ballot_sync(unsigned mask, int p) { return __nvvm_vote_ballot_sync(mask, p); }
LOCKSTEP_DEVICE int __any(int p) { return __any_sync(__activemask(), p); }
LOCKSTEP_DEVICE int __all(int p) { return __all_sync(__activemask(), p); }
LOCKSTEP_DEVICE unsigned __ballot(int p) { return __ballot_sync(__activemask(), p); }

/* Any type of 4 or 8 bytes as one or two words, through a shuffle of words. */
#define LOCKSTEP_SHUFFLE(name, old, builtin, last)                                                                       \
	template <typename T> LOCKSTEP_DEVICE T name(unsigned mask, T value, int lane, int width = 32)                   \
	{                                                                                                                \
		static_assert(sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) < 4, #name " moves at most 8 bytes");        \
		int words[(sizeof(T) + 3) / 4] = {};                                                                     \
		__builtin_memcpy(words, &value, sizeof(T));                                                              \
		for (unsigned k = 0; k < sizeof(words) / 4; k++)                                                         \
			words[k] = builtin(mask, words[k], lane, ((32 - width) << 8) | (last));                          \
		__builtin_memcpy(&value, words, sizeof(T));                                                              \
		return value;                                                                                            \
	}                                                                                                                \
	template <typename T> LOCKSTEP_DEVICE T old(T value, int lane, int width = 32)                                   \
	{                                                                                                                \
		return name(__activemask(), value, lane, width);                                                         \
	}
LOCKSTEP_SHUFFLE(__shfl_sync, __shfl, __nvvm_shfl_sync_idx_i32, 31)
LOCKSTEP_SHUFFLE(__shfl_up_sync, __shfl_up, __nvvm_shfl_sync_up_i32, 0)
LOCKSTEP_SHUFFLE(__shfl_down_sync, __shfl_down, __nvvm_shfl_sync_down_i32, 31)
LOCKSTEP_SHUFFLE(__shfl_xor_sync, __shfl_xor, __nvvm_shfl_sync_bfly_i32, 31)

template <typename T> LOCKSTEP_DEVICE unsigned __match_any_sync(unsigned mask, T value)
{
	unsigned result;
	if (sizeof(T) == 8) {
		long long bits = 0;
		__builtin_memcpy(&bits, &value, sizeof(T));
		__asm__ volatile("match.any.sync.b64 %0, %1, %2;" : "=r"(result) : "l"(bits), "r"(mask));
	} else {
		int bits = 0;
		__builtin_memcpy(&bits, &value, sizeof(T));
		__asm__ volatile("match.any.sync.b32 %0, %1, %2;" : "=r"(result) : "r"(bits), "r"(mask));
	}
	return result;
}
template <typename T> LOCKSTEP_DEVICE unsigned __match_all_sync(unsigned mask, T value, int *same)
{
	unsigned result;
	int p;
	if (sizeof(T) == 8) {
		long long bits = 0;
		__builtin_memcpy(&bits, &value, sizeof(T));
		__asm__ volatile("{ .reg .pred p; match.all.sync.b64 %0|p, %2, %3; selp.s32 %1, 1, 0, p; }"
				 : "=r"(result), "=r"(p) : "l"(bits), "r"(mask));
	} else {
		int bits = 0;
		__builtin_memcpy(&bits, &value, sizeof(T));
		__asm__ volatile("{ .reg .pred p; match.all.sync.b32 %0|p, %2, %3; selp.s32 %1, 1, 0, p; }"
				 : "=r"(result), "=r"(p) : "r"(bits), "r"(mask));
	}
	*same = p;
	return result;
}
#define LOCKSTEP_REDUX(name, word, type)                                                                                 \
	LOCKSTEP_DEVICE type name(unsigned mask, type value)                                                             \
	{                                                                                                                \
		type result;                                                                                             \
		__asm__ volatile("redux.sync." word " %0, %1, %2;" : "=r"(result) : "r"(value), "r"(mask));              \
		return result;                                                                                           \
	}
LOCKSTEP_REDUX(__reduce_add_sync, "add.s32", int)
LOCKSTEP_REDUX(__reduce_add_sync, "add.u32", unsigned)
LOCKSTEP_REDUX(__reduce_min_sync, "min.s32", int)
LOCKSTEP_REDUX(__reduce_min_sync, "min.u32", unsigned)
LOCKSTEP_REDUX(__reduce_max_sync, "max.s32", int)
LOCKSTEP_REDUX(__reduce_max_sync, "max.u32", unsigned)
LOCKSTEP_REDUX(__reduce_and_sync, "and.b32", unsigned)
LOCKSTEP_REDUX(__reduce_or_sync, "or.b32", unsigned)
LOCKSTEP_REDUX(__reduce_xor_sync, "xor.b32", unsigned)

/* ---- The stack ---- */

#undef alloca
#define alloca(bytes) lockstep_alloca(bytes)
LOCKSTEP_DEVICE void *lockstep_alloca(size_t bytes)
{
	void *at;
	__asm__ volatile("{ .reg .u64 p; alloca.u64 p, %1, 16; cvta.local.u64 %0, p; }" : "=l"(at) : "l"(bytes) : "memory");
	return at;
}

/* ---- Atomics: relaxed for the GPU, in program order for the compiler, as nvcc has them ---- */

/* The second barrier uses the old value, or clang would make a store of an exchange that nobody looks at. */
#define LOCKSTEP_ATOMIC(type, name, builtin, c)                                                                          \
	LOCKSTEP_DEVICE type name(type *at, type value)                                                                  \
	{                                                                                                                \
		LOCKSTEP_COMPILER_BARRIER();                                                                             \
		type old = builtin(at, value, __ATOMIC_RELAXED);                                                         \
		__asm__ volatile("" : : c(old) : "memory");                                                              \
		return old;                                                                                              \
	}
#define LOCKSTEP_CAS(type)                                                                                               \
	LOCKSTEP_DEVICE type atomicCAS(type *at, type expected, type desired)                                            \
	{                                                                                                                \
		LOCKSTEP_COMPILER_BARRIER();                                                                             \
		__atomic_compare_exchange_n(at, &expected, desired, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);          \
		LOCKSTEP_COMPILER_BARRIER();                                                                             \
		return expected;                                                                                         \
	}
#define LOCKSTEP_ATOMICS(type, c)                                                                                        \
	LOCKSTEP_ATOMIC(type, atomicAdd, __atomic_fetch_add, c)                                                             \
	LOCKSTEP_ATOMIC(type, atomicSub, __atomic_fetch_sub, c)                                                             \
	LOCKSTEP_ATOMIC(type, atomicAnd, __atomic_fetch_and, c)                                                             \
	LOCKSTEP_ATOMIC(type, atomicOr, __atomic_fetch_or, c)                                                               \
	LOCKSTEP_ATOMIC(type, atomicXor, __atomic_fetch_xor, c)                                                             \
	LOCKSTEP_ATOMIC(type, atomicMin, __atomic_fetch_min, c)                                                             \
	LOCKSTEP_ATOMIC(type, atomicMax, __atomic_fetch_max, c)                                                             \
	LOCKSTEP_ATOMIC(type, atomicExch, __atomic_exchange_n, c)                                                           \
	LOCKSTEP_CAS(type)
LOCKSTEP_ATOMICS(int, "r")
LOCKSTEP_ATOMICS(unsigned, "r")
LOCKSTEP_ATOMICS(long long, "l")
LOCKSTEP_ATOMICS(unsigned long long, "l")

/* Those that only an instruction can say.  `c` is the register class: r, l, f or d. */
#define LOCKSTEP_ATOMIC_ASM(type, name, words, c)                                                                        \
	LOCKSTEP_DEVICE type name(type *at, type value)                                                                  \
	{                                                                                                                \
		type old;                                                                                                \
		__asm__ volatile("atom." words " %0, [%1], %2;" : "=" c(old) : "l"(at), c(value) : "memory");            \
		return old;                                                                                              \
	}
LOCKSTEP_ATOMIC_ASM(unsigned, atomicInc, "inc.u32", "r")
LOCKSTEP_ATOMIC_ASM(unsigned, atomicDec, "dec.u32", "r")
LOCKSTEP_ATOMIC_ASM(float, atomicAdd, "add.f32", "f")
LOCKSTEP_ATOMIC_ASM(double, atomicAdd, "add.f64", "d")
LOCKSTEP_DEVICE float atomicExch(float *at, float value)
{
	int old = atomicExch((int *)at, __builtin_bit_cast(int, value));
	return __builtin_bit_cast(float, old);
}

/* The same with another scope. */
#define LOCKSTEP_ATOMIC_SCOPES(type, name, words, c)                                                                     \
	LOCKSTEP_ATOMIC_ASM(type, name##_block, "cta." words, c)                                                         \
	LOCKSTEP_ATOMIC_ASM(type, name##_system, "sys." words, c)
#define LOCKSTEP_CAS_SCOPE(type, name, words, c)                                                                         \
	LOCKSTEP_DEVICE type name(type *at, type expected, type desired)                                                 \
	{                                                                                                                \
		type old;                                                                                                \
		__asm__ volatile("atom." words " %0, [%1], %2, %3;"                                                      \
				 : "=" c(old) : "l"(at), c(expected), c(desired) : "memory");                            \
		return old;                                                                                              \
	}
/* Types, then the words for adding, for comparing and for bits, and the register class. */
#define LOCKSTEP_SCOPED(type, add, u, b, c)                                                                              \
	LOCKSTEP_ATOMIC_SCOPES(type, atomicAdd, "add." add, c)                                                                  \
	LOCKSTEP_ATOMIC_SCOPES(type, atomicMin, "min." u, c)                                                                    \
	LOCKSTEP_ATOMIC_SCOPES(type, atomicMax, "max." u, c)                                                                    \
	LOCKSTEP_ATOMIC_SCOPES(type, atomicAnd, "and." b, c)                                                                    \
	LOCKSTEP_ATOMIC_SCOPES(type, atomicOr, "or." b, c)                                                                      \
	LOCKSTEP_ATOMIC_SCOPES(type, atomicXor, "xor." b, c)                                                                    \
	LOCKSTEP_ATOMIC_SCOPES(type, atomicExch, "exch." b, c)                                                                  \
	LOCKSTEP_DEVICE type atomicSub_block(type *at, type value) { return atomicAdd_block(at, (type)(0 - value)); }           \
	LOCKSTEP_DEVICE type atomicSub_system(type *at, type value) { return atomicAdd_system(at, (type)(0 - value)); }         \
	LOCKSTEP_CAS_SCOPE(type, atomicCAS_block, "cta.cas." b, c)                                                              \
	LOCKSTEP_CAS_SCOPE(type, atomicCAS_system, "sys.cas." b, c)
LOCKSTEP_SCOPED(int, "s32", "s32", "b32", "r")
LOCKSTEP_SCOPED(unsigned, "u32", "u32", "b32", "r")
LOCKSTEP_SCOPED(long long, "u64", "s64", "b64", "l")
LOCKSTEP_SCOPED(unsigned long long, "u64", "u64", "b64", "l")
LOCKSTEP_ATOMIC_SCOPES(unsigned, atomicInc, "inc.u32", "r")
LOCKSTEP_ATOMIC_SCOPES(unsigned, atomicDec, "dec.u32", "r")
LOCKSTEP_ATOMIC_SCOPES(float, atomicAdd, "add.f32", "f")
LOCKSTEP_ATOMIC_SCOPES(float, atomicExch, "exch.b32", "f")
LOCKSTEP_ATOMIC_SCOPES(double, atomicAdd, "add.f64", "d")
LOCKSTEP_CAS_SCOPE(unsigned short, atomicCAS, "cas.b16", "h")
LOCKSTEP_CAS_SCOPE(unsigned short, atomicCAS_block, "cta.cas.b16", "h")
LOCKSTEP_CAS_SCOPE(unsigned short, atomicCAS_system, "sys.cas.b16", "h")

/* Vectors, in global memory: each element is an atomic operation of its own. */
LOCKSTEP_DEVICE float2 atomicAdd(float2 *at, float2 v)
{
	float2 old;
	__asm__ volatile("atom.global.add.v2.f32 {%0, %1}, [%2], {%3, %4};"
			 : "=f"(old.x), "=f"(old.y) : "l"(at), "f"(v.x), "f"(v.y) : "memory");
	return old;
}
LOCKSTEP_DEVICE float4 atomicAdd(float4 *at, float4 v)
{
	float4 old;
	__asm__ volatile("atom.global.add.v4.f32 {%0, %1, %2, %3}, [%4], {%5, %6, %7, %8};"
			 : "=f"(old.x), "=f"(old.y), "=f"(old.z), "=f"(old.w)
			 : "l"(at), "f"(v.x), "f"(v.y), "f"(v.z), "f"(v.w) : "memory");
	return old;
}
LOCKSTEP_DEVICE float2 atomicAdd_block(float2 *at, float2 v)
{
	float2 old;
	__asm__ volatile("atom.cta.global.add.v2.f32 {%0, %1}, [%2], {%3, %4};"
			 : "=f"(old.x), "=f"(old.y) : "l"(at), "f"(v.x), "f"(v.y) : "memory");
	return old;
}
LOCKSTEP_DEVICE float4 atomicAdd_block(float4 *at, float4 v)
{
	float4 old;
	__asm__ volatile("atom.cta.global.add.v4.f32 {%0, %1, %2, %3}, [%4], {%5, %6, %7, %8};"
			 : "=f"(old.x), "=f"(old.y), "=f"(old.z), "=f"(old.w)
			 : "l"(at), "f"(v.x), "f"(v.y), "f"(v.z), "f"(v.w) : "memory");
	return old;
}
LOCKSTEP_DEVICE float2 atomicAdd_system(float2 *at, float2 v)
{
	float2 old;
	__asm__ volatile("atom.sys.global.add.v2.f32 {%0, %1}, [%2], {%3, %4};"
			 : "=f"(old.x), "=f"(old.y) : "l"(at), "f"(v.x), "f"(v.y) : "memory");
	return old;
}
LOCKSTEP_DEVICE float4 atomicAdd_system(float4 *at, float4 v)
{
	float4 old;
	__asm__ volatile("atom.sys.global.add.v4.f32 {%0, %1, %2, %3}, [%4], {%5, %6, %7, %8};"
			 : "=f"(old.x), "=f"(old.y), "=f"(old.z), "=f"(old.w)
			 : "l"(at), "f"(v.x), "f"(v.y), "f"(v.z), "f"(v.w) : "memory");
	return old;
}

/* ---- Bits and integers ---- */

LOCKSTEP_DEVICE int __popc(unsigned a) { return __builtin_popcount(a); }
LOCKSTEP_DEVICE int __popcll(unsigned long long a) { return __builtin_popcountll(a); }
LOCKSTEP_DEVICE int __clz(int a) { return a ? __builtin_clz((unsigned)a) : 32; }
LOCKSTEP_DEVICE int __clzll(long long a) { return a ? __builtin_clzll((unsigned long long)a) : 64; }
LOCKSTEP_DEVICE int __ffs(int a) { return __builtin_ffs(a); }
LOCKSTEP_DEVICE int __ffsll(long long a) { return __builtin_ffsll(a); }
LOCKSTEP_DEVICE unsigned __brev(unsigned a) { return __builtin_bitreverse32(a); }
LOCKSTEP_DEVICE unsigned long long __brevll(unsigned long long a) { return __builtin_bitreverse64(a); }
LOCKSTEP_DEVICE unsigned __byte_perm(unsigned a, unsigned b, unsigned s)
{
	unsigned d;
	__asm__("prmt.b32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(s));
	return d;
}
LOCKSTEP_DEVICE unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned s)
{
	unsigned d;
	__asm__("shf.l.wrap.b32 %0, %1, %2, %3;" : "=r"(d) : "r"(lo), "r"(hi), "r"(s));
	return d;
}
LOCKSTEP_DEVICE unsigned __funnelshift_r(unsigned lo, unsigned hi, unsigned s)
{
	unsigned d;
	__asm__("shf.r.wrap.b32 %0, %1, %2, %3;" : "=r"(d) : "r"(lo), "r"(hi), "r"(s));
	return d;
}
LOCKSTEP_DEVICE unsigned __funnelshift_lc(unsigned lo, unsigned hi, unsigned s)
{
	unsigned d;
	__asm__("shf.l.clamp.b32 %0, %1, %2, %3;" : "=r"(d) : "r"(lo), "r"(hi), "r"(s));
	return d;
}
LOCKSTEP_DEVICE unsigned __funnelshift_rc(unsigned lo, unsigned hi, unsigned s)
{
	unsigned d;
	__asm__("shf.r.clamp.b32 %0, %1, %2, %3;" : "=r"(d) : "r"(lo), "r"(hi), "r"(s));
	return d;
}
LOCKSTEP_DEVICE unsigned __fns(unsigned mask, unsigned base, int offset)
{
	unsigned d;
	__asm__("fns.b32 %0, %1, %2, %3;" : "=r"(d) : "r"(mask), "r"(base), "r"(offset));
	return d;
}
LOCKSTEP_DEVICE int __hadd(int a, int b) { return (int)(((long long)a + b) >> 1); }
LOCKSTEP_DEVICE int __rhadd(int a, int b) { return (int)(((long long)a + b + 1) >> 1); }
LOCKSTEP_DEVICE unsigned __uhadd(unsigned a, unsigned b) { return (unsigned)(((unsigned long long)a + b) >> 1); }
LOCKSTEP_DEVICE unsigned __urhadd(unsigned a, unsigned b) { return (unsigned)(((unsigned long long)a + b + 1) >> 1); }
LOCKSTEP_DEVICE int __mulhi(int a, int b) { return (int)((long long)a * b >> 32); }
LOCKSTEP_DEVICE unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)((unsigned long long)a * b >> 32); }
LOCKSTEP_DEVICE long long __mul64hi(long long a, long long b) { return (long long)((__int128)a * b >> 64); }
LOCKSTEP_DEVICE unsigned long long __umul64hi(unsigned long long a, unsigned long long b)
{
	return (unsigned long long)((unsigned __int128)a * b >> 64);
}
LOCKSTEP_DEVICE int __mul24(int a, int b) { return (int)((unsigned)(a << 8 >> 8) * (unsigned)(b << 8 >> 8)); }
LOCKSTEP_DEVICE unsigned __umul24(unsigned a, unsigned b) { return (a & 0xffffff) * (b & 0xffffff); }
LOCKSTEP_DEVICE unsigned __sad(int a, int b, unsigned c) { return c + (a > b ? (unsigned)a - (unsigned)b : (unsigned)b - (unsigned)a); }
LOCKSTEP_DEVICE unsigned __usad(unsigned a, unsigned b, unsigned c) { return c + (a > b ? a - b : b - a); }
LOCKSTEP_DEVICE int __dp4a(int a, int b, int c)
{
	int d;
	__asm__("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
	return d;
}
LOCKSTEP_DEVICE unsigned __dp4a(unsigned a, unsigned b, unsigned c)
{
	unsigned d;
	__asm__("dp4a.u32.u32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
	return d;
}

#define LOCKSTEP_DP2A(type, half, words)                                                                                 \
	LOCKSTEP_DEVICE type __dp2a_##half(type a, type b, type c)                                                       \
	{                                                                                                                \
		type d;                                                                                                  \
		__asm__(words " %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));                                    \
		return d;                                                                                                \
	}
LOCKSTEP_DP2A(int, lo, "dp2a.lo.s32.s32")
LOCKSTEP_DP2A(int, hi, "dp2a.hi.s32.s32")
LOCKSTEP_DP2A(unsigned, lo, "dp2a.lo.u32.u32")
LOCKSTEP_DP2A(unsigned, hi, "dp2a.hi.u32.u32")

/* Four bytes or two halfwords at once: `value` of each pair a, b. */
#define LOCKSTEP_PACKED(name, type, width, value)                                                                        \
	LOCKSTEP_DEVICE unsigned name(unsigned x, unsigned y)                                                            \
	{                                                                                                                \
		unsigned d = 0;                                                                                          \
		for (int k = 0; k < 32; k += width) {                                                                    \
			int a = (type)(x >> k), b = (type)(y >> k);                                                      \
			d |= ((unsigned)(value) & ((1u << width) - 1)) << k;                                             \
		}                                                                                                        \
		return d;                                                                                                \
	}
#define LOCKSTEP_LIMIT(v, low, high) ((v) < (low) ? (low) : (v) > (high) ? (high) : (v))
#define LOCKSTEP_PACKED_COMPARE(n, sign, type, width, name, op)                                                          \
	LOCKSTEP_PACKED(__vcmp##name##sign##n, type, width, a op b ? -1 : 0)                                             \
	LOCKSTEP_PACKED(__vset##name##sign##n, type, width, a op b)
#define LOCKSTEP_PACKED_SIGN(n, sign, type, width)                                                                       \
	LOCKSTEP_PACKED(__vmax##sign##n, type, width, a > b ? a : b)                                                     \
	LOCKSTEP_PACKED(__vmin##sign##n, type, width, a < b ? a : b)                                                     \
	LOCKSTEP_PACKED(__vabsdiff##sign##n, type, width, a > b ? a - b : b - a)                                         \
	LOCKSTEP_PACKED(__vavg##sign##n, type, width, (a + b + (a + b >= 0)) >> 1)                                       \
	LOCKSTEP_PACKED(lockstep_distances_##sign##n, type, width, a > b ? a - b : b - a)                                \
	LOCKSTEP_PACKED_COMPARE(n, sign, type, width, lt, <)                                                             \
	LOCKSTEP_PACKED_COMPARE(n, sign, type, width, le, <=)                                                            \
	LOCKSTEP_PACKED_COMPARE(n, sign, type, width, gt, >)                                                             \
	LOCKSTEP_PACKED_COMPARE(n, sign, type, width, ge, >=)                                                            \
	LOCKSTEP_DEVICE unsigned __vsad##sign##n(unsigned x, unsigned y)                                                 \
	{                                                                                                                \
		unsigned d = lockstep_distances_##sign##n(x, y), sum = 0;                                                \
		for (int k = 0; k < 32; k += width)                                                                      \
			sum += d >> k & ((1u << width) - 1);                                                             \
		return sum;                                                                                              \
	}
#define LOCKSTEP_PACKED_ALL(n, unsigned_type, signed_type, width)                                                        \
	LOCKSTEP_PACKED(__vadd##n, unsigned_type, width, a + b)                                                          \
	LOCKSTEP_PACKED(__vsub##n, unsigned_type, width, a - b)                                                          \
	LOCKSTEP_PACKED(__vaddus##n, unsigned_type, width, LOCKSTEP_LIMIT(a + b, 0, (1 << width) - 1))                   \
	LOCKSTEP_PACKED(__vsubus##n, unsigned_type, width, LOCKSTEP_LIMIT(a - b, 0, (1 << width) - 1))                   \
	LOCKSTEP_PACKED(__vaddss##n, signed_type, width, LOCKSTEP_LIMIT(a + b, -(1 << (width - 1)), (1 << (width - 1)) - 1)) \
	LOCKSTEP_PACKED(__vsubss##n, signed_type, width, LOCKSTEP_LIMIT(a - b, -(1 << (width - 1)), (1 << (width - 1)) - 1)) \
	LOCKSTEP_PACKED(__vhaddu##n, unsigned_type, width, (a + b) >> 1)                                                 \
	LOCKSTEP_PACKED_COMPARE(n, , unsigned_type, width, eq, ==)                                                       \
	LOCKSTEP_PACKED_COMPARE(n, , unsigned_type, width, ne, !=)                                                       \
	LOCKSTEP_PACKED_SIGN(n, u, unsigned_type, width)                                                                 \
	LOCKSTEP_PACKED_SIGN(n, s, signed_type, width)                                                                   \
	LOCKSTEP_DEVICE unsigned __vneg##n(unsigned x) { return __vsub##n(0, x); }                                       \
	LOCKSTEP_DEVICE unsigned __vnegss##n(unsigned x) { return __vsubss##n(0, x); }                                   \
	LOCKSTEP_DEVICE unsigned __vabs##n(unsigned x) { return __vabsdiffs##n(x, 0); }                                  \
	LOCKSTEP_DEVICE unsigned __vabsss##n(unsigned x) { return __vmaxs##n(x, __vnegss##n(x)); }
LOCKSTEP_PACKED_ALL(2, unsigned short, short, 16)
LOCKSTEP_PACKED_ALL(4, unsigned char, signed char, 8)

#define LOCKSTEP_MIN_MAX(type)                                                                                           \
	LOCKSTEP_DEVICE type min(type a, type b) { return a < b ? a : b; }                                               \
	LOCKSTEP_DEVICE type max(type a, type b) { return a > b ? a : b; }
LOCKSTEP_MIN_MAX(int)
LOCKSTEP_MIN_MAX(unsigned)
LOCKSTEP_MIN_MAX(long)
LOCKSTEP_MIN_MAX(unsigned long)
LOCKSTEP_MIN_MAX(long long)
LOCKSTEP_MIN_MAX(unsigned long long)
LOCKSTEP_DEVICE float min(float a, float b) { return __builtin_fminf(a, b); }
LOCKSTEP_DEVICE float max(float a, float b) { return __builtin_fmaxf(a, b); }
LOCKSTEP_DEVICE double min(double a, double b) { return __builtin_fmin(a, b); }
LOCKSTEP_DEVICE double max(double a, double b) { return __builtin_fmax(a, b); }
/* As CUDA has them: of a signed and an unsigned number, the unsigned comparison. */
#define LOCKSTEP_MIN_MAX_MIXED(wide, a_type, b_type)                                                                     \
	LOCKSTEP_DEVICE wide min(a_type a, b_type b) { return min((wide)a, (wide)b); }                                   \
	LOCKSTEP_DEVICE wide max(a_type a, b_type b) { return max((wide)a, (wide)b); }
#define LOCKSTEP_MIN_MAX_BOTH(wide, a, b) LOCKSTEP_MIN_MAX_MIXED(wide, a, b) LOCKSTEP_MIN_MAX_MIXED(wide, b, a)
LOCKSTEP_MIN_MAX_BOTH(unsigned, unsigned, int)
LOCKSTEP_MIN_MAX_BOTH(unsigned long, unsigned long, long)
LOCKSTEP_MIN_MAX_BOTH(unsigned long long, unsigned long long, long long)
LOCKSTEP_DEVICE unsigned umin(unsigned a, unsigned b) { return min(a, b); }
LOCKSTEP_DEVICE unsigned umax(unsigned a, unsigned b) { return max(a, b); }
LOCKSTEP_DEVICE long long llmin(long long a, long long b) { return min(a, b); }
LOCKSTEP_DEVICE long long llmax(long long a, long long b) { return max(a, b); }
LOCKSTEP_DEVICE unsigned long long ullmin(unsigned long long a, unsigned long long b) { return min(a, b); }
LOCKSTEP_DEVICE unsigned long long ullmax(unsigned long long a, unsigned long long b) { return max(a, b); }
LOCKSTEP_DEVICE double min(float a, double b) { return __builtin_fmin(a, b); }
LOCKSTEP_DEVICE double min(double a, float b) { return __builtin_fmin(a, b); }
LOCKSTEP_DEVICE double max(float a, double b) { return __builtin_fmax(a, b); }
LOCKSTEP_DEVICE double max(double a, float b) { return __builtin_fmax(a, b); }

/* ---- Floating point ---- */

LOCKSTEP_DEVICE float __int_as_float(int a) { return __builtin_bit_cast(float, a); }
LOCKSTEP_DEVICE int __float_as_int(float a) { return __builtin_bit_cast(int, a); }
LOCKSTEP_DEVICE float __uint_as_float(unsigned a) { return __builtin_bit_cast(float, a); }
LOCKSTEP_DEVICE unsigned __float_as_uint(float a) { return __builtin_bit_cast(unsigned, a); }
LOCKSTEP_DEVICE double __longlong_as_double(long long a) { return __builtin_bit_cast(double, a); }
LOCKSTEP_DEVICE long long __double_as_longlong(double a) { return __builtin_bit_cast(long long, a); }
LOCKSTEP_DEVICE int __double2hiint(double a) { return (int)(__builtin_bit_cast(long long, a) >> 32); }
LOCKSTEP_DEVICE int __double2loint(double a) { return (int)__builtin_bit_cast(long long, a); }
LOCKSTEP_DEVICE double __hiloint2double(int high, int low)
{
	return __builtin_bit_cast(double, (unsigned long long)(unsigned)high << 32 | (unsigned)low);
}

/* Conversions: `r` is the rounding of a number to an integer, of a number to a narrower one or of an integer to a number. */
#define LOCKSTEP_CONVERT(name, to, from, words, d, c)                                                                    \
	LOCKSTEP_DEVICE to name(from a) { to v; __asm__("cvt." words " %0, %1;" : "=" d(v) : c(a)); return v; }
#define LOCKSTEP_TO_INTEGER(name, type, word, d)                                                                         \
	LOCKSTEP_TO_INTEGER_ROUNDED(name, type, word, d, rn) LOCKSTEP_TO_INTEGER_ROUNDED(name, type, word, d, rz)        \
	LOCKSTEP_CONVERT(__float2##name##_ru, type, float, "rpi." word ".f32", d, "f")                                   \
	LOCKSTEP_CONVERT(__double2##name##_ru, type, double, "rpi." word ".f64", d, "d")                                 \
	LOCKSTEP_CONVERT(__float2##name##_rd, type, float, "rmi." word ".f32", d, "f")                                   \
	LOCKSTEP_CONVERT(__double2##name##_rd, type, double, "rmi." word ".f64", d, "d")
#define LOCKSTEP_TO_INTEGER_ROUNDED(name, type, word, d, r)                                                              \
	LOCKSTEP_CONVERT(__float2##name##_##r, type, float, #r "i." word ".f32", d, "f")                                 \
	LOCKSTEP_CONVERT(__double2##name##_##r, type, double, #r "i." word ".f64", d, "d")
LOCKSTEP_TO_INTEGER(int, int, "s32", "r")
LOCKSTEP_TO_INTEGER(uint, unsigned, "u32", "r")
LOCKSTEP_TO_INTEGER(ll, long long, "s64", "l")
LOCKSTEP_TO_INTEGER(ull, unsigned long long, "u64", "l")
#define LOCKSTEP_TO_NUMBER(name, r)                                                                                   \
	LOCKSTEP_CONVERT(__double2float_##name, float, double, r ".f32.f64", "f", "d")                                   \
	LOCKSTEP_CONVERT(__int2float_##name, float, int, r ".f32.s32", "f", "r")                                         \
	LOCKSTEP_CONVERT(__uint2float_##name, float, unsigned, r ".f32.u32", "f", "r")                                   \
	LOCKSTEP_CONVERT(__ll2float_##name, float, long long, r ".f32.s64", "f", "l")                                    \
	LOCKSTEP_CONVERT(__ull2float_##name, float, unsigned long long, r ".f32.u64", "f", "l")                          \
	LOCKSTEP_CONVERT(__ll2double_##name, double, long long, r ".f64.s64", "d", "l")                                  \
	LOCKSTEP_CONVERT(__ull2double_##name, double, unsigned long long, r ".f64.u64", "d", "l")
LOCKSTEP_TO_NUMBER(rn, "rn")
LOCKSTEP_TO_NUMBER(rz, "rz")
LOCKSTEP_TO_NUMBER(ru, "rp")
LOCKSTEP_TO_NUMBER(rd, "rm")
LOCKSTEP_DEVICE double __int2double_rn(int a) { return a; }
LOCKSTEP_DEVICE double __uint2double_rn(unsigned a) { return a; }

/* `words` is an instruction of one, two or three operands of one type. */
#define LOCKSTEP_FLOAT1(type, name, words, c)                                                                            \
	LOCKSTEP_DEVICE type name(type a) { type d; __asm__(words " %0, %1;" : "=" c(d) : c(a)); return d; }
#define LOCKSTEP_FLOAT2(type, name, words, c)                                                                            \
	LOCKSTEP_DEVICE type name(type a, type b) { type d; __asm__(words " %0, %1, %2;" : "=" c(d) : c(a), c(b)); return d; }
#define LOCKSTEP_FLOAT3(type, name, words, c)                                                                            \
	LOCKSTEP_DEVICE type name(type a, type b, type e)                                                                \
	{                                                                                                                \
		type d;                                                                                                  \
		__asm__(words " %0, %1, %2, %3;" : "=" c(d) : c(a), c(b), c(e));                                         \
		return d;                                                                                                \
	}
#define LOCKSTEP_ROUNDED(type, f, d, r, p, s, c)                                                                            \
	LOCKSTEP_FLOAT2(type, __##d##add_##r, "add." p "." s, c)                                                        \
	LOCKSTEP_FLOAT2(type, __##d##sub_##r, "sub." p "." s, c)                                                        \
	LOCKSTEP_FLOAT2(type, __##d##mul_##r, "mul." p "." s, c)                                                        \
	LOCKSTEP_FLOAT2(type, __##d##div_##r, "div." p "." s, c)                                                        \
	LOCKSTEP_FLOAT1(type, __##f##sqrt_##r, "sqrt." p "." s, c)                                                      \
	LOCKSTEP_FLOAT1(type, __##f##rcp_##r, "rcp." p "." s, c)
#define LOCKSTEP_ROUNDED_ALL(r, p)                                                                                        \
	LOCKSTEP_ROUNDED(float, f, f, r, p, "f32", "f")                                                                     \
	LOCKSTEP_ROUNDED(double, d, d, r, p, "f64", "d")                                                                    \
	LOCKSTEP_FLOAT3(float, __fmaf_##r, "fma." p ".f32", "f")                                                        \
	LOCKSTEP_FLOAT3(double, __fma_##r, "fma." p ".f64", "d")
LOCKSTEP_ROUNDED_ALL(rn, "rn")
LOCKSTEP_ROUNDED_ALL(rz, "rz")
LOCKSTEP_ROUNDED_ALL(ru, "rp")
LOCKSTEP_ROUNDED_ALL(rd, "rm")

LOCKSTEP_FLOAT1(float, __sinf, "sin.approx.f32", "f")
LOCKSTEP_FLOAT1(float, __cosf, "cos.approx.f32", "f")
LOCKSTEP_FLOAT1(float, lockstep_ex2, "ex2.approx.f32", "f")
LOCKSTEP_FLOAT1(float, __log2f, "lg2.approx.f32", "f")
LOCKSTEP_FLOAT1(float, rsqrtf, "rsqrt.approx.f32", "f")
LOCKSTEP_FLOAT2(float, __fdividef, "div.approx.f32", "f")
LOCKSTEP_FLOAT1(float, __saturatef, "cvt.sat.f32.f32", "f")
LOCKSTEP_FLOAT1(double, rsqrt, "rsqrt.approx.f64", "d")
/* Rounded to nearest: the one of two neighbours on whose side of their middle the root lies, which the square of the middle tells. */
LOCKSTEP_DEVICE float __frsqrt_rn(float a)
{
	double root = __drcp_rn(__dsqrt_rn((double)a)), beside, middle;
	float near = (float)root;
	bool above = root > near, middle_above;
	if (!(a > 0) || a > 3.402823466e+38f || root == near)
		return a == 0 ? __builtin_copysignf(__builtin_inff(), a) : near;
	beside = __builtin_bit_cast(float, __builtin_bit_cast(int, near) + (above ? 1 : -1));
	middle = (near + beside) / 2;
	middle_above = __fma_rn((double)a, middle * middle, -1.0) > 0;
	return above == middle_above ? near : (float)beside;
}
LOCKSTEP_DEVICE float __expf(float a) { return lockstep_ex2(a * 1.4426950408889634f); }
LOCKSTEP_DEVICE float __exp10f(float a) { return lockstep_ex2(a * 3.3219280948873623f); }
LOCKSTEP_DEVICE float __logf(float a) { return __log2f(a) * 0.69314718055994531f; }
LOCKSTEP_DEVICE float __log10f(float a) { return __log2f(a) * 0.30102999566398120f; }
LOCKSTEP_DEVICE float __powf(float a, float b) { return lockstep_ex2(b * __log2f(a)); }
LOCKSTEP_DEVICE float __tanf(float a) { return __fdividef(__sinf(a), __cosf(a)); }

/* The C library's functions: those that are instructions, then those that libclc has under OpenCL's names. */
#define LOCKSTEP_MATH1(type, name, body) LOCKSTEP_C type name(type a) { return body; }
#define LOCKSTEP_MATH2(type, name, body) LOCKSTEP_C type name(type a, type b) { return body; }
LOCKSTEP_MATH1(float, sqrtf, __fsqrt_rn(a))
LOCKSTEP_MATH1(double, sqrt, __dsqrt_rn(a))
LOCKSTEP_MATH1(float, fabsf, __builtin_fabsf(a))
LOCKSTEP_MATH1(double, fabs, __builtin_fabs(a))
LOCKSTEP_MATH1(float, floorf, __builtin_floorf(a))
LOCKSTEP_MATH1(double, floor, __builtin_floor(a))
LOCKSTEP_MATH1(float, ceilf, __builtin_ceilf(a))
LOCKSTEP_MATH1(double, ceil, __builtin_ceil(a))
LOCKSTEP_MATH1(float, truncf, __builtin_truncf(a))
LOCKSTEP_MATH1(double, trunc, __builtin_trunc(a))
LOCKSTEP_MATH1(float, rintf, __builtin_rintf(a))
LOCKSTEP_MATH1(double, rint, __builtin_rint(a))
LOCKSTEP_MATH2(float, fminf, __builtin_fminf(a, b))
LOCKSTEP_MATH2(double, fmin, __builtin_fmin(a, b))
LOCKSTEP_MATH2(float, fmaxf, __builtin_fmaxf(a, b))
LOCKSTEP_MATH2(double, fmax, __builtin_fmax(a, b))
LOCKSTEP_MATH2(float, copysignf, __builtin_copysignf(a, b))
LOCKSTEP_MATH2(double, copysign, __builtin_copysign(a, b))
LOCKSTEP_C float fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
LOCKSTEP_C double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
LOCKSTEP_C int abs(int a) { return a < 0 ? -a : a; }
LOCKSTEP_C long labs(long a) { return a < 0 ? -a : a; }
LOCKSTEP_C long long llabs(long long a) { return a < 0 ? -a : a; }

/* OpenCL names, mangled as libclc has them. */
#define LOCKSTEP_CLC1(name, n)                                                                                           \
	extern "C" __device__ float _Z##n##name##f(float);                                                               \
	extern "C" __device__ double _Z##n##name##d(double);                                                             \
	LOCKSTEP_MATH1(float, name##f, _Z##n##name##f(a))                                                                \
	LOCKSTEP_MATH1(double, name, _Z##n##name##d(a))
#define LOCKSTEP_CLC2(name, n)                                                                                           \
	extern "C" __device__ float _Z##n##name##ff(float, float);                                                       \
	extern "C" __device__ double _Z##n##name##dd(double, double);                                                    \
	LOCKSTEP_MATH2(float, name##f, _Z##n##name##ff(a, b))                                                            \
	LOCKSTEP_MATH2(double, name, _Z##n##name##dd(a, b))
LOCKSTEP_CLC1(sin, 3)
LOCKSTEP_CLC1(cos, 3)
LOCKSTEP_CLC1(tan, 3)
LOCKSTEP_CLC1(asin, 4)
LOCKSTEP_CLC1(acos, 4)
LOCKSTEP_CLC1(atan, 4)
LOCKSTEP_CLC1(sinh, 4)
LOCKSTEP_CLC1(cosh, 4)
LOCKSTEP_CLC1(tanh, 4)
LOCKSTEP_CLC1(exp, 3)
LOCKSTEP_CLC1(exp2, 4)
LOCKSTEP_CLC1(log, 3)
LOCKSTEP_CLC1(log2, 4)
LOCKSTEP_CLC1(log10, 5)
LOCKSTEP_CLC1(cbrt, 4)
LOCKSTEP_CLC1(round, 5)
LOCKSTEP_CLC1(erf, 3)
LOCKSTEP_CLC1(erfc, 4)
LOCKSTEP_CLC1(exp10, 5)
LOCKSTEP_CLC1(expm1, 5)
LOCKSTEP_CLC1(log1p, 5)
LOCKSTEP_CLC1(asinh, 5)
LOCKSTEP_CLC1(acosh, 5)
LOCKSTEP_CLC1(atanh, 5)
LOCKSTEP_CLC1(sinpi, 5)
LOCKSTEP_CLC1(cospi, 5)
LOCKSTEP_CLC1(tgamma, 6)
LOCKSTEP_CLC1(lgamma, 6)
LOCKSTEP_CLC1(logb, 4)
LOCKSTEP_CLC2(pow, 3)
LOCKSTEP_CLC2(fmod, 4)
LOCKSTEP_CLC2(atan2, 5)
LOCKSTEP_CLC2(hypot, 5)
LOCKSTEP_CLC2(fdim, 4)
LOCKSTEP_CLC2(remainder, 9)
LOCKSTEP_CLC2(nextafter, 9)
/* By hand, since libclc's lose subnormals.  A float becomes a double first, of which it has every exponent. */
LOCKSTEP_C double ldexp(double a, int n)
{
	for (int k = 0; k < 2 && n > 1023; k++, n -= 1023)
		a *= 0x1p1023;
	for (int k = 0; k < 2 && n < -1022; k++, n += 969)
		a *= 0x1p-969;
	n = n > 1023 ? 1023 : n < -1022 ? -1022 : n;
	return a * __builtin_bit_cast(double, (long long)(n + 1023) << 52);
}
LOCKSTEP_C double frexp(double a, int *n)
{
	bool small = __builtin_fabs(a) < 0x1p-1022;
	long long bits = __builtin_bit_cast(long long, small ? a * 0x1p54 : a);
	int exponent = (int)(bits >> 52) & 2047;
	bool plain = a != 0 && exponent != 2047;
	*n = plain ? exponent - 1022 - 54 * small : 0;
	return plain ? __builtin_bit_cast(double, (bits & ~(2047ll << 52)) | 1022ll << 52) : a;
}
LOCKSTEP_C int ilogb(double a)
{
	int n;
	frexp(a, &n);
	return a == 0 ? -2147483647 - 1 : __builtin_isfinite(a) ? n - 1 : __builtin_isinf(a) ? 2147483647 : -2147483647 - 1;
}
LOCKSTEP_C float ldexpf(float a, int n) { return (float)ldexp(a, n); }
LOCKSTEP_C float frexpf(float a, int *n) { return (float)frexp(a, n); }
LOCKSTEP_C int ilogbf(float a) { return ilogb(a); }
#define LOCKSTEP_MATH_MORE(type, f)                                                                                      \
	LOCKSTEP_C type scalbn##f(type a, int n) { return ldexp##f(a, n); }                                              \
	LOCKSTEP_C type modf##f(type a, type *whole)                                                                     \
	{                                                                                                                \
		*whole = trunc##f(a);                                                                                    \
		return copysign##f(__builtin_fabs##f(a) == __builtin_inf##f() ? 0 : a - *whole, a);                      \
	}                                                                                                                \
	LOCKSTEP_C void sincos##f(type a, type *s, type *c) { *s = sin##f(a), *c = cos##f(a); }                          \
	LOCKSTEP_C void sincospi##f(type a, type *s, type *c) { *s = sinpi##f(a), *c = cospi##f(a); }                    \
	LOCKSTEP_C type nearbyint##f(type a) { return rint##f(a); }                                                      \
	LOCKSTEP_C long lrint##f(type a) { return (long)rint##f(a); }                                                    \
	LOCKSTEP_C long long llrint##f(type a) { return (long long)rint##f(a); }                                         \
	LOCKSTEP_C long lround##f(type a) { return (long)round##f(a); }                                                  \
	LOCKSTEP_C long long llround##f(type a) { return (long long)round##f(a); }                                       \
	LOCKSTEP_C type rcbrt##f(type a) { return 1 / cbrt##f(a); }                                                      \
	LOCKSTEP_C type rhypot##f(type a, type b) { return 1 / hypot##f(a, b); }                                         \
	LOCKSTEP_C type norm3d##f(type a, type b, type c) { return hypot##f(hypot##f(a, b), c); }
LOCKSTEP_MATH_MORE(float, f)
LOCKSTEP_MATH_MORE(double, )
LOCKSTEP_C float fdividef(float a, float b) { return a / b; }
LOCKSTEP_C void __sincosf(float a, float *s, float *c) { *s = __sinf(a), *c = __cosf(a); }

/* C++'s overloads; <cmath> takes them over into std. */
#define LOCKSTEP_OVERLOAD1(name) LOCKSTEP_DEVICE float name(float a) { return name##f(a); }
#define LOCKSTEP_OVERLOAD2(name) LOCKSTEP_DEVICE float name(float a, float b) { return name##f(a, b); }
#define LOCKSTEP_OVERLOADS                                                                                               \
	LOCKSTEP_OVERLOAD1(sqrt) LOCKSTEP_OVERLOAD1(fabs) LOCKSTEP_OVERLOAD1(floor) LOCKSTEP_OVERLOAD1(ceil)             \
	LOCKSTEP_OVERLOAD1(trunc) LOCKSTEP_OVERLOAD1(rint) LOCKSTEP_OVERLOAD1(sin) LOCKSTEP_OVERLOAD1(cos)               \
	LOCKSTEP_OVERLOAD1(tan) LOCKSTEP_OVERLOAD1(asin) LOCKSTEP_OVERLOAD1(acos) LOCKSTEP_OVERLOAD1(atan)               \
	LOCKSTEP_OVERLOAD1(sinh) LOCKSTEP_OVERLOAD1(cosh) LOCKSTEP_OVERLOAD1(tanh) LOCKSTEP_OVERLOAD1(exp)               \
	LOCKSTEP_OVERLOAD1(exp2) LOCKSTEP_OVERLOAD1(log) LOCKSTEP_OVERLOAD1(log2) LOCKSTEP_OVERLOAD1(log10)              \
	LOCKSTEP_OVERLOAD1(cbrt) LOCKSTEP_OVERLOAD1(round) LOCKSTEP_OVERLOAD1(erf)                                       \
	LOCKSTEP_OVERLOAD2(fmin) LOCKSTEP_OVERLOAD2(fmax) LOCKSTEP_OVERLOAD2(pow) LOCKSTEP_OVERLOAD2(fmod)               \
	LOCKSTEP_OVERLOAD2(atan2) LOCKSTEP_OVERLOAD2(hypot)                                                              \
	LOCKSTEP_DEVICE float abs(float a) { return fabsf(a); }                                                          \
	LOCKSTEP_DEVICE double abs(double a) { return __builtin_fabs(a); }                                                 \
	LOCKSTEP_DEVICE long abs(long a) { return a < 0 ? -a : a; }                                                      \
	LOCKSTEP_DEVICE long long abs(long long a) { return a < 0 ? -a : a; }
LOCKSTEP_OVERLOADS
LOCKSTEP_DEVICE bool signbit(float a) { return __builtin_bit_cast(int, a) < 0; }
LOCKSTEP_DEVICE bool signbit(double a) { return __builtin_bit_cast(long long, a) < 0; }
LOCKSTEP_DEVICE bool isnan(float a) { return __builtin_isnan(a); }
LOCKSTEP_DEVICE bool isnan(double a) { return __builtin_isnan(a); }
LOCKSTEP_DEVICE bool isinf(float a) { return __builtin_isinf(a); }
LOCKSTEP_DEVICE bool isinf(double a) { return __builtin_isinf(a); }
LOCKSTEP_DEVICE bool isfinite(float a) { return __builtin_isfinite(a); }
LOCKSTEP_DEVICE bool isfinite(double a) { return __builtin_isfinite(a); }
#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")

/* ---- Clocks, loads, ends ---- */

LOCKSTEP_DEVICE long long clock64(void)
{
	long long t;
	__asm__ volatile("mov.u64 %0, %%clock64;" : "=l"(t)::"memory");
	return t;
}
LOCKSTEP_DEVICE long clock(void)
{
	int t;
	__asm__ volatile("mov.u32 %0, %%clock;" : "=r"(t)::"memory");
	return t;
}
LOCKSTEP_DEVICE void __nanosleep(unsigned t) { __asm__ volatile("nanosleep.u32 %0;" ::"r"(t) : "memory"); }
LOCKSTEP_DEVICE void __trap(void) { __asm__ volatile("trap;"); }
LOCKSTEP_DEVICE void __brkpt(void) { __asm__ volatile("brkpt;"); }
template <typename T> LOCKSTEP_DEVICE T __ldg(const T *at) { return *at; }
template <typename T> LOCKSTEP_DEVICE T __ldcg(const T *at) { return *(const volatile T *)at; }
#define LOCKSTEP_LOAD(name) template <typename T> LOCKSTEP_DEVICE T name(const T *at) { return *at; }
#define LOCKSTEP_STORE(name) template <typename T> LOCKSTEP_DEVICE void name(T *at, T value) { *at = value; }
LOCKSTEP_LOAD(__ldca) LOCKSTEP_LOAD(__ldcs) LOCKSTEP_LOAD(__ldlu)
template <typename T> LOCKSTEP_DEVICE T __ldcv(const T *at) { return *(const volatile T *)at; }
LOCKSTEP_STORE(__stwb) LOCKSTEP_STORE(__stcg) LOCKSTEP_STORE(__stcs) LOCKSTEP_STORE(__stwt)

/* ---- Addresses and blocks of memory ---- */

LOCKSTEP_DEVICE unsigned __isGlobal(const void *at) { return __nvvm_isspacep_global(at); }
LOCKSTEP_DEVICE unsigned __isShared(const void *at) { return __nvvm_isspacep_shared(at); }
LOCKSTEP_DEVICE unsigned __isConstant(const void *at) { return __nvvm_isspacep_const(at); }
LOCKSTEP_DEVICE unsigned __isLocal(const void *at) { return __nvvm_isspacep_local(at); }
#define LOCKSTEP_ADDRESS(space)                                                                                          \
	LOCKSTEP_DEVICE size_t __cvta_generic_to_##space(const void *at)                                                 \
	{                                                                                                                \
		size_t d;                                                                                                \
		__asm__("cvta.to." #space ".u64 %0, %1;" : "=l"(d) : "l"(at));                                           \
		return d;                                                                                                \
	}                                                                                                                \
	LOCKSTEP_DEVICE void *__cvta_##space##_to_generic(size_t at)                                                     \
	{                                                                                                                \
		void *d;                                                                                                 \
		__asm__("cvta." #space ".u64 %0, %1;" : "=l"(d) : "l"(at));                                              \
		return d;                                                                                                \
	}
LOCKSTEP_ADDRESS(global)
LOCKSTEP_ADDRESS(shared)
LOCKSTEP_ADDRESS(local)
/* Loops by hand, which clang must not turn into calls of themselves. */
LOCKSTEP_C void *memcpy(void *to, const void *from, size_t n)
{
	for (size_t k = 0; k < n; k++)
		((volatile char *)to)[k] = ((const char *)from)[k];
	return to;
}
LOCKSTEP_C void *memmove(void *to, const void *from, size_t n)
{
	if ((size_t)to <= (size_t)from)
		return memcpy(to, from, n);
	while (n--)
		((volatile char *)to)[n] = ((const char *)from)[n];
	return to;
}
LOCKSTEP_C void *memset(void *to, int value, size_t n)
{
	for (size_t k = 0; k < n; k++)
		((volatile char *)to)[k] = (char)value;
	return to;
}

extern "C" __device__ int vprintf(const char *, const char *);
extern "C" __device__ int printf(const char *, ...);
extern "C" __device__ void __assertfail(const char *, const char *, unsigned, const char *, size_t);
LOCKSTEP_C void __assert_fail(const char *what, const char *file, unsigned line, const char *function)
{
	__assertfail(what, file, line, function, 1);
}
#define assert(condition) ((condition) ? (void)0 : __assert_fail(#condition, __FILE__, __LINE__, __func__))

/* ---- The host's side: enough for a file with host code to be understood; none of it is compiled ---- */

typedef enum cudaError { cudaSuccess = 0 } cudaError_t;
typedef enum cudaMemcpyKind { cudaMemcpyHostToHost, cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice, cudaMemcpyDefault } cudaMemcpyKind;
typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;
extern "C" {
__host__ cudaError_t cudaConfigureCall(dim3, dim3, size_t = 0, cudaStream_t = 0);
__host__ unsigned __cudaPushCallConfiguration(dim3, dim3, size_t = 0, void * = 0);
__host__ cudaError_t cudaLaunchKernel(const void *, dim3, dim3, void **, size_t, cudaStream_t);
__host__ cudaError_t cudaMemcpy(void *, const void *, size_t, cudaMemcpyKind);
__host__ cudaError_t cudaMemset(void *, int, size_t);
__host__ cudaError_t cudaFree(void *);
__host__ cudaError_t cudaDeviceSynchronize(void);
__host__ cudaError_t cudaDeviceReset(void);
__host__ cudaError_t cudaSetDevice(int);
__host__ cudaError_t cudaGetLastError(void);
__host__ cudaError_t cudaPeekAtLastError(void);
__host__ const char *cudaGetErrorString(cudaError_t);
__host__ cudaError_t cudaEventCreate(cudaEvent_t *);
__host__ cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t = 0);
__host__ cudaError_t cudaEventSynchronize(cudaEvent_t);
__host__ cudaError_t cudaEventElapsedTime(float *, cudaEvent_t, cudaEvent_t);
__host__ cudaError_t cudaEventDestroy(cudaEvent_t);
}
template <typename T> __host__ cudaError_t cudaMalloc(T **, size_t);
template <typename T> __host__ cudaError_t cudaMallocManaged(T **, size_t, unsigned = 1);
template <typename T> __host__ cudaError_t cudaGetSymbolAddress(void **, const T &);
template <typename T> __host__ cudaError_t cudaMemcpyToSymbol(const T &, const void *, size_t, size_t = 0, cudaMemcpyKind = cudaMemcpyHostToDevice);
template <typename T> __host__ cudaError_t cudaMemcpyFromSymbol(void *, const T &, size_t, size_t = 0, cudaMemcpyKind = cudaMemcpyDeviceToHost);

#endif
