/* clang-format off: tables of macros, aligned by hand.
 * Half precision for kernels: what lockstep has of cuda_fp16.h.  A number is its 16 bits, a pair its 32 with the first in the low ones. */
#ifndef LOCKSTEP_CUDA_FP16_H
#define LOCKSTEP_CUDA_FP16_H

#include "cuda_kernel.h"

struct __attribute__((aligned(2))) __half { unsigned short bits; __half() = default; __device__ __half(float a); __device__ operator float() const; };
struct __attribute__((aligned(4))) __half2 {
	__half x, y;
	__half2() = default;
	__device__ __half2(__half a, __half b) : x(a), y(b) {}
};
typedef __half half;
typedef __half2 half2;

LOCKSTEP_DEVICE __half lockstep_half(unsigned short bits) { return __builtin_bit_cast(__half, bits); }
LOCKSTEP_DEVICE unsigned short __half_as_ushort(__half a) { return a.bits; }
LOCKSTEP_DEVICE short __half_as_short(__half a) { return (short)a.bits; }
LOCKSTEP_DEVICE __half __ushort_as_half(unsigned short a) { return lockstep_half(a); }
LOCKSTEP_DEVICE __half __short_as_half(short a) { return lockstep_half((unsigned short)a); }

/* ---- Conversions ---- */

#define LOCKSTEP_TO_HALF(name, type, words, c)                                                                           \
	LOCKSTEP_DEVICE __half name(type a)                                                                              \
	{                                                                                                                \
		unsigned short d;                                                                                        \
		__asm__("cvt." words " %0, %1;" : "=h"(d) : c(a));                                                       \
		return lockstep_half(d);                                                                                 \
	}
#define LOCKSTEP_FROM_HALF(name, type, words, c)                                                                         \
	LOCKSTEP_DEVICE type name(__half a)                                                                              \
	{                                                                                                                \
		type d;                                                                                                  \
		__asm__("cvt." words " %0, %1;" : "=" c(d) : "h"(a.bits));                                               \
		return d;                                                                                                \
	}
