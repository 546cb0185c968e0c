/* Turns the LANE rows of ops.def into functions: one exec function per row and type, and the table that finds them.
 *
 * The including file defines, before:
 *   ROWS_<TYPE>(m, ...)   m(__VA_ARGS__) where it wants the functions of the type, nothing where another file has them
 *   MEANING_WORDS(type)   declarations for meanings: T, U, W, BITS
 *   EXEC_FORMS(id, type, ...)   the exec functions with this body: EXEC(name, flags, body) once or twice
 *   ENTRY(id, type, allowed)   their entry in the table ROW_TABLE; allowed: the flags that the row may have
 *
 * Per type: SLOT_ is the C type of a register's element, VALUE_ that of the operands in a meaning, LOAD_ and STORE_ lead from one
 * to the other, MAP_ applies a function to the one or two values in a slot. */
#include "warp/lanes/half.h"
#include "ptx/type_sets.h"
#include "warp/lanes/lanes.h"

#pragma GCC diagnostic ignored "-Wtype-limits"          /* meanings serve signed and unsigned types */
#pragma GCC diagnostic ignored "-Wunused-local-typedefs" /* and do not use every word */
#pragma GCC diagnostic ignored "-Wunused-parameter"

/* ---- Types ---- */

#define SLOT_B16 uint32_t
#define SLOT_U16 uint32_t
#define SLOT_S16 uint32_t
#define SLOT_B32 uint32_t
#define SLOT_U32 uint32_t
#define SLOT_S32 int32_t
#define SLOT_B64 uint64_t
#define SLOT_U64 uint64_t
#define SLOT_S64 int64_t
#define SLOT_U16X2 uint32_t
#define SLOT_S16X2 uint32_t
#define SLOT_F32 float
#define SLOT_F64 double
#define SLOT_F16 uint32_t
#define SLOT_BF16 uint32_t
#define SLOT_F16X2 uint32_t
#define SLOT_BF16X2 uint32_t
#define SLOT_F32X2 uint64_t

#define VALUE_B16 uint16_t
#define VALUE_U16 uint16_t
#define VALUE_S16 int16_t
#define VALUE_B32 uint32_t
#define VALUE_U32 uint32_t
#define VALUE_S32 int32_t
#define VALUE_B64 uint64_t
#define VALUE_U64 uint64_t
#define VALUE_S64 int64_t
#define VALUE_U16X2 uint16_t
#define VALUE_S16X2 int16_t
#define VALUE_F32 float
#define VALUE_F64 double
#define VALUE_F16 float
#define VALUE_BF16 float
#define VALUE_F16X2 float
#define VALUE_BF16X2 float
#define VALUE_F32X2 float

#define LOAD_B16(flags, x) ((uint16_t)(x))
#define LOAD_U16(flags, x) ((uint16_t)(x))
#define LOAD_S16(flags, x) ((int16_t)(x))
#define LOAD_B32(flags, x) (x)
#define LOAD_U32(flags, x) (x)
#define LOAD_S32(flags, x) (x)
#define LOAD_B64(flags, x) (x)
#define LOAD_U64(flags, x) (x)
#define LOAD_S64(flags, x) (x)
#define LOAD_U16X2(flags, x) ((uint16_t)(x))
#define LOAD_S16X2(flags, x) ((int16_t)(x))
#define LOAD_F32(flags, x) flush_input(x, flags)
#define LOAD_F64(flags, x) (x)
#define LOAD_F16(flags, x) flush_half(half_to_float((uint16_t)(x)), flags)
#define LOAD_F16X2(flags, x) LOAD_F16(flags, x)
#define LOAD_BF16(flags, x) flush_input(bfloat_to_float((uint16_t)(x)), flags)
#define LOAD_BF16X2(flags, x) LOAD_BF16(flags, x)
#define LOAD_F32X2(flags, x) flush_input(float_of((uint32_t)(x)), flags)

