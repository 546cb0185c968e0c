/* The arithmetic operations that the lanes of a launch have executed, by kind: the work of a roofline.  They follow
 * from how often each instruction was issued, so the cycle loop does nothing for them. */
#include "machine/gpu/machine.h"

#include <assert.h>

static bool is_within(const struct insn *i, enum op first, enum op last)
{
	assert(first < last);
	return i->op >= first && i->op <= last;
}

/* Operations of one lane on one value.  Rows of ops.def that only move, convert or compare do none. */
static uint32_t of_value(const struct insn *i)
{
	assert(i->op < OP_COUNT);
	bool is_integer = is_within(i, OP_add_sat, OP_lop3) && i->type != TYPE_PRED;
	bool is_float = is_within(i, OP_add_f32, OP_tanh_half) || is_within(i, OP_min_f32, OP_max_half);

	assert(!is_integer || !is_float);
	if (!is_integer && !is_float)
		return 0;
	if (i->op == OP_dp4a)
		return 8;
	if (i->op == OP_dp2a_lo || i->op == OP_dp2a_hi)
		return 4;
	return i->latency == LATENCY_INT_MAD || i->latency == LATENCY_FP_MAD || i->latency == LATENCY_DP_MAD ? 2 : 1;
}

static bool is_pair(const struct insn *i)
{
	assert(i->type < TYPE_COUNT);
	switch (i->type) {
	case TYPE_F32X2:
	case TYPE_F16X2:
	case TYPE_BF16X2:
	case TYPE_U16X2:
	case TYPE_S16X2: return true;
	default: return false;
	}
}

static uint64_t *sum_of(struct counters *counters, const struct insn *i)
{
	switch (i->type) {
	case TYPE_F16:
	case TYPE_F16X2:
	case TYPE_BF16:
	case TYPE_BF16X2: return &counters->ops_half;
	case TYPE_F32:
	case TYPE_F32X2: return &counters->ops_single;
	case TYPE_F64: return &counters->ops_double;
	default: return &counters->ops_integer;
	}
}

static void count(struct counters *counters, const struct kernel *kernel, const struct insn *i, uint64_t lanes)
{
	const struct insn_extra *extra = i->extra ? &kernel->extras[i->extra] : NULL;

	assert(i->unit < UNIT_COUNT);
	if (i->latency == LATENCY_MATRIX || i->kind == INSN_WARPGROUP) { /* of 32 lanes together, or of 128 */
		assert(extra && extra->matrix);
		const struct matrix *x = &extra->matrix->shape;
		counters->ops_matrix += 2ull * x->m * x->n * x->k / matrix_lanes(x) * lanes;
	} else {
		*sum_of(counters, i) += (uint64_t)of_value(i) * (is_pair(i) ? 2 : 1) * lanes;
	}
}

void count_operations(struct counters *counters, const struct launch *launch)
{
	const struct kernel *kernel = launch->kernel;

	assert(launch->machine);
	assert(!launch->runs);
	for (uint32_t pc = 0; pc < kernel->code_count; pc++)
		count(counters, kernel, &kernel->code[pc], launch_issued(launch, pc).lanes);
	for (uint32_t k = 0; k < launch->part_count; k++)
		count_operations(counters, launch->parts[k]);
}