#define LOCKSTEP_HALF_ROUNDINGS(r, p, i)                                                                                 \
	LOCKSTEP_TO_HALF(__float2half_##r, float, p ".f16.f32", "f")                                                     \
	LOCKSTEP_TO_HALF(__int2half_##r, int, p ".f16.s32", "r")                                                         \
	LOCKSTEP_TO_HALF(__uint2half_##r, unsigned, p ".f16.u32", "r")                                                   \
	LOCKSTEP_TO_HALF(__ll2half_##r, long long, p ".f16.s64", "l")                                                    \
	LOCKSTEP_TO_HALF(__ull2half_##r, unsigned long long, p ".f16.u64", "l")                                          \
	LOCKSTEP_FROM_HALF(__half2int_##r, int, i ".s32.f16", "r")                                                       \
	LOCKSTEP_FROM_HALF(__half2uint_##r, unsigned, i ".u32.f16", "r")                                                 \
	LOCKSTEP_FROM_HALF(__half2ll_##r, long long, i ".s64.f16", "l")                                                  \
	LOCKSTEP_FROM_HALF(__half2ull_##r, unsigned long long, i ".u64.f16", "l")
LOCKSTEP_HALF_ROUNDINGS(rn, "rn", "rni")
LOCKSTEP_HALF_ROUNDINGS(rz, "rz", "rzi")
LOCKSTEP_HALF_ROUNDINGS(ru, "rp", "rpi")
LOCKSTEP_HALF_ROUNDINGS(rd, "rm", "rmi")
LOCKSTEP_TO_HALF(__double2half, double, "rn.f16.f64", "d")
LOCKSTEP_FROM_HALF(__half2float, float, "f32.f16", "f")
LOCKSTEP_DEVICE __half __float2half(float a) { return __float2half_rn(a); }
__device__ __inline__ __half::__half(float a) : bits(__float2half_rn(a).bits) {}
__device__ __inline__ __half::operator float() const { return __half2float(*this); }

LOCKSTEP_DEVICE __half2 __halves2half2(__half a, __half b) { return __half2(a, b); }
LOCKSTEP_DEVICE __half2 make_half2(__half a, __half b) { return __half2(a, b); }
LOCKSTEP_DEVICE __half2 __half2half2(__half a) { return __half2(a, a); }
LOCKSTEP_DEVICE __half2 __float2half2_rn(float a) { return __half2half2(__float2half_rn(a)); }
LOCKSTEP_DEVICE __half2 __floats2half2_rn(float a, float b) { return __half2(__float2half_rn(a), __float2half_rn(b)); }
LOCKSTEP_DEVICE __half2 __float22half2_rn(float2 a) { return __floats2half2_rn(a.x, a.y); }
LOCKSTEP_DEVICE __half __low2half(__half2 a) { return a.x; }
LOCKSTEP_DEVICE __half __high2half(__half2 a) { return a.y; }
LOCKSTEP_DEVICE float __low2float(__half2 a) { return __half2float(a.x); }
LOCKSTEP_DEVICE float __high2float(__half2 a) { return __half2float(a.y); }
LOCKSTEP_DEVICE float2 __half22float2(__half2 a) { return make_float2(__half2float(a.x), __half2float(a.y)); }
LOCKSTEP_DEVICE __half2 __lowhigh2highlow(__half2 a) { return __half2(a.y, a.x); }

/* ---- Arithmetic, alone and in pairs ---- */

#define LOCKSTEP_HALF1(name, words)                                                                                      \
	LOCKSTEP_DEVICE __half name(__half a)                                                                            \
	{                                                                                                                \
		unsigned short d;                                                                                        \
		__asm__(words ".f16 %0, %1;" : "=h"(d) : "h"(a.bits));                                                   \
		return lockstep_half(d);                                                                                 \
	}                                                                                                                \
	LOCKSTEP_DEVICE __half2 name##2(__half2 a)                                                                       \
	{                                                                                                                \
		unsigned d;                                                                                              \
		__asm__(words ".f16x2 %0, %1;" : "=r"(d) : "r"(__builtin_bit_cast(unsigned, a)));                        \
		return __builtin_bit_cast(__half2, d);                                                                   \
	}
#define LOCKSTEP_HALF2(name, pair, words)                                                                                \
	LOCKSTEP_DEVICE __half name(__half a, __half b)                                                                  \
	{                                                                                                                \
		unsigned short d;                                                                                        \
		__asm__(words ".f16 %0, %1, %2;" : "=h"(d) : "h"(a.bits), "h"(b.bits));                                  \
		return lockstep_half(d);                                                                                 \
	}                                                                                                                \
	LOCKSTEP_DEVICE __half2 pair(__half2 a, __half2 b)                                                               \
	{                                                                                                                \
		unsigned d;                                                                                              \
		__asm__(words ".f16x2 %0, %1, %2;"                                                                       \
			: "=r"(d) : "r"(__builtin_bit_cast(unsigned, a)), "r"(__builtin_bit_cast(unsigned, b)));         \
		return __builtin_bit_cast(__half2, d);                                                                   \
	}
#define LOCKSTEP_HALF3(name, pair, words)                                                                                \
	LOCKSTEP_DEVICE __half name(__half a, __half b, __half c)                                                        \
	{                                                                                                                \
		unsigned short d;                                                                                        \
		__asm__(words ".f16 %0, %1, %2, %3;" : "=h"(d) : "h"(a.bits), "h"(b.bits), "h"(c.bits));                 \
		return lockstep_half(d);                                                                                 \
	}                                                                                                                \
	LOCKSTEP_DEVICE __half2 pair(__half2 a, __half2 b, __half2 c)                                                    \
	{                                                                                                                \
		unsigned d;                                                                                              \
		__asm__(words ".f16x2 %0, %1, %2, %3;"                                                                   \
			: "=r"(d) : "r"(__builtin_bit_cast(unsigned, a)), "r"(__builtin_bit_cast(unsigned, b)),          \
			  "r"(__builtin_bit_cast(unsigned, c)));                                                         \
		return __builtin_bit_cast(__half2, d);                                                                   \
	}
LOCKSTEP_HALF1(__hneg, "neg")
LOCKSTEP_HALF1(__habs, "abs")
LOCKSTEP_HALF2(__hadd, __hadd2, "add")
LOCKSTEP_HALF2(__hsub, __hsub2, "sub")
LOCKSTEP_HALF2(__hmul, __hmul2, "mul")
LOCKSTEP_HALF2(__hadd_sat, __hadd2_sat, "add.sat")
LOCKSTEP_HALF2(__hsub_sat, __hsub2_sat, "sub.sat")
LOCKSTEP_HALF2(__hmul_sat, __hmul2_sat, "mul.sat")
LOCKSTEP_HALF2(__hmin, __hmin2, "min")
LOCKSTEP_HALF2(__hmax, __hmax2, "max")
LOCKSTEP_HALF2(__hmin_nan, __hmin2_nan, "min.NaN")
LOCKSTEP_HALF2(__hmax_nan, __hmax2_nan, "max.NaN")
LOCKSTEP_HALF3(__hfma, __hfma2, "fma.rn")
LOCKSTEP_HALF3(__hfma_sat, __hfma2_sat, "fma.rn.sat")
LOCKSTEP_HALF3(__hfma_relu, __hfma2_relu, "fma.rn.relu")

/* Through single precision, whose result rounds to that of half precision. */
#define LOCKSTEP_HALF_MATH(name, body)                                                                                   \
	LOCKSTEP_DEVICE __half h##name(__half h) { float a = __half2float(h); return __float2half_rn(body); }             \
	LOCKSTEP_DEVICE __half2 h2##name(__half2 a) { return __half2(h##name(a.x), h##name(a.y)); }
LOCKSTEP_HALF_MATH(sqrt, __fsqrt_rn(a))
LOCKSTEP_HALF_MATH(rcp, __frcp_rn(a))
LOCKSTEP_HALF_MATH(floor, __builtin_floorf(a))
LOCKSTEP_HALF_MATH(ceil, __builtin_ceilf(a))
LOCKSTEP_HALF_MATH(trunc, __builtin_truncf(a))
LOCKSTEP_HALF_MATH(rint, __builtin_rintf(a))
LOCKSTEP_DEVICE __half __hdiv(__half a, __half b) { return __float2half_rn(__fdiv_rn(__half2float(a), __half2float(b))); }
LOCKSTEP_DEVICE __half2 __h2div(__half2 a, __half2 b) { return __half2(__hdiv(a.x, b.x), __hdiv(a.y, b.y)); }

#define LOCKSTEP_HALF_COMPARE(name, symbol)                                                                              \
	LOCKSTEP_DEVICE bool name(__half a, __half b) { return __half2float(a) symbol __half2float(b); }                 \
	LOCKSTEP_DEVICE bool operator symbol(__half a, __half b) { return name(a, b); }
LOCKSTEP_HALF_COMPARE(__heq, ==)
LOCKSTEP_HALF_COMPARE(__hne, !=)
LOCKSTEP_HALF_COMPARE(__hlt, <)
LOCKSTEP_HALF_COMPARE(__hle, <=)
LOCKSTEP_HALF_COMPARE(__hgt, >)
LOCKSTEP_HALF_COMPARE(__hge, >=)
LOCKSTEP_DEVICE bool __hisnan(__half a) { return (a.bits & 0x7fff) > 0x7c00; }
LOCKSTEP_DEVICE int __hisinf(__half a) { return a.bits == 0x7c00 ? 1 : a.bits == 0xfc00 ? -1 : 0; }

#define LOCKSTEP_HALF_OPERATORS(type, symbol, name)                                                                      \
	LOCKSTEP_DEVICE type operator symbol(type a, type b) { return name(a, b); }                                      \
	LOCKSTEP_DEVICE type &operator symbol##=(type &a, type b) { return a = name(a, b); }
LOCKSTEP_HALF_OPERATORS(__half, +, __hadd)
LOCKSTEP_HALF_OPERATORS(__half, -, __hsub)
LOCKSTEP_HALF_OPERATORS(__half, *, __hmul)
LOCKSTEP_HALF_OPERATORS(__half, /, __hdiv)
LOCKSTEP_HALF_OPERATORS(__half2, +, __hadd2)
LOCKSTEP_HALF_OPERATORS(__half2, -, __hsub2)
LOCKSTEP_HALF_OPERATORS(__half2, *, __hmul2)
LOCKSTEP_HALF_OPERATORS(__half2, /, __h2div)
LOCKSTEP_DEVICE __half operator-(__half a) { return __hneg(a); }
LOCKSTEP_DEVICE __half2 operator-(__half2 a) { return __hneg2(a); }

/* ---- Atomics ---- */

LOCKSTEP_DEVICE __half atomicAdd(__half *at, __half value)
{
	unsigned short old;
	__asm__ volatile("atom.add.noftz.f16 %0, [%1], %2;" : "=h"(old) : "l"(at), "h"(value.bits) : "memory");
	return lockstep_half(old);
}
LOCKSTEP_DEVICE __half2 atomicAdd(__half2 *at, __half2 value)
{
	unsigned old;
	__asm__ volatile("atom.add.noftz.f16x2 %0, [%1], %2;"
			 : "=r"(old) : "l"(at), "r"(__builtin_bit_cast(unsigned, value)) : "memory");
	return __builtin_bit_cast(__half2, old);
}

#endif