#define STORE_B16(flags, x) ((uint16_t)(x))
#define STORE_U16(flags, x) ((uint16_t)(x))
#define STORE_S16(flags, x) ((uint16_t)(x))
#define STORE_B32(flags, x) ((uint32_t)(x))
#define STORE_U32(flags, x) ((uint32_t)(x))
#define STORE_S32(flags, x) ((int32_t)(x))
#define STORE_B64(flags, x) ((uint64_t)(x))
#define STORE_U64(flags, x) ((uint64_t)(x))
#define STORE_S64(flags, x) ((int64_t)(x))
#define STORE_U16X2(flags, x) ((uint16_t)(x))
#define STORE_S16X2(flags, x) ((uint16_t)(x))
#define STORE_F32(flags, x) finish(x, flags)
#define STORE_F64(flags, x) finish_double(x)
#define STORE_F16(flags, x) float_to_half(finish_half(x, flags))
#define STORE_F16X2(flags, x) STORE_F16(flags, x)
#define STORE_BF16(flags, x) float_to_bfloat(finish(x, flags))
#define STORE_BF16X2(flags, x) STORE_BF16(flags, x)
#define STORE_F32X2(flags, x) bits_of(finish(x, flags))

/* U, W and BITS of the meanings. */
#define UNSIGNED_OF(type) UNSIGNED_##type
#define UNSIGNED_B16 uint32_t
#define UNSIGNED_U16 uint32_t
#define UNSIGNED_S16 uint32_t
#define UNSIGNED_B32 uint32_t
#define UNSIGNED_U32 uint32_t
#define UNSIGNED_S32 uint32_t
#define UNSIGNED_B64 uint64_t
#define UNSIGNED_U64 uint64_t
#define UNSIGNED_S64 uint64_t
#define UNSIGNED_U16X2 uint32_t
#define UNSIGNED_S16X2 uint32_t
#define WIDE_B16 uint32_t
#define WIDE_U16 uint32_t
#define WIDE_S16 int32_t
#define WIDE_B32 uint64_t
#define WIDE_U32 uint64_t
#define WIDE_S32 int64_t
#define WIDE_B64 unsigned __int128
#define WIDE_U64 unsigned __int128
#define WIDE_S64 __int128
#define WIDE_U16X2 uint32_t
#define WIDE_S16X2 int32_t
#define BITS_B16 16u
#define BITS_U16 16u
#define BITS_S16 16u
#define BITS_B32 32u
#define BITS_U32 32u
#define BITS_S32 32u
#define BITS_B64 64u
#define BITS_U64 64u
#define BITS_S64 64u
#define BITS_U16X2 16u
#define BITS_S16X2 16u

/* ---- One or two values in a slot ---- */

#define MAP1_ONE(R, f, A) STORE_##R(flags, f(flags, LOAD_##A(flags, a)))
#define MAP2_ONE(R, f, A, B) STORE_##R(flags, f(flags, LOAD_##A(flags, a), LOAD_##B(flags, b)))
#define MAP3_ONE(R, f, A, B, C) STORE_##R(flags, f(flags, LOAD_##A(flags, a), LOAD_##B(flags, b), LOAD_##C(flags, c)))
#define MAP4_ONE(R, f, A, B, C, E)                                                                                     \
	STORE_##R(flags, f(flags, LOAD_##A(flags, a), LOAD_##B(flags, b), LOAD_##C(flags, c), LOAD_##E(flags, e)))
/* Rows of packed types have only operands of that type. */
#define MAP1_TWO(R, f, A) join_##R(MAP1_ONE(R, f, A), STORE_##R(flags, f(flags, LOAD_##A(flags, high_##A(a)))))
#define MAP2_TWO(R, f, A, B)                                                                                           \
	join_##R(MAP2_ONE(R, f, A, B), STORE_##R(flags, f(flags, LOAD_##A(flags, high_##A(a)), LOAD_##B(flags, high_##B(b)))))
#define MAP3_TWO(R, f, A, B, C)                                                                                        \
	join_##R(MAP3_ONE(R, f, A, B, C), STORE_##R(flags, f(flags, LOAD_##A(flags, high_##A(a)),                      \
							    LOAD_##B(flags, high_##B(b)), LOAD_##C(flags, high_##C(c)))))
