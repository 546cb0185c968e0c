/* Turns the LANE rows of ops.def into functions: one exec function per row and type, and the table that finds them.
 *
 * The including file defines, before:
 *   ROWS_<family>(m, ...)   m(__VA_ARGS__) where it wants the functions of the types, nothing where another file has them
 *   MEANING_WORDS(type)   declarations for meanings: T, U, W, BITS
 *   EXEC_FORMS(id, type, ...)   the exec functions with this body: EXEC(name, flags, body) once or twice
 *   ENTRY(id, type, allowed)   their entry in the table ROW_TABLE; allowed: the flags that the row may have */
#include "warp/lanes/half.h"
#include "ptx/type_sets.h"
#include "warp/lanes/lanes.h"

#pragma GCC diagnostic ignored "-Wtype-limits"          /* meanings serve signed and unsigned types */
#pragma GCC diagnostic ignored "-Wunused-local-typedefs" /* and do not use every word */
#pragma GCC diagnostic ignored "-Wunused-parameter"

/* ---- Types ---- */

/* Of each type:
 *   family   INTEGER, FLOAT or DOUBLE: who defines its functions
 *   form     how LOAD_ and STORE_ lead from a slot to an operand and back
 *   slot     C type of a register's element
 *   value    of an operand in a meaning
 *   stored   what a result becomes before it is put into a slot
 *   parts    ONE or TWO values in a slot
 *   U, W, BITS   the words of meanings
 *
 *                  family   form     slot      value     stored    parts  U         W                  BITS */
#define OF_B16    (INTEGER, INTEGER, uint32_t, uint16_t, uint16_t, ONE,   uint32_t, uint32_t,          16u)
#define OF_U16    (INTEGER, INTEGER, uint32_t, uint16_t, uint16_t, ONE,   uint32_t, uint32_t,          16u)
#define OF_S16    (INTEGER, INTEGER, uint32_t, int16_t,  uint16_t, ONE,   uint32_t, int32_t,           16u)
#define OF_B32    (INTEGER, INTEGER, uint32_t, uint32_t, uint32_t, ONE,   uint32_t, uint64_t,          32u)
#define OF_U32    (INTEGER, INTEGER, uint32_t, uint32_t, uint32_t, ONE,   uint32_t, uint64_t,          32u)
#define OF_S32    (INTEGER, INTEGER, int32_t,  int32_t,  int32_t,  ONE,   uint32_t, int64_t,           32u)
#define OF_B64    (INTEGER, INTEGER, uint64_t, uint64_t, uint64_t, ONE,   uint64_t, unsigned __int128, 64u)
#define OF_U64    (INTEGER, INTEGER, uint64_t, uint64_t, uint64_t, ONE,   uint64_t, unsigned __int128, 64u)
#define OF_S64    (INTEGER, INTEGER, int64_t,  int64_t,  int64_t,  ONE,   uint64_t, __int128,          64u)
#define OF_U16X2  (INTEGER, INTEGER, uint32_t, uint16_t, uint16_t, TWO,   uint32_t, uint32_t,          16u)
#define OF_S16X2  (INTEGER, INTEGER, uint32_t, int16_t,  uint16_t, TWO,   uint32_t, int32_t,           16u)
#define OF_F32    (FLOAT,   F32,     float,    float,    ,         ONE,   ,         ,                  )
#define OF_F64    (DOUBLE,  F64,     double,   double,   ,         ONE,   ,         ,                  )
#define OF_F16    (FLOAT,   F16,     uint32_t, float,    ,         ONE,   ,         ,                  )
#define OF_BF16   (FLOAT,   BF16,    uint32_t, float,    ,         ONE,   ,         ,                  )
#define OF_F16X2  (FLOAT,   F16,     uint32_t, float,    ,         TWO,   ,         ,                  )
#define OF_BF16X2 (FLOAT,   BF16,    uint32_t, float,    ,         TWO,   ,         ,                  )
#define OF_F32X2  (FLOAT,   F32X2,   uint64_t, float,    ,         TWO,   ,         ,                  )

