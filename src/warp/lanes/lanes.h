/* What instructions do to the lanes of a warp: the part that is compiled once per warp size and processor (LANES,
 * VARIANT).
 *
 * What the decoder promises to every exec function:
 *   - source k of the shape, predicates and the memory operand not counted, is slot_at(w, i->s[k]); an optional source
 *     left out keeps its place as SLOT_NONE.  vote.sync's lane mask is therefore s[0], video's c is s[2].
 *   - predicate sources are i->ps and i->ps_invert; destinations i->d, i->pd, i->pd2 (NO_PREDICATE: none or a sink).
 *   - rows of type .pred (and or xor not mov) hold predicate numbers in s[k], with PREDICATE_INVERT for !p.
 *   - a destination either has exactly the slots of a source or shares none with it: a lane's result depends on that
 *     lane's sources only, so loops read and write in place.  (Narrow and wide registers have banks of their own: see
 *     insn.h.)  What reads other lanes or other slots than it writes takes a copy: shfl, match, vectors of mov.
 *   - mov with a vector: extra.vector is the list of parts, the lowest first; i->d == SLOT_NONE means that the vector
 *     is the destination (unpack), else it is the source (pack).  A sink in the list is SLOT_NONE.
 *   - video: extra.selector as described in src/warp/video.c, extra.negate for -a -b -c of vmad.
 *   - lop3's table, a constant, is s[3], the same in all lanes.
 *   - `active` is never empty and holds no lane whose guard is false.
 *
 * 8- and 16-bit values occupy 32-bit slots.  Writers zero-extend, except cvt to a signed type in a wider register,
 * which sign-extends as the ISA says; so readers take the low bits and nothing else.
 *
 * Warps of 64 lanes: PTX masks have 32 bits, so for vote, match, redux, shfl, elect and activemask such a warp is two
 * halves of 32 lanes that do not see each other.
 *
 * Floats give the same bits on every machine: only IEEE basic operations are used, never contracted, and a NaN that is
 * a result is replaced by the canonical one (the host's hardware would pass on the payload of whichever operand the
 * compiler put first).  The canonical NaN is 0x7fffffff as on GPUs, 0x7ff8000000000000 for .f64, 0x7fff for 16 bits. */
#ifndef LOCKSTEP_WARP_LANES_LANES_H
#define LOCKSTEP_WARP_LANES_LANES_H

#include "warp/choose.h"
#include "warp/lanes/half.h"
#include "warp/variants.h"
#include "warp/warp.h"

#include <string.h>
#ifdef __SSE2__
#include <immintrin.h>
#endif

#ifndef LANES
#error "LANES is 32 or 64, given by the build"
#endif

#ifdef __clang__
#pragma clang diagnostic ignored "-Wpass-failed" /* some loops stay scalar without optimisation: no reason to warn */
#endif

#define PASTE_(a, b) a##_##b
#define PASTE(a, b) PASTE_(a, b)
#define V(name) PASTE(name, VARIANT) /* a name of this variant */

#define SIMD _Pragma("omp simd")
#define SIMD_OR(sum) _Pragma(SIMD_STRING(omp simd reduction(| : sum)))
#define SIMD_STRING(x) #x

/* Whether lane l of the half is in `mask`, in a form as wide as the elements of D, so that one vector does both. */
#define LANE_IN(mask, l, D) (sizeof(D) == 8 ? ((uint64_t)(mask)&lane_bit_wide[l]) != 0 : ((mask)&lane_bit[l]) != 0)

/* d[x] = expression, which is about lane x, for the active lanes.  Inactive lanes are computed and their old value
 * stored again: that is a vector blend everywhere, where a conditional store would be scalar code before AVX2. */
#define FOR_ACTIVE_LANES(D, d, expression)                                                                             \
	for (unsigned base = 0; base < LANES; base += 32) {                                                            \
		const uint32_t mask = (uint32_t)(active >> base);                                                      \
		if (mask == UINT32_MAX) {                                                                              \
			SIMD for (unsigned l = 0; l < 32; l++)                                                         \
			{                                                                                              \
				const unsigned x = base + l;                                                           \
				d[x] = expression;                                                                     \
			}                                                                                              \
		} else {                                                                                               \
			SIMD for (unsigned l = 0; l < 32; l++)                                                         \
			{                                                                                              \
				const unsigned x = base + l;                                                           \
				const D value = expression;                                                            \
				d[x] = LANE_IN(mask, l, D) ? value : d[x];                                             \
			}                                                                                              \
		}                                                                                                      \
	}

/* The lanes of 32 whose element, all ones or zero, is all ones.  Vectors have instructions for it, which no loop is
 * compiled to. */
