/* Video instructions: vadd and its kin on parts of registers, and their 2- and 4-way forms.
 *
 * What the decoder puts into insn_extra.selector, per operand d a b c:
 *   scalar forms   enum ptx_selector: which byte or half of a and b; which part of d receives the result, c filling the
 *                  rest
 *   2- and 4-way   d: a bit per part that is written; a and b: four bits per part, the lowest first, naming a part of
 *                  b:a
 * The pseudo-code of the PTX ISA is followed with 64-bit intermediates. */
#include "warp/choose.h"

/* ---- Parts ---- */

struct part {
	unsigned shift, bits;
};

static struct part part_of(uint32_t selector)
{
	switch (selector) {
	case SELECT_B0:
	case SELECT_B1:
	case SELECT_B2:
	case SELECT_B3: return (struct part){8 * (selector - SELECT_B0), 8};
	case SELECT_H0:
	case SELECT_H1: return (struct part){16 * (selector - SELECT_H0), 16};
	default: return (struct part){0, 32};
	}
}

static int64_t extend(uint32_t value, unsigned bits, bool is_signed)
{
	uint64_t low = value & (UINT64_C(0xffffffff) >> (32 - bits));
	return is_signed && low >> (bits - 1) & 1 ? (int64_t)low - ((int64_t)1 << bits) : (int64_t)low;
}

static int64_t read_part(uint32_t value, uint32_t selector, uint8_t type)
{
	struct part part = part_of(selector);
	return extend(value >> part.shift, part.bits, type == TYPE_S32);
}

static int64_t clamp(int64_t value, unsigned bits, bool is_signed)
{
	int64_t highest = is_signed ? ((int64_t)1 << (bits - 1)) - 1 : ((int64_t)1 << bits) - 1;
	int64_t lowest = is_signed ? -highest - 1 : 0;
	return value > highest ? highest : value < lowest ? lowest : value;
}

static bool compares(unsigned compare, int64_t a, int64_t b)
{
	switch (compare) {
	case compare_EQ: return a == b;
	case compare_NE: return a != b;
	case compare_LT:
	case compare_LO: return a < b;
	case compare_LE:
	case compare_LS: return a <= b;
	case compare_GT:
	case compare_HI: return a > b;
	default: return a >= b;
	}
}

/* The operation on one part; the same for scalar and multi-way forms. */
static int64_t operate(const struct insn *i, int64_t a, int64_t b)
{
	int64_t sum = a + b;
	switch (i->op) {
	case OP_vadd:
	case OP_vadd2:
	case OP_vadd4: return sum;
	case OP_vsub:
	case OP_vsub2:
	case OP_vsub4: return a - b;
	case OP_vavrg2:
	case OP_vavrg4: return (sum >= 0 ? sum + 1 : sum) >> 1;
	case OP_vabsdiff:
	case OP_vabsdiff2:
	case OP_vabsdiff4: return a < b ? b - a : a - b;
	case OP_vmin:
	case OP_vmin2:
	case OP_vmin4: return a < b ? a : b;
	case OP_vmax:
	case OP_vmax2:
	case OP_vmax4: return a > b ? a : b;
	default: return compares(i->modifiers.compare, a, b);
	}
}

/* ---- Scalar ---- */

static int64_t shifted(const struct insn *i, int64_t a, uint32_t count)
{
	count = i->modifiers.limit == limit_WRAP ? count & 31 : count < 32 ? count : 32;
	return i->op == OP_vshl ? (int64_t)((uint64_t)a << count) : a >> count;
}

static bool result_is_signed(const struct insn *i)
{
	return i->op != OP_vset && i->type == TYPE_S32;
}

static uint32_t second_operation(const struct insn *i, uint32_t value, uint32_t c)
{
	bool less = result_is_signed(i) ? (int32_t)value < (int32_t)c : value < c;
	switch (i->modifiers.secondary) {
	case secondary_ADD: return value + c;
	case secondary_MIN: return less ? value : c;
	case secondary_MAX: return less ? c : value;
	default: return value;
	}
}

static uint32_t scalar(const struct insn *i, const struct insn_extra *extra, uint32_t a, uint32_t b, uint32_t c)
{
	bool set = i->op == OP_vset, shift = i->op == OP_vshl || i->op == OP_vshr;
	uint8_t type_a = set ? i->type : i->type2, type_b = set ? i->type2 : i->type3;
	int64_t x = read_part(a, extra->selector[1], type_a);
	int64_t y = read_part(b, extra->selector[2], shift ? TYPE_U32 : type_b);
	int64_t value = shift ? shifted(i, x, (uint32_t)y) : operate(i, x, y);
	struct part part = part_of(extra->selector[0]);
	if (i->modifiers.flags & FLAG_SAT)
		value = clamp(value, part.bits, result_is_signed(i));
	uint32_t result = second_operation(i, (uint32_t)value, c);
	uint32_t mask = (uint32_t)(UINT64_C(0xffffffff) >> (32 - part.bits)) << part.shift;
	return (result << part.shift & mask) | (c & ~mask);
}

