/* When each class of readers may have what an instruction writes: the rows of model/latency.def.
 *
 * NVIDIA's pipelines forward results to themselves first.  What goes to another one, to the queue of memory accesses or
 * to the guard of an instruction takes longer. */
#include "machine/gpu/latency.h"

#include "kernel/insn.h"
#include "model/model.h"

#include <assert.h>
#include <stddef.h>

#define READER_GUARD READERS

static const struct pair {
	uint8_t writer, reader;
	size_t field;
} pairs[] = {
#define PAIR(writer, reader, path, meaning)                                                                            \
	{READER_##writer, READER_##reader, offsetof(struct gpu_model, pair_##writer##_##reader)},
#include "model/latency.def"
#undef PAIR
};

#define PAIRS (sizeof pairs / sizeof *pairs)

static uint32_t value_of(const struct gpu_model *model, const struct pair *pair)
{
	assert(pair >= pairs && pair < pairs + PAIRS);
	return *(const uint32_t *)((const char *)model + pair->field);
}

bool latency_by_reader(const struct gpu_model *model)
{
	assert(model);
	for (size_t k = 0; k < PAIRS; k++)
		if (value_of(model, &pairs[k]))
			return true;
	return false;
}

static bool is_float(uint8_t type)
{
	assert(type < TYPE_COUNT);
	return ptx_types[type].kind == KIND_FLOAT || ptx_types[type].kind == KIND_PACKED;
}

/* Conversions to and from floating point are far from the ALU, which does those between integers. */
static bool converts_floats(const struct insn *i)
{
	assert(i->op < OP_COUNT);
	return i->op == OP_cvt && (is_float(i->type) || is_float(i->type2));
}

static bool is_half_type(uint8_t type)
{
	assert(type < TYPE_COUNT);
	return type == TYPE_F16 || type == TYPE_BF16 || type == TYPE_F16X2 || type == TYPE_BF16X2;
}

bool latency_is_half(const struct insn *i)
{
	bool is_computed = i->latency >= LATENCY_FP_ADD && i->latency <= LATENCY_FP_MAX;

	assert(i->op < OP_COUNT);
	return i->kind == INSN_PLAIN && is_computed && !converts_floats(i) &&
	       (is_half_type(i->type) || (i->op == OP_set && is_half_type(i->type2)));
}

static bool counts_bits(const struct insn *i)
{
	assert(i->op < OP_COUNT);
	return i->op == OP_popc || i->op == OP_clz || i->op == OP_bfind || i->op == OP_bfind_shiftamt ||
	       i->op == OP_brev || i->op == OP_fns;
}

static bool compares_floats(const struct insn *i)
{
	assert(i->latency == LATENCY_FP_ADD);
	return i->op == OP_setp_float || i->op == OP_set || i->pd != NO_PREDICATE;
}

/* The pipeline that the instruction runs on, as a class of readers. */
static enum reader pipeline_of(const struct insn *i)
{
	if (converts_floats(i) || counts_bits(i))
		return READER_SFU;
	if (latency_is_half(i))
		return READER_HALF;
	switch ((enum latency_class)i->latency) {
	case LATENCY_INT_ADD:
	case LATENCY_INT_MAX:
	case LATENCY_FP_MAX: return READER_ALU;
	case LATENCY_FP_ADD: return compares_floats(i) ? READER_ALU : READER_FMA;
	case LATENCY_INT_MUL:
	case LATENCY_INT_MAD:
	case LATENCY_FP_MUL:
	case LATENCY_FP_MAD: return READER_FMA;
	case LATENCY_DP_ADD:
	case LATENCY_DP_MUL:
	case LATENCY_DP_MAD:
	case LATENCY_DP_MAX: return READER_DP;
	case LATENCY_INT_DIV:
	case LATENCY_FP_DIV:
	case LATENCY_DP_DIV:
	case LATENCY_SFU: return READER_SFU;
	case LATENCY_MATRIX: return READER_MATRIX;
	case LATENCY_SHUFFLE:
	case LATENCY_BRANCH:
	case LATENCY_SYNC:
	case LATENCY_MEMORY:
	case LATENCY_COUNT: break;
	}
	return READER_MEMORY;
}

/* As a guard reads a predicate, so do all that do not compute on the ALU or with it. */
static void set_guard(struct issue_times *times, enum reader writer, uint16_t latency)
{
	assert(latency);
	for (uint32_t reader = READER_DP; reader < READERS; reader++)
		if (reader != writer)
			times->latency[reader] = latency;
}

struct issue_times latency_times(const struct gpu_model *model, const struct insn *i, const struct issue_row *row)
{
	enum reader pipeline = pipeline_of(i);
	uint32_t passes = model->warp_size / model->simd_width;
	struct issue_times times = {.reads_as = (uint16_t)pipeline};

	assert(passes);
	for (uint32_t reader = 0; reader < READERS; reader++)
		times.latency[reader] = row->latency;
	for (size_t k = 0; k < PAIRS && i->kind == INSN_PLAIN; k++) {
		uint16_t latency = (uint16_t)(value_of(model, &pairs[k]) + passes - 1);

		if (pairs[k].writer != pipeline || !value_of(model, &pairs[k]))
			continue;
		if (pairs[k].reader != READER_GUARD)
			times.latency[pairs[k].reader] = latency;
		else if (i->pd != NO_PREDICATE)
			set_guard(&times, pipeline, latency);
	}
	return times;
}