#define COLUMN(take, row) take row
#define TAKE_FAMILY(family, form, slot, value, stored, parts, u, w, bits) family
#define TAKE_FORM(family, form, slot, value, stored, parts, u, w, bits) form
#define TAKE_SLOT(family, form, slot, value, stored, parts, u, w, bits) slot
#define TAKE_VALUE(family, form, slot, value, stored, parts, u, w, bits) value
#define TAKE_STORED(family, form, slot, value, stored, parts, u, w, bits) stored
#define TAKE_PARTS(family, form, slot, value, stored, parts, u, w, bits) parts
#define TAKE_WORDS(family, form, slot, value, stored, parts, u, w, bits)                                               \
	typedef value T;                                                                                               \
	typedef u U;                                                                                                   \
	typedef w W;                                                                                                   \
	const uint32_t BITS = bits;                                                                                    \
	(void)BITS;
#define FAMILY(type) COLUMN(TAKE_FAMILY, OF_##type)
#define SLOT(type) COLUMN(TAKE_SLOT, OF_##type)
#define VALUE(type) COLUMN(TAKE_VALUE, OF_##type)
#define WORDS(type) COLUMN(TAKE_WORDS, OF_##type)

/* An operand from the element of a register that x is, and the element from a result. */
#define LOAD(type, flags, x) PASTE(LOAD, COLUMN(TAKE_FORM, OF_##type))(type, flags, x)
#define LOAD_INTEGER(type, flags, x) ((VALUE(type))(x))
#define LOAD_F32(type, flags, x) flush_input(x, flags)
#define LOAD_F64(type, flags, x) (x)
#define LOAD_F16(type, flags, x) flush_half(half_to_float((uint16_t)(x)), flags)
#define LOAD_BF16(type, flags, x) flush_input(bfloat_to_float((uint16_t)(x)), flags)
#define LOAD_F32X2(type, flags, x) flush_input(float_of((uint32_t)(x)), flags)
#define STORE(type, flags, x) PASTE(STORE, COLUMN(TAKE_FORM, OF_##type))(type, flags, x)
#define STORE_INTEGER(type, flags, x) ((COLUMN(TAKE_STORED, OF_##type))(x))
#define STORE_F32(type, flags, x) finish(x, flags)
#define STORE_F64(type, flags, x) finish_double(x)
#define STORE_F16(type, flags, x) float_to_half(finish_half(x, flags))
#define STORE_BF16(type, flags, x) float_to_bfloat(finish(x, flags))
#define STORE_F32X2(type, flags, x) bits_of(finish(x, flags))

/* ---- One or two values in a slot ---- */

#define MAP1_ONE(R, f, A) STORE(R, flags, f(flags, LOAD(A, flags, a)))
#define MAP2_ONE(R, f, A, B) STORE(R, flags, f(flags, LOAD(A, flags, a), LOAD(B, flags, b)))
#define MAP3_ONE(R, f, A, B, C) STORE(R, flags, f(flags, LOAD(A, flags, a), LOAD(B, flags, b), LOAD(C, flags, c)))
#define MAP4_ONE(R, f, A, B, C, E)                                                                                     \
	STORE(R, flags, f(flags, LOAD(A, flags, a), LOAD(B, flags, b), LOAD(C, flags, c), LOAD(E, flags, e)))
/* Rows of packed types have only operands of that type. */
#define MAP1_TWO(R, f, A) BOTH(R, MAP1_ONE(R, f, A), STORE(R, flags, f(flags, LOAD(A, flags, HIGH(A, a)))))
#define MAP2_TWO(R, f, A, B)                                                                                           \
	BOTH(R, MAP2_ONE(R, f, A, B), STORE(R, flags, f(flags, LOAD(A, flags, HIGH(A, a)), LOAD(B, flags, HIGH(B, b)))))
#define MAP3_TWO(R, f, A, B, C)                                                                                        \
	BOTH(R, MAP3_ONE(R, f, A, B, C), STORE(R, flags, f(flags, LOAD(A, flags, HIGH(A, a)),                      \
							    LOAD(B, flags, HIGH(B, b)), LOAD(C, flags, HIGH(C, c)))))
