/* Named sets of types, for the rows of ops.def.
 *
 * FOR_<SET>(X, ...) expands to X(TYPE, ...) for each type of the set: from it come both the bit set of the table
 * (ops.c) and one function per type (warp/lanes/), so the two cannot disagree.  UNTYPED is for instructions written
 * without a type. */
#ifndef LOCKSTEP_PTX_TYPE_SETS_H
#define LOCKSTEP_PTX_TYPE_SETS_H

#define FOR_UNTYPED(X, ...) X(NONE, __VA_ARGS__)

#define FOR_S32(X, ...) X(S32, __VA_ARGS__)
#define FOR_U32(X, ...) X(U32, __VA_ARGS__)
#define FOR_B8(X, ...) X(B8, __VA_ARGS__)
#define FOR_B16(X, ...) X(B16, __VA_ARGS__)
#define FOR_B32(X, ...) X(B32, __VA_ARGS__)
#define FOR_B64(X, ...) X(B64, __VA_ARGS__)
#define FOR_B128(X, ...) X(B128, __VA_ARGS__)
#define FOR_F32(X, ...) X(F32, __VA_ARGS__)
#define FOR_F64(X, ...) X(F64, __VA_ARGS__)
#define FOR_F16(X, ...) X(F16, __VA_ARGS__)
#define FOR_BF16(X, ...) X(BF16, __VA_ARGS__)
#define FOR_F32X2(X, ...) X(F32X2, __VA_ARGS__)
#define FOR_PRED(X, ...) X(PRED, __VA_ARGS__)

#define FOR_INTS32(X, ...) X(U32, __VA_ARGS__) X(S32, __VA_ARGS__)
#define FOR_INTS64(X, ...) X(U64, __VA_ARGS__) X(S64, __VA_ARGS__)
#define FOR_SIZES(X, ...) X(U32, __VA_ARGS__) X(U64, __VA_ARGS__)
#define FOR_INTS32UP(X, ...) FOR_INTS32(X, __VA_ARGS__) FOR_INTS64(X, __VA_ARGS__)
#define FOR_NARROW(X, ...) X(U16, __VA_ARGS__) X(S16, __VA_ARGS__) FOR_INTS32(X, __VA_ARGS__)
#define FOR_INTS(X, ...) X(U16, __VA_ARGS__) X(S16, __VA_ARGS__) FOR_INTS32UP(X, __VA_ARGS__)
#define FOR_INTS_PACKED(X, ...) X(U16X2, __VA_ARGS__) X(S16X2, __VA_ARGS__)
#define FOR_ADDABLE(X, ...) FOR_INTS(X, __VA_ARGS__) FOR_INTS_PACKED(X, __VA_ARGS__)
#define FOR_SIGNED(X, ...) X(S16, __VA_ARGS__) X(S32, __VA_ARGS__) X(S64, __VA_ARGS__)
#define FOR_CVT_INTS(X, ...) X(U8, __VA_ARGS__) X(S8, __VA_ARGS__) FOR_INTS(X, __VA_ARGS__)
#define FOR_BYTES(X, ...) X(U8, __VA_ARGS__) X(S8, __VA_ARGS__)
#define FOR_SHORTS(X, ...) X(U16, __VA_ARGS__) X(S16, __VA_ARGS__)
#define FOR_RELU_INTS(X, ...) X(S32, __VA_ARGS__) X(S16X2, __VA_ARGS__)

#define FOR_BITS32UP(X, ...) X(B32, __VA_ARGS__) X(B64, __VA_ARGS__)
#define FOR_BITS(X, ...) X(B16, __VA_ARGS__) FOR_BITS32UP(X, __VA_ARGS__)
#define FOR_SHIFTED(X, ...) FOR_BITS(X, __VA_ARGS__) FOR_INTS(X, __VA_ARGS__)

#define FOR_FLOATS(X, ...) X(F32, __VA_ARGS__) X(F64, __VA_ARGS__)
#define FOR_HALVES_F16(X, ...) X(F16, __VA_ARGS__) X(F16X2, __VA_ARGS__)
#define FOR_HALVES_BF16(X, ...) X(BF16, __VA_ARGS__) X(BF16X2, __VA_ARGS__)
#define FOR_HALVES(X, ...) FOR_HALVES_F16(X, __VA_ARGS__) FOR_HALVES_BF16(X, __VA_ARGS__)
#define FOR_CVT_FLOATS(X, ...) X(F16, __VA_ARGS__) X(BF16, __VA_ARGS__) X(TF32, __VA_ARGS__) FOR_FLOATS(X, __VA_ARGS__)
#define FOR_CVT(X, ...) FOR_CVT_INTS(X, __VA_ARGS__) FOR_CVT_FLOATS(X, __VA_ARGS__)
#define FOR_CVT_PAIRS(X, ...) X(F16X2, __VA_ARGS__) X(BF16X2, __VA_ARGS__)
#define FOR_SMALL_FLOATS(X, ...)                                                                                       \
	X(E4M3X2, __VA_ARGS__)                                                                                         \
	X(E5M2X2, __VA_ARGS__)                                                                                         \
	X(E2M3X2, __VA_ARGS__) X(E3M2X2, __VA_ARGS__) X(E2M1X2, __VA_ARGS__) X(UE8M0X2, __VA_ARGS__)