static ALWAYS_INLINE uint32_t ones_of_32(const uint32_t *element)
{
	uint32_t bits = 0;
#if defined(__AVX512DQ__)
	for (unsigned l = 0; l < 32; l += 16)
		bits |= (uint32_t)_mm512_movepi32_mask(_mm512_load_si512(element + l)) << l;
#elif defined(__AVX__)
	for (unsigned l = 0; l < 32; l += 8)
		bits |= (uint32_t)_mm256_movemask_ps(_mm256_load_ps((const float *)element + l)) << l;
#elif defined(__SSE2__)
	for (unsigned l = 0; l < 32; l += 4)
		bits |= (uint32_t)_mm_movemask_ps(_mm_load_ps((const float *)element + l)) << l;
#else
	SIMD_OR(bits) for (unsigned l = 0; l < 32; l++) bits |= element[l] & lane_bit[l];
#endif
	return bits;
}

/* The same of elements of 64 bits. */
static ALWAYS_INLINE uint32_t wide_ones_of_32(const uint64_t *element)
{
	uint32_t bits = 0;
#if defined(__AVX512DQ__)
	for (unsigned l = 0; l < 32; l += 8)
		bits |= (uint32_t)_mm512_movepi64_mask(_mm512_load_si512(element + l)) << l;
#elif defined(__AVX__)
	for (unsigned l = 0; l < 32; l += 4)
		bits |= (uint32_t)_mm256_movemask_pd(_mm256_load_pd((const double *)element + l)) << l;
#elif defined(__SSE2__)
	for (unsigned l = 0; l < 32; l += 2)
		bits |= (uint32_t)_mm_movemask_pd(_mm_load_pd((const double *)element + l)) << l;
#else
	SIMD_OR(bits) for (unsigned l = 0; l < 32; l++) bits |= (uint32_t)element[l] & lane_bit[l];
#endif
	return bits;
}

/* mask = the lanes x for which the condition holds; compares as wide as T.  The array never comes to memory. */
#define MASK_OF(T, condition, mask)                                                                                    \
	for (unsigned base = 0; base < LANES; base += 32) {                                                            \
		if (sizeof(T) == 8) {                                                                                  \
			_Alignas(64) uint64_t holds[32];                                                               \
			SIMD for (unsigned l = 0; l < 32; l++)                                                         \
			{                                                                                              \
				const unsigned x = base + l;                                                           \
				holds[l] = (condition) ? UINT64_MAX : 0;                                               \
			}                                                                                              \
			mask |= (lane_mask)wide_ones_of_32(holds) << base;                                             \
		} else {                                                                                               \
			_Alignas(64) uint32_t holds[32];                                                               \
			SIMD for (unsigned l = 0; l < 32; l++)                                                         \
			{                                                                                              \
				const unsigned x = base + l;                                                           \
				holds[l] = (condition) ? UINT32_MAX : 0;                                               \
			}                                                                                              \
			mask |= (lane_mask)ones_of_32(holds) << base;                                                  \
		}                                                                                                      \
	}

/* The functions for LANE rows, by row and type: see rows.h. */
struct lane_functions {
	exec_function *plain, *flushing; /* no flag; FLAG_FTZ alone, null: the row may not have it */
};
extern const struct lane_functions V(integer_rows)[OP_COUNT][TYPE_COUNT];
extern const struct lane_functions V(float_rows)[OP_COUNT][TYPE_COUNT];
/* Of a row of floats with FLAG_SAT or FLAG_RELU, with or without FLAG_FTZ. */
exec_function *V(choose_limited)(const struct insn *i);

/* Choosers of the WARP rows whose functions are compiled per variant; the others are in warp/choose.h. */
#define choose_add_carry V(choose_add_carry)
#define choose_sub_carry V(choose_sub_carry)
#define choose_mad_carry V(choose_mad_carry)
#define choose_dot_product V(choose_dot_product)
#define choose_lop3 V(choose_lop3)
#define choose_prmt V(choose_prmt)
#define choose_extremum V(choose_extremum)
#define choose_copysign V(choose_copysign)
#define choose_testp V(choose_testp)
#define choose_cvt V(choose_cvt)
#define choose_cvt_pair V(choose_cvt_pair)
#define choose_setp V(choose_setp)
#define choose_set V(choose_set)
#define choose_selp V(choose_selp)
#define choose_slct V(choose_slct)
#define choose_mov V(choose_mov)
#define choose_cvta V(choose_cvta)
#define choose_isspacep V(choose_isspacep)
#define choose_shfl V(choose_shfl)
chooser choose_add_carry, choose_sub_carry, choose_mad_carry, choose_dot_product, choose_lop3, choose_prmt,
	choose_extremum, choose_copysign, choose_testp, choose_cvt, choose_cvt_pair, choose_setp, choose_set,
	choose_selp, choose_slct, choose_mov, choose_cvta, choose_isspacep, choose_shfl;

#endif
