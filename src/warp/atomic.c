/* What an atomic operation does to a word.
 *
 * Float additions round to nearest and keep subnormals, but for those of ATOMIC_ADD_FTZ. */
#include "warp/warp.h"

#include "warp/lanes/float.h"

#include <assert.h>
#include <string.h>

static uint64_t add_floats(enum ptx_type type, uint64_t old, uint64_t a)
{
	switch (type) {
	case TYPE_F64: return bits_of_double(finish_double(double_of(old) + double_of(a)));
	case TYPE_F32: return bits_of(canonical(float_of((uint32_t)old) + float_of((uint32_t)a)));
	case TYPE_F16: return float_to_half(half_to_float(old & 0xffff) + half_to_float(a & 0xffff));
	default: return float_to_bfloat(bfloat_to_float(old & 0xffff) + bfloat_to_float(a & 0xffff));
	}
}

static uint64_t add(enum ptx_type type, uint64_t old, uint64_t a)
{
	switch (type) {
	case TYPE_F32:
	case TYPE_F64:
	case TYPE_F16:
	case TYPE_BF16: return add_floats(type, old, a);
	default: return old + a;
	}
}

static float float_from(enum ptx_type type, uint64_t bits)
{
	return type == TYPE_F16 ? half_to_float(bits & 0xffff) : bfloat_to_float(bits & 0xffff);
}

/* The lesser, or greater, of two halves, -0 below 0; a number if one is a NaN. */
static uint64_t extreme_half(enum ptx_type type, uint64_t old, uint64_t a, bool greater)
{
	float x = float_from(type, old), y = float_from(type, a);
	if (x != x || y != y)
		return x == x ? old : y == y ? a : 0x7fff;
	bool is_less = x < y || (x == y && old > a); /* equal and different: 0x8000 is -0 */
	return is_less != greater ? old : a;
}

/* Whether old < a, as the type orders them. */
static bool is_less(enum ptx_type type, uint64_t old, uint64_t a)
{
	switch (type) {
	case TYPE_S32: return (int32_t)old < (int32_t)a;
	case TYPE_S64: return (int64_t)old < (int64_t)a;
	default: return old < a;
	}
}

/* What operations compute that are more than exchanges. */
static __attribute__((noinline)) uint64_t computed(enum atomic_op op, enum ptx_type type, uint64_t old, uint64_t a)
{
	if (type == TYPE_F16X2 || type == TYPE_BF16X2) {
		enum ptx_type half = type == TYPE_F16X2 ? TYPE_F16 : TYPE_BF16;

		return computed(op, half, old >> 16, a >> 16) << 16 | computed(op, half, old & 0xffff, a & 0xffff);
	}
	if ((op == ATOMIC_MIN || op == ATOMIC_MAX) && (type == TYPE_F16 || type == TYPE_BF16))
		return extreme_half(type, old, a, op == ATOMIC_MAX);
	switch (op) {
	case ATOMIC_ADD: return add(type, old, a);
	case ATOMIC_ADD_FTZ:
		return bits_of(canonical(flush(flush(float_of((uint32_t)old)) + flush(float_of((uint32_t)a)))));
	case ATOMIC_MIN: return is_less(type, a, old) ? a : old;
	case ATOMIC_MAX: return is_less(type, old, a) ? a : old;
	case ATOMIC_INC: return old >= a ? 0 : old + 1;
	case ATOMIC_DEC: return old == 0 || old > a ? a : old - 1;
	case ATOMIC_AND: return old & a;
	case ATOMIC_OR: return old | a;
	case ATOMIC_XOR: return old ^ a;
	case ATOMIC_TAKE: return (int32_t)old > 0 ? old - 1 : old;
	case ATOMIC_EXCH:
	case ATOMIC_CAS:
	case ATOMIC_NONE: break;
	}
	assert(0 && "an atomic operation");
	return old;
}

/* Those of locks are carried out without a call. */
static inline uint64_t updated(enum atomic_op op, enum ptx_type type, uint64_t old, uint64_t a, uint64_t b)
{
	if (op == ATOMIC_CAS)
		return old == a ? b : old;
	return op == ATOMIC_EXCH ? a : computed(op, type, old, a);
}

/* Little-endian hosts, as GPUs are.  The sizes are constants to the compiler: with others it would call a function. */
static uint64_t read_word(const void *where, unsigned bits)
{
	uint16_t half;
	uint32_t word;
	uint64_t wide;
	switch (bits) {
	case 16: memcpy(&half, where, sizeof half); return half;
	case 32: memcpy(&word, where, sizeof word); return word;
	default: memcpy(&wide, where, sizeof wide); return wide;
	}
}

static void write_word(void *where, unsigned bits, uint64_t value)
{
	switch (bits) {
	case 16: memcpy(where, &value, 2); break;
	case 32: memcpy(where, &value, 4); break;
	default: memcpy(where, &value, 8); break;
	}
}

uint64_t atomic_apply(enum atomic_op op, enum ptx_type type, void *where, uint64_t a, uint64_t b)
{
	unsigned bits = ptx_types[type].bits;
	assert(bits == 16 || bits == 32 || bits == 64);
	if (bits == 32) { /* nearly always */
		uint32_t before = (uint32_t)read_word(where, 32);
		write_word(where, 32, updated(op, type, before, (uint32_t)a, (uint32_t)b));
		return before;
	}
	uint64_t mask = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
	uint64_t old = read_word(where, bits);
	write_word(where, bits, updated(op, type, old, a & mask, b & mask));
	return old;
}

/* Until nothing else has changed the word between its reading and its writing. */
#define CHANGE(word)                                                                                                   \
	do {                                                                                                           \
		word *at = where, old = __atomic_load_n(at, __ATOMIC_ACQUIRE), now;                                    \
		do                                                                                                     \
			now = (word)updated(op, type, old, (word)a, (word)b);                                          \
		while (!__atomic_compare_exchange_n(at, &old, now, true, __ATOMIC_SEQ_CST, __ATOMIC_ACQUIRE));         \
		return old;                                                                                            \
	} while (0)

uint64_t atomic_apply_shared(enum atomic_op op, enum ptx_type type, void *where, uint64_t a, uint64_t b)
{
	switch (ptx_types[type].bits) {
	case 16: CHANGE(uint16_t);
	case 32: CHANGE(uint32_t);
	default: CHANGE(uint64_t);
	}
}