#define MAP4_TWO MAP4_ONE

#define high_U16X2(x) ((x) >> 16)
#define high_S16X2(x) ((x) >> 16)
#define high_F16X2(x) ((x) >> 16)
#define high_BF16X2(x) ((x) >> 16)
#define high_F32X2(x) ((x) >> 32)
#define join_U16X2(low, high) ((uint32_t)(low) | (uint32_t)(high) << 16)
#define join_S16X2(low, high) join_U16X2(low, high)
#define join_F16X2(low, high) join_U16X2(low, high)
#define join_BF16X2(low, high) join_U16X2(low, high)
#define join_F32X2(low, high) ((uint64_t)(low) | (uint64_t)(high) << 32)

/* MAP(n, type): MAPn_ONE or MAPn_TWO. */
#define PARTS_B16 ONE
#define PARTS_U16 ONE
#define PARTS_S16 ONE
#define PARTS_B32 ONE
#define PARTS_U32 ONE
#define PARTS_S32 ONE
#define PARTS_B64 ONE
#define PARTS_U64 ONE
#define PARTS_S64 ONE
#define PARTS_F32 ONE
#define PARTS_F64 ONE
#define PARTS_F16 ONE
#define PARTS_BF16 ONE
#define PARTS_U16X2 TWO
#define PARTS_S16X2 TWO
#define PARTS_F16X2 TWO
#define PARTS_BF16X2 TWO
#define PARTS_F32X2 TWO
#define MAP__(n, parts) MAP##n##_##parts
#define MAP_(n, parts) MAP__(n, parts)
#define MAP(n, type) MAP_(n, PARTS_##type)

/* ---- Results ---- */

#define RESULT_OF_SAME(type) type
#define RESULT_OF_OWN(type) type
#define RESULT_OF_U32(type) U32
#define RESULT_OF_WIDE(type) WIDER_##type
#define WIDER_U16 U32
#define WIDER_S16 S32
#define WIDER_U32 U64
#define WIDER_S32 S64

/* ---- Functions ---- */