#define MAP4_TWO MAP4_ONE

#define HIGH(type, x) ((x) >> (int)sizeof(SLOT(type)) * 4)
#define BOTH(type, low, high) ((SLOT(type))(low) | (SLOT(type))(high) << (int)sizeof(SLOT(type)) * 4)

/* MAP(n, type): MAPn_ONE or MAPn_TWO. */
#define MAP_(n, parts) MAP##n##_##parts
#define MAP__(n, parts) MAP_(n, parts)
#define MAP(n, type) MAP__(n, COLUMN(TAKE_PARTS, OF_##type))

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
	static ALWAYS_INLINE VALUE(R) id##_of_##type(const uint32_t flags, __VA_ARGS__)                                \
	{                                                                                                              \
		MEANING_WORDS(type)                                                                                    \
		return (VALUE(R))(meaning);                                                                           \
	}
#define ELEMENT(id, type, R, mapped, ...)                                                                              \
	static ALWAYS_INLINE SLOT(R) id##_element_##type(const uint32_t flags, __VA_ARGS__)                           \
	{                                                                                                              \
		return mapped;                                                                                         \
	}

#define EXECUTE(R, expression)                                                                                         \
	SLOT(R) *d = slot_at(w, i->d);                                                                              \
	FOR_ACTIVE_LANES(SLOT(R), d, expression)
#define EXEC(name, chosen_flags, ...)                                                                                  \
	static void name(struct warp *w, const struct insn *i, lane_mask active)                                       \
	{                                                                                                              \
		const uint32_t flags = chosen_flags;                                                                   \
		__VA_ARGS__                                                                                            \
	}
#define SOURCE(letter, k, type) const SLOT(type) *letter##_slot = slot_at(w, i->s[k]);

#define DEFINE1(id, type, R, A, meaning)                                                                               \
	MEANING(id, type, R, meaning, VALUE(A) a)                                                                     \
	ELEMENT(id, type, R, MAP(1, type)(R, id##_of_##type, A), SLOT(A) a)                                           \
	EXEC_FORMS(id, type, SOURCE(a, 0, A) EXECUTE(R, id##_element_##type(flags, a_slot[x])))
#define DEFINE2(id, type, R, A, B, meaning)                                                                            \
	MEANING(id, type, R, meaning, VALUE(A) a, VALUE(B) b)                                                        \
	ELEMENT(id, type, R, MAP(2, type)(R, id##_of_##type, A, B), SLOT(A) a, SLOT(B) b)                            \
	EXEC_FORMS(id, type, SOURCE(a, 0, A) SOURCE(b, 1, B) EXECUTE(R, id##_element_##type(flags, a_slot[x], b_slot[x])))
#define DEFINE3(id, type, R, A, B, C, meaning)                                                                         \
	MEANING(id, type, R, meaning, VALUE(A) a, VALUE(B) b, VALUE(C) c)                                           \
	ELEMENT(id, type, R, MAP(3, type)(R, id##_of_##type, A, B, C), SLOT(A) a, SLOT(B) b, SLOT(C) c)             \
	EXEC_FORMS(id, type, SOURCE(a, 0, A) SOURCE(b, 1, B) SOURCE(c, 2, C)                                           \
		EXECUTE(R, id##_element_##type(flags, a_slot[x], b_slot[x], c_slot[x])))
#define DEFINE4(id, type, R, A, B, C, E, meaning)                                                                      \
	MEANING(id, type, R, meaning, VALUE(A) a, VALUE(B) b, VALUE(C) c, VALUE(E) e)                              \
	ELEMENT(id, type, R, MAP(4, type)(R, id##_of_##type, A, B, C, E), SLOT(A) a, SLOT(B) b, SLOT(C) c,          \
		SLOT(E) e)                                                                                            \
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
	PASTE(ROWS, FAMILY(type))(ROW_, shape, id, type, RESULT_OF_##result(type), meaning)
#define ROW_ENTRY(type, id, allowed) PASTE(ROWS, FAMILY(type))(ENTRY_, id, type, allowed)
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
