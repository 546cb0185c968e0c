/* Float arithmetic with .rz .rm .rp, and of mixed precision: one lane at a time, by the processor's own rounding modes.
 *
 * The compiler assumes the default mode, so operands and results pass through volatile variables: it can neither fold
 * the operation nor move it across fesetround.  Every operation here is one that IEEE 754 defines exactly in every
 * mode. */
#include "warp/choose.h"
#include "warp/lanes/float.h"

#include <fenv.h>
#include <math.h>

static int mode_of(unsigned rounding)
{
	switch (rounding) {
	case rounding_RZ: return FE_TOWARDZERO;
	case rounding_RM: return FE_DOWNWARD;
	case rounding_RP: return FE_UPWARD;
	default: return FE_TONEAREST;
	}
}

enum operation { ADD, SUBTRACT, MULTIPLY, FUSED, DIVIDE, RECIPROCAL, ROOT };

static enum operation operation_of(uint16_t op)
{
	switch (op) {
	case OP_add_f32:
	case OP_add_f64:
	case OP_add_f32x2:
	case OP_add_mixed: return ADD;
	case OP_sub_f32:
	case OP_sub_f64:
	case OP_sub_f32x2:
	case OP_sub_mixed: return SUBTRACT;
	case OP_mul_f32:
	case OP_mul_f64:
	case OP_mul_f32x2: return MULTIPLY;
	case OP_div_f32:
	case OP_div_f64: return DIVIDE;
	case OP_rcp_f32:
	case OP_rcp_f64: return RECIPROCAL;
	case OP_sqrt_f32:
	case OP_sqrt_f64: return ROOT;
	default: return FUSED;
	}
}

static unsigned operand_count(enum operation operation)
{
	return operation == FUSED ? 3 : operation >= RECIPROCAL ? 1 : 2;
}

#define DEFINE_OPERATION(T, name, fma_of, sqrt_of)                                                                     \
	static T name(enum operation operation, const T operand[3])                                                    \
	{                                                                                                              \
		volatile T a = operand[0], b = operand[1], c = operand[2], result;                                     \
		switch (operation) {                                                                                   \
		case ADD: result = a + b; break;                                                                       \
		case SUBTRACT: result = a - b; break;                                                                  \
		case MULTIPLY: result = a * b; break;                                                                  \
		case FUSED: result = fma_of(a, b, c); break;                                                           \
		case DIVIDE: result = a / b; break;                                                                    \
		case RECIPROCAL:                                                                                       \
			b = 1;                                                                                         \
			result = b / a;                                                                                \
			break;                                                                                         \
		default: result = sqrt_of(a); break;                                                                   \
		}                                                                                                      \
		return result;                                                                                         \
	}
DEFINE_OPERATION(float, single, fmaf, sqrtf)
DEFINE_OPERATION(double, wide, fma, sqrt)

/* Flushing, saturating and canonical NaNs only compare and choose, so the mode does not matter to them. */
static float rounded_single(const struct insn *i, enum operation operation, const float operand[3])
{
	uint32_t flags = i->modifiers.flags;
	float loaded[3] = {
		flush_input(operand[0], flags), flush_input(operand[1], flags), flush_input(operand[2], flags)};
	return finish(single(operation, loaded), flags);
}

/* Calls `lane` for each active lane, in the instruction's rounding mode. */
static void in_its_mode(struct warp *w, const struct insn *i, lane_mask active,
	void (*lane)(struct warp *w, const struct insn *i, enum operation operation, unsigned x))
{
	enum operation operation = operation_of(i->op);
	int before = fegetround();
	fesetround(mode_of(i->modifiers.rounding));
	EACH_LANE(x, active)
		lane(w, i, operation, (unsigned)x);
	fesetround(before);
}

static void single_lane(struct warp *w, const struct insn *i, enum operation operation, unsigned x)
{
	float operand[3] = {0};
	for (unsigned k = 0; k < operand_count(operation); k++)
		operand[k] = ((const float *)slot_at(w, i->s[k]))[x];
	((float *)slot_at(w, i->d))[x] = rounded_single(i, operation, operand);
}

static void double_lane(struct warp *w, const struct insn *i, enum operation operation, unsigned x)
{
	double operand[3] = {0};
	for (unsigned k = 0; k < operand_count(operation); k++)
		operand[k] = ((const double *)slot_at(w, i->s[k]))[x];
	((double *)slot_at(w, i->d))[x] = finish_double(wide(operation, operand));
}

static void pair_lane(struct warp *w, const struct insn *i, enum operation operation, unsigned x)
{
	float low[3] = {0}, high[3] = {0};
	for (unsigned k = 0; k < operand_count(operation); k++) {
		uint64_t pair = ((const uint64_t *)slot_at(w, i->s[k]))[x];
		low[k] = float_of((uint32_t)pair);
		high[k] = float_of((uint32_t)(pair >> 32));
	}
	uint64_t bits = bits_of(rounded_single(i, operation, high));
	((uint64_t *)slot_at(w, i->d))[x] = bits << 32 | bits_of(rounded_single(i, operation, low));
}

/* Of mixed precision: the 16-bit operands are widened, which is exact; the last one is .f32. */
static void mixed_lane(struct warp *w, const struct insn *i, enum operation operation, unsigned x)
{
	unsigned narrow = operand_count(operation) - 1;
	float operand[3] = {0};
	for (unsigned k = 0; k < narrow; k++) {
		uint32_t half = ((const uint32_t *)slot_at(w, i->s[k]))[x] & 0xffff;
		operand[k] = i->type2 == TYPE_F16 ? half_to_float(half) : bfloat_to_float(half);
	}
	operand[narrow] = ((const float *)slot_at(w, i->s[narrow]))[x];
	((float *)slot_at(w, i->d))[x] = rounded_single(i, operation, operand);
}

#define EXEC(how)                                                                                                      \
	static void exec_##how(struct warp *w, const struct insn *i, lane_mask active)                                 \
	{                                                                                                              \
		in_its_mode(w, i, active, how##_lane);                                                                 \
	}
EXEC(single)
EXEC(double)
EXEC(pair)
EXEC(mixed)

exec_function *choose_rounded(const struct insn *i)
{
	switch (i->type) {
	case TYPE_F32: return exec_single;
	case TYPE_F64: return exec_double;
	case TYPE_F32X2: return exec_pair;
	default: return NULL;
	}
}

CHOOSE_ALWAYS(mixed)
