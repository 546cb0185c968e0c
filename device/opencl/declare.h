/* Included before every OpenCL source. */

/* In a loop that waits: see docs/spinning.md. */
#define __lockstep_spin() __asm__ volatile(".pragma \"lockstep_spin\";")
/* Faults, with this reason, a string literal, in the message. */
#define __lockstep_trap(why) __asm__ volatile(".pragma \"lockstep_trap " why "\"; trap;")

#define __LOCKSTEP__ 1
#include "../lockstep_locks.h"

/* clang 14 declares the loads and stores of half only where arithmetic on half is supported, which OpenCL does not ask for. */
#if __clang_major__ < 15

#define LOCKSTEP_OVERLOAD __attribute__((overloadable))
#define LOCKSTEP_LOAD(n, space)                                                                                        \
	float##n LOCKSTEP_OVERLOAD vload_half##n(size_t, const space half *);                                          \
	float##n LOCKSTEP_OVERLOAD vloada_half##n(size_t, const space half *);
#define LOCKSTEP_STORE(n, T, space, round)                                                                             \
	void LOCKSTEP_OVERLOAD vstore_half##n##round(T##n, size_t, space half *);                                      \
	void LOCKSTEP_OVERLOAD vstorea_half##n##round(T##n, size_t, space half *);
#define LOCKSTEP_STORES(n, T, space)                                                                                   \
	LOCKSTEP_STORE(n, T, space, )                                                                                  \
	LOCKSTEP_STORE(n, T, space, _rte)                                                                              \
	LOCKSTEP_STORE(n, T, space, _rtz)                                                                              \
	LOCKSTEP_STORE(n, T, space, _rtp)                                                                              \
	LOCKSTEP_STORE(n, T, space, _rtn)
#define LOCKSTEP_SPACE(n, space)                                                                                       \
	LOCKSTEP_LOAD(n, space)                                                                                        \
	LOCKSTEP_STORES(n, float, space)                                                                               \
	LOCKSTEP_STORES(n, double, space)
#if __OPENCL_C_VERSION__ >= 200
#define LOCKSTEP_WIDTH(n)                                                                                              \
	LOCKSTEP_SPACE(n, __global) LOCKSTEP_SPACE(n, __local) LOCKSTEP_SPACE(n, __generic) LOCKSTEP_LOAD(n, __constant)
#else
#define LOCKSTEP_WIDTH(n)                                                                                              \
	LOCKSTEP_SPACE(n, __global) LOCKSTEP_SPACE(n, __local) LOCKSTEP_SPACE(n, __private) LOCKSTEP_LOAD(n, __constant)
#endif
LOCKSTEP_WIDTH()
LOCKSTEP_WIDTH(2)
LOCKSTEP_WIDTH(3)
LOCKSTEP_WIDTH(4)
LOCKSTEP_WIDTH(8)
LOCKSTEP_WIDTH(16)
#undef LOCKSTEP_OVERLOAD
#undef LOCKSTEP_LOAD
#undef LOCKSTEP_STORE
#undef LOCKSTEP_STORES
#undef LOCKSTEP_SPACE
#undef LOCKSTEP_WIDTH

#endif
