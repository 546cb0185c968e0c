/* When each class of readers may have what an instruction writes: the rows of model/latency.def.
 *
 * NVIDIA's pipelines forward results to themselves first.  What goes to another one, to the queue of memory accesses or
 * to the guard of an instruction takes longer. */
#include "machine/gpu/latency.h"

#include "kernel/kernel.h"
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
bool latency_converts_floats(const struct insn *i)
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
	return i->kind == INSN_PLAIN && is_computed && !latency_converts_floats(i) &&
	       (is_half_type(i->type) || (i->op == OP_set && is_half_type(i->type2)));
}

bool latency_counts_bits(const struct insn *i)
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
	if (latency_converts_floats(i) || latency_counts_bits(i))
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

/* The values of a pair are those of 32 lanes at a time, and of matrices those of one size. */
static uint16_t latency_of(
	const struct gpu_model *model, enum reader writer, uint32_t value, const struct issue_row *row)
{
	uint32_t passes = model->warp_size / model->simd_width;

	assert(passes);
	if (writer == READER_MATRIX)
		return (uint16_t)(row->latency + value > model->latency_MATRIX
					  ? row->latency + value - model->latency_MATRIX
					  : 1);
	return (uint16_t)(value + passes - 1);
}

bool latency_takes_operands(const struct insn *i)
{
	assert(i->op < OP_COUNT);
	return (i->kind == INSN_LOAD || i->kind == INSN_STORE || i->kind == INSN_ATOMIC) &&
	       i->access.space != space_PARAM && i->access.space != space_CONST;
}

/* Whether the next instruction goes through a queue, and updates a register that this one reads. */
static bool next_updates(const struct kernel *kernel, uint32_t pc)
{
	const struct insn *i = &kernel->code[pc], *next = i + 1;
	enum reader pipeline = pc + 1 < kernel->code_count ? pipeline_of(next) : READER_ALU;
	bool updates = false;

	assert(pc < kernel->code_count);
	if (pipeline < READER_SFU)
		return false;
	for (uint32_t k = 0; k < next->scoreboard.writes; k++)
		for (uint32_t s = i->scoreboard.writes; s < i->scoreboard.count; s++)
			updates |=
				next->scoreboard.updated >> k & 1 && next->scoreboard.slot[k] == i->scoreboard.slot[s];
	return updates;
}

/* Cycles from the issue of mma before others may update the registers that it reads: it reads for as long as it has
 * multiply-adds for the tensor core. */
static uint32_t matrix_read_time(const struct gpu_model *model, const struct kernel *kernel, const struct insn *i)
{
	const struct matrix *shape = &kernel->extras[i->extra].matrix->shape;
	uint32_t until = model->overwrite_matrix + model->interval_MATRIX * matrix_work(shape) / 2048;

	assert(i->extra && i->latency == LATENCY_MATRIX);
	return model->overwrite_matrix && until > model->interval_MATRIX ? until - model->interval_MATRIX : 0;
}

/* Cycles from its issue before others may update the registers that it reads. */
static uint32_t read_time(const struct gpu_model *model, const struct kernel *kernel, uint32_t pc)
{
	const struct insn *i = &kernel->code[pc];
	enum reader pipeline = pipeline_of(i);

	assert(pc < kernel->code_count);
	if (latency_takes_operands(i))
		return model->overwrite_memory;
	if (pipeline == READER_MATRIX)
		return matrix_read_time(model, kernel, i);
	return pipeline < READER_SFU && next_updates(kernel, pc) ? model->overwrite_queue : 0;
}

struct issue_times latency_times(
	const struct gpu_model *model, const struct kernel *kernel, uint32_t pc, const struct issue_row *row)
{
	const struct insn *i = &kernel->code[pc];
	enum reader pipeline = pipeline_of(i);
	if (model->unit_adds && model->unit_int && i->latency == LATENCY_INT_ADD && row->unit == UNIT_ALU)
		pipeline = READER_FMA;
	struct issue_times times = {
		.reads_as = (uint16_t)pipeline, .reads_for = (uint16_t)read_time(model, kernel, pc)};

	for (uint32_t reader = 0; reader < READERS; reader++)
		times.latency[reader] = row->latency ? row->latency : 1; /* a branch has no result */
	for (size_t k = 0; k < PAIRS && (i->kind == INSN_PLAIN || pipeline == READER_MATRIX); k++) {
		uint16_t latency = latency_of(model, pipeline, value_of(model, &pairs[k]), row);

		if (pairs[k].writer != pipeline || !value_of(model, &pairs[k]))
			continue;
		if (pairs[k].reader != READER_GUARD)
			times.latency[pairs[k].reader] = latency;
		else if (i->pd != NO_PREDICATE)
			set_guard(&times, pipeline, latency);
	}
	return times;
}
