/* What an atomic operation does to a word.
 *
 * Float additions round to nearest and keep subnormals.  (GPUs flush them in atom.add.f32 on global memory and keep them in
 * shared memory; one rule for both is simpler to reason about and no program can rely on the loss.) */
#include "warp/lanes/float.h"
#include "warp/warp.h"

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
	case TYPE_F32: case TYPE_F64: case TYPE_F16: case TYPE_BF16:
		return add_floats(type, old, a);
	case TYPE_F16X2: case TYPE_BF16X2:
		type = type == TYPE_F16X2 ? TYPE_F16 : TYPE_BF16;
		return add_floats(type, old >> 16, a >> 16) << 16 | add_floats(type, old, a);
	default:
		return old + a;
	}
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

static uint64_t updated(enum atomic_op op, enum ptx_type type, uint64_t old, uint64_t a, uint64_t b)
{
	switch (op) {
	case ATOMIC_EXCH: return a;
	case ATOMIC_CAS: return old == a ? b : old;
	case ATOMIC_ADD: return add(type, old, a);
	case ATOMIC_MIN: return is_less(type, a, old) ? a : old;
	case ATOMIC_MAX: return is_less(type, old, a) ? a : old;
	case ATOMIC_INC: return old >= a ? 0 : old + 1;
	case ATOMIC_DEC: return old == 0 || old > a ? a : old - 1;
	case ATOMIC_AND: return old & a;
	case ATOMIC_OR: return old | a;
	case ATOMIC_XOR: return old ^ a;
	case ATOMIC_NONE: break;
	}
	assert(!"an atomic operation");
	return old;
}

uint64_t atomic_apply(enum atomic_op op, enum ptx_type type, void *where, uint64_t a, uint64_t b)
{
	unsigned bits = ptx_types[type].bits;
	uint64_t mask = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
	uint64_t old = 0;
	memcpy(&old, where, bits / 8); /* little-endian hosts, as GPUs are */
	uint64_t new = updated(op, type, old, a & mask, b & mask);
	memcpy(where, &new, bits / 8);
	return old;
}