/* vmad: a product of at most 64 bits, negated by complement and a carry, plus c; then scaled and saturated. */
static uint32_t multiply_add(const struct insn *i, const struct insn_extra *extra, uint32_t a, uint32_t b, uint32_t c)
{
	bool negative_product = extra->negate[1] != extra->negate[2], negative_c = extra->negate[3];
	bool is_signed = i->type2 == TYPE_S32 || i->type3 == TYPE_S32 || negative_product || negative_c;
	__int128 product =
		(__int128)read_part(a, extra->selector[1], i->type2) * read_part(b, extra->selector[2], i->type3);
	__int128 addend = is_signed ? (__int128)(int32_t)c : (__int128)c;
	bool plus_one = i->modifiers.flags & FLAG_PLUS_ONE;
	__int128 value = !plus_one && negative_product ? -product : product;
	value += !plus_one && !negative_product && negative_c ? -addend : addend;
	value += plus_one;
	if (i->modifiers.flags & (FLAG_SHR7 | FLAG_SHR15))
		value >>= i->modifiers.flags & FLAG_SHR7 ? 7 : 15;
	if (i->modifiers.flags & FLAG_SAT) {
		/* An unsigned product may fill 64 bits: bring it into the range of clamp. */
		int64_t near = value > INT64_MAX ? INT64_MAX : (int64_t)value;
		return (uint32_t)clamp(near, 32, is_signed);
	}
	return (uint32_t)value;
}

static void exec_video(struct warp *w, const struct insn *i, lane_mask active)
{
	const struct insn_extra *extra = &w->kernel->extras[i->extra];
	const uint32_t *a = slot_at(w, i->s[0]), *b = slot_at(w, i->s[1]);
	const uint32_t *c = i->s[2] == SLOT_NONE ? NULL : slot_at(w, i->s[2]);
	uint32_t *d = slot_at(w, i->d);
	EACH_LANE(x, active) {
		uint32_t third = c ? c[x] : 0;
		d[x] = i->op == OP_vmad ? multiply_add(i, extra, a[x], b[x], third)
					: scalar(i, extra, a[x], b[x], third);
	}
}

CHOOSE_ALWAYS(video)

/* ---- 2- and 4-way ---- */

static unsigned parts_of(uint16_t op)
{
	switch (op) {
	case OP_vadd2:
	case OP_vsub2:
	case OP_vavrg2:
	case OP_vabsdiff2:
	case OP_vmin2:
	case OP_vmax2:
	case OP_vset2: return 2;
	default: return 4;
	}
}

/* With .add the parts' results are added to c; otherwise each replaces its part of c. */
static uint32_t multi_way(const struct insn *i, const struct insn_extra *extra, uint32_t a, uint32_t b, uint32_t c)
{
	unsigned count = parts_of(i->op), bits = 32 / count;
	bool set = i->op == OP_vset2 || i->op == OP_vset4;
	uint8_t type_a = set ? i->type : i->type2, type_b = set ? i->type2 : i->type3;
	uint64_t both = (uint64_t)b << 32 | a;
	uint32_t result = c;
	for (unsigned k = 0; k < count; k++) {
		if (!(extra->selector[0] >> k & 1))
			continue;
		unsigned from_a = extra->selector[1] >> 4 * k & 7, from_b = extra->selector[2] >> 4 * k & 7;
		int64_t x = extend((uint32_t)(both >> from_a * bits), bits, type_a == TYPE_S32);
		int64_t y = extend((uint32_t)(both >> from_b * bits), bits, type_b == TYPE_S32);
		int64_t value = operate(i, x, y);
		if (i->modifiers.flags & FLAG_SAT)
			value = clamp(value, bits, !set && i->type == TYPE_S32);
		uint32_t mask = (uint32_t)((UINT64_C(1) << bits) - 1) << k * bits;
		if (i->modifiers.secondary)
			result += (uint32_t)value;
		else
			result = (result & ~mask) | ((uint32_t)value << k * bits & mask);
	}
	return result;
}

static void exec_video_simd(struct warp *w, const struct insn *i, lane_mask active)
{
	const struct insn_extra *extra = &w->kernel->extras[i->extra];
	const uint32_t *a = slot_at(w, i->s[0]), *b = slot_at(w, i->s[1]), *c = slot_at(w, i->s[2]);
	uint32_t *d = slot_at(w, i->d);
	EACH_LANE(x, active)
		d[x] = multi_way(i, extra, a[x], b[x], c[x]);
}

CHOOSE_ALWAYS(video_simd)