/* What one lane computes, and the same between elements of registers. */
#define MEANING(id, type, R, meaning, ...)                                                                             \
	static ALWAYS_INLINE VALUE_##R id##_of_##type(const uint32_t flags, __VA_ARGS__)                               \
	{                                                                                                              \
		MEANING_WORDS(type)                                                                                    \
		return (VALUE_##R)(meaning);                                                                           \
	}
#define ELEMENT(id, type, R, mapped, ...)                                                                              \
	static ALWAYS_INLINE SLOT_##R id##_element_##type(const uint32_t flags, __VA_ARGS__)                           \
	{                                                                                                              \
		return mapped;                                                                                         \
	}

#define EXECUTE(R, expression)                                                                                         \
	SLOT_##R *d = slot_at(w, i->d);                                                                              \
	FOR_ACTIVE_LANES(SLOT_##R, d, expression)
#define EXEC(name, chosen_flags, ...)                                                                                  \
	static void name(struct warp *w, const struct insn *i, lane_mask active)                                       \
	{                                                                                                              \
		const uint32_t flags = chosen_flags;                                                                   \
		__VA_ARGS__                                                                                            \
	}
#define SOURCE(letter, k, type) const SLOT_##type *letter##_slot = slot_at(w, i->s[k]);

#define DEFINE1(id, type, R, A, meaning)                                                                               \
	MEANING(id, type, R, meaning, VALUE_##A a)                                                                     \
	ELEMENT(id, type, R, MAP(1, type)(R, id##_of_##type, A), SLOT_##A a)                                           \
	EXEC_FORMS(id, type, SOURCE(a, 0, A) EXECUTE(R, id##_element_##type(flags, a_slot[x])))
#define DEFINE2(id, type, R, A, B, meaning)                                                                            \
	MEANING(id, type, R, meaning, VALUE_##A a, VALUE_##B b)                                                        \
	ELEMENT(id, type, R, MAP(2, type)(R, id##_of_##type, A, B), SLOT_##A a, SLOT_##B b)                            \
	EXEC_FORMS(id, type, SOURCE(a, 0, A) SOURCE(b, 1, B) EXECUTE(R, id##_element_##type(flags, a_slot[x], b_slot[x])))
#define DEFINE3(id, type, R, A, B, C, meaning)                                                                         \
	MEANING(id, type, R, meaning, VALUE_##A a, VALUE_##B b, VALUE_##C c)                                           \
	ELEMENT(id, type, R, MAP(3, type)(R, id##_of_##type, A, B, C), SLOT_##A a, SLOT_##B b, SLOT_##C c)             \
	EXEC_FORMS(id, type, SOURCE(a, 0, A) SOURCE(b, 1, B) SOURCE(c, 2, C)                                           \
		EXECUTE(R, id##_element_##type(flags, a_slot[x], b_slot[x], c_slot[x])))
#define DEFINE4(id, type, R, A, B, C, E, meaning)                                                                      \
	MEANING(id, type, R, meaning, VALUE_##A a, VALUE_##B b, VALUE_##C c, VALUE_##E e)                              \
	ELEMENT(id, type, R, MAP(4, type)(R, id##_of_##type, A, B, C, E), SLOT_##A a, SLOT_##B b, SLOT_##C c,          \
		SLOT_##E e)                                                                                            \
	EXEC_FORMS(id, type, SOURCE(a, 0, A) SOURCE(b, 1, B) SOURCE(c, 2, C) SOURCE(e, 3, E)                           \
		EXECUTE(R, id##_element_##type(flags, a_slot[x], b_slot[x], c_slot[x], e_slot[x])))

/* ---- Shapes of LANE rows ---- */

#define SHAPED_D_A(id, type, R, meaning) DEFINE1(id, type, R, type, meaning)
#define SHAPED_D_A_B(id, type, R, meaning) DEFINE2(id, type, R, type, type, meaning)
#define SHAPED_D_A_N(id, type, R, meaning) DEFINE2(id, type, R, type, U32, meaning)
#define SHAPED_D_A_B_C(id, type, R, meaning) DEFINE3(id, type, R, type, type, type, meaning)
#define SHAPED_D_A_B_W(id, type, R, meaning) DEFINE3(id, type, R, type, type, R, meaning)
#define SHAPED_D_A_B_N(id, type, R, meaning) DEFINE3(id, type, R, type, type, U32, meaning)
#define SHAPED_D_A_N_N(id, type, R, meaning) DEFINE3(id, type, R, type, U32, U32, meaning)
#define SHAPED_D_A_B_N_N(id, type, R, meaning) DEFINE4(id, type, R, type, type, U32, U32, meaning)

#define ROW_(shape, id, type, R, meaning) SHAPED_##shape(id, type, R, meaning)
#define ROW_FUNCTIONS(type, id, shape, result, meaning)                                                                \
	ROWS_##type(ROW_, shape, id, type, RESULT_OF_##result(type), meaning)
#define ROW_ENTRY(type, id, allowed) ROWS_##type(ENTRY_, id, type, allowed)
#define ENTRY_(id, type, allowed) [OP_##id][TYPE_##type] = ENTRY(id, type, allowed),

#define WARP(...)
#define CORE(...)
#define REFUSED(...)
#define LANE(id, spelling, allow, flags, shape, types, result, latency, effects, meaning)                              \
	FOR_##types(ROW_FUNCTIONS, id, shape, result, meaning)
#include "ptx/ops.def"
#undef LANE

const struct lane_functions ROW_TABLE[OP_COUNT][TYPE_COUNT] = {
#define LANE(id, spelling, allow, flags, shape, types, result, latency, effects, meaning)                                        \
	FOR_##types(ROW_ENTRY, id, flags)
#include "ptx/ops.def"
#undef LANE
};
#undef WARP
#undef CORE
#undef REFUSED
