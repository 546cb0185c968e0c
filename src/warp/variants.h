/* The variants that src/warp/lanes/ is compiled in, VARIANT(name, lanes, condition on the processor), the best first;
 * and what all of them read. */
#ifndef LOCKSTEP_WARP_VARIANTS_H
#define LOCKSTEP_WARP_VARIANTS_H

#include "kernel/insn.h"
#include "warp/memory.h"
#include "warp/texture.h"
#include "warp/warpgroup.h"

#if (defined(__x86_64__)) && !LOCKSTEP_FEW_VARIANTS
#define HAS(feature) __builtin_cpu_supports(feature)
#define HAS_V3 (HAS("avx2") && HAS("fma") && HAS("bmi") && HAS("bmi2"))
#define HAS_V4 (HAS_V3 && HAS("avx512f") && HAS("avx512bw") && HAS("avx512cd") && HAS("avx512dq") && HAS("avx512vl"))
#define FAST_VARIANTS(X) X(x32_v4, 32, HAS_V4) X(x32_v3, 32, HAS_V3) X(x64_v3, 64, HAS_V3)
#else
#define FAST_VARIANTS(X)
#endif
#if LOCKSTEP_DEMO /* all that `make demo` runs */
#define LANE_VARIANTS(X) X(x32_v2, 32, true)
#else
#define LANE_VARIANTS(X) FAST_VARIANTS(X) X(x32_v2, 32, true) X(x64_v2, 64, true)
#endif

#define DECLARE_VARIANT(name, lanes, usable)                                                                           \
	exec_function *lanes_lookup_##name(const struct insn *i, const struct insn_extra *extra);                      \
	extern const struct lane_memory lane_memory_##name;                                                            \
	extern const struct lane_texture lane_texture_##name;                                                          \
	extern const struct lane_warpgroup lane_warpgroup_##name;
LANE_VARIANTS(DECLARE_VARIANT)
#undef DECLARE_VARIANT

/* Bit l in element l: an AND with it and a comparison turn a mask into lanes with any vector instruction set. */
extern const uint32_t lane_bit[32];
extern const uint64_t lane_bit_wide[32];

#endif