#define FOR_SMALL_OR_PAIRS(X, ...) FOR_SMALL_FLOATS(X, __VA_ARGS__) FOR_CVT_PAIRS(X, __VA_ARGS__)

#define FOR_VALUES(X, ...) FOR_BITS(X, __VA_ARGS__) FOR_INTS(X, __VA_ARGS__) FOR_FLOATS(X, __VA_ARGS__)
#define FOR_MOVED(X, ...) FOR_VALUES(X, __VA_ARGS__) X(B128, __VA_ARGS__) X(PRED, __VA_ARGS__)
#define FOR_ORDERED(X, ...) FOR_BITS(X, __VA_ARGS__) FOR_INTS(X, __VA_ARGS__)
#define FOR_COMPARED_FLOATS(X, ...) FOR_FLOATS(X, __VA_ARGS__) FOR_HALVES(X, __VA_ARGS__)
#define FOR_SET_RESULTS(X, ...)                                                                                        \
	X(U16, __VA_ARGS__)                                                                                            \
	X(S16, __VA_ARGS__) FOR_INTS32(X, __VA_ARGS__) X(F32, __VA_ARGS__) FOR_HALVES(X, __VA_ARGS__)
#define FOR_LOADED(X, ...)                                                                                             \
	FOR_VALUES(X, __VA_ARGS__) X(B8, __VA_ARGS__) X(B128, __VA_ARGS__) X(U8, __VA_ARGS__) X(S8, __VA_ARGS__)
#define FOR_WORDS32UP(X, ...) FOR_BITS32UP(X, __VA_ARGS__) FOR_INTS32UP(X, __VA_ARGS__) FOR_FLOATS(X, __VA_ARGS__)
#define FOR_SENT(X, ...) FOR_WORDS32UP(X, __VA_ARGS__) X(B128, __VA_ARGS__)
#define FOR_STORED_ASYNC(X, ...)                                                                                       \
	FOR_WORDS32UP(X, __VA_ARGS__)                                                                                  \
	X(B8, __VA_ARGS__) X(B16, __VA_ARGS__) FOR_BYTES(X, __VA_ARGS__) FOR_SHORTS(X, __VA_ARGS__)
#define FOR_ADDED_ASYNC(X, ...) FOR_INTS32(X, __VA_ARGS__) X(U64, __VA_ARGS__)
#define FOR_ATOMIC_ADD(X, ...) FOR_INTS32UP(X, __VA_ARGS__) FOR_FLOATS(X, __VA_ARGS__) FOR_HALVES(X, __VA_ARGS__)
#define FOR_REDUCED_BULK(X, ...)                                                                                       \
	FOR_INTS32(X, __VA_ARGS__)                                                                                     \
	X(U64, __VA_ARGS__) FOR_FLOATS(X, __VA_ARGS__) X(F16, __VA_ARGS__) X(BF16, __VA_ARGS__)
#define FOR_ORDERED_BULK(X, ...) FOR_INTS32UP(X, __VA_ARGS__) X(F16, __VA_ARGS__) X(BF16, __VA_ARGS__)
#define FOR_ATOMIC_VECTOR(X, ...) X(F32, __VA_ARGS__) FOR_HALVES(X, __VA_ARGS__)
#define FOR_ATOMIC_SWAP(X, ...) FOR_BITS(X, __VA_ARGS__) X(B128, __VA_ARGS__)
#define FOR_ATOMIC_EXCHANGE(X, ...) FOR_BITS32UP(X, __VA_ARGS__) X(B128, __VA_ARGS__)
#define FOR_REDUCED_ADD(X, ...) FOR_INTS32(X, __VA_ARGS__) X(U64, __VA_ARGS__)
#define FOR_TEXELS(X, ...) FOR_INTS32(X, __VA_ARGS__) X(F32, __VA_ARGS__)
#define FOR_WORDS(X, ...) X(B32, __VA_ARGS__) FOR_TEXELS(X, __VA_ARGS__)
#define FOR_ANY_BITS(X, ...) X(B8, __VA_ARGS__) FOR_BITS(X, __VA_ARGS__)
#define FOR_REDUX(X, ...) FOR_INTS32(X, __VA_ARGS__) X(F32, __VA_ARGS__)

/* A set as the bits of a number, bit TYPE_<name> for each type. */
#define TYPE_BIT(name, ...) | UINT64_C(1) << TYPE_##name
#define TYPE_BITS(set) (0 FOR_##set(TYPE_BIT, ))

#endif
