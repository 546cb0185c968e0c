/* Multiplications of matrices, and loads and stores of their fragments: which registers have which part. */
#include "kernel/decode.h"

/* How many times half the work of latency.matrix a warp does: by elements of 16 bits, 1024 multiply-adds each.  Only
 * Volta's shape has an odd number. */
static uint8_t matrix_halves(const struct matrix *x)
{
	uint32_t work = matrix_work(x);

	return x->quad_pairs ? 1 : (uint8_t)(work > 2048 ? 2 * ((work + 2047) / 2048) : 2);
}

static void decode_fragment(struct decoder *d, const struct ptx_instruction *instruction,
	const struct ptx_operand *operand, enum matrix_part part, struct insn_matrix *matrix)
{
	uint8_t bytes;
	matrix->count[part] = (uint8_t)(operand->kind == OPERAND_VECTOR ? operand->count : 1);
	matrix->slot[part] = arena_new_array(d->arena, slot_ref, matrix->count[part]);
	for (uint32_t k = 0; k < matrix->count[part]; k++) {
		const struct ptx_operand *element = operand->kind == OPERAND_VECTOR ? &operand->element[k] : operand;
		matrix->slot[part][k] = source_slot(d, instruction, element, TYPE_B32, &bytes);
		matrix->bytes[part] = bytes ? bytes : matrix->bytes[part];
	}
}

void decode_matrix(struct decoder *d, const struct ptx_instruction *instruction, struct insn *insn)
{
	struct insn_matrix *matrix = arena_new(d->arena, struct insn_matrix);
	uint32_t part = MATRIX_D;
	matrix_read(instruction->opcode, &matrix->shape);
	insn->access = (struct insn_access){.bytes = 4, .elements = 1, .type = TYPE_B32, .register_bytes = 4};
	insn->component = matrix->shape.kind == MATRIX_MULTIPLY ? matrix_halves(&matrix->shape) : 2;
	for (uint32_t k = 0; k < instruction->operand_count; k++) {
		const struct ptx_operand *operand = &instruction->operand[k];
		switch (operand_letter(instruction, k)) {
		case 'm': decode_address(d, instruction, operand, insn); break;
		case 'w': decode_fragment(d, instruction, operand, (enum matrix_part)part++, matrix); break;
		default:
			if (operand->kind != OPERAND_NONE)
				insn->s[1] = source_slot(d, instruction, operand, TYPE_U32, &insn->s_bytes[1]);
		}
	}
	if (d->function->slots->dead_result[d->instruction])
		insn->flags |= INSN_NO_RESULT;
	struct insn_extra *extra = decode_extra(d, insn);
	extra->matrix = matrix;
}

static bool is_one(const struct ptx_operand *operand)
{
	return operand->kind == OPERAND_IMMEDIATE && operand->bits == 1;
}

static bool is_minus_one(const struct ptx_operand *operand)
{
	return operand->kind == OPERAND_IMMEDIATE && operand->bits == UINT64_MAX;
}

/* Operands: d, a, b, scale-d, imm-scale-a, imm-scale-b, imm-trans-a unless a is in registers, imm-trans-b. */
void decode_warpgroup(struct decoder *d, const struct ptx_instruction *instruction, struct insn *insn)
{
	const struct ptx_operand *o = instruction->operand;
	struct insn_matrix *matrix = arena_new(d->arena, struct insn_matrix);
	bool in_registers = o[MATRIX_A].kind == OPERAND_VECTOR;
	matrix_read(instruction->opcode, &matrix->shape);
	decode_fragment(d, instruction, &o[MATRIX_D], MATRIX_D, matrix);
	if (in_registers)
		decode_fragment(d, instruction, &o[MATRIX_A], MATRIX_A, matrix);
	else
		insn->s[0] = source_slot(d, instruction, &o[MATRIX_A], TYPE_B64, &insn->s_bytes[0]);
	insn->s[1] = source_slot(d, instruction, &o[MATRIX_B], TYPE_B64, &insn->s_bytes[1]);
	decode_predicate(d, &o[3], insn);
	matrix->shape.negative = is_minus_one(&o[4]) != is_minus_one(&o[5]);
	matrix->shape.columns[0] = !in_registers && is_one(&o[6]);
	matrix->shape.columns[1] = is_one(&o[in_registers ? 6 : 7]);
	insn->component = matrix_halves(&matrix->shape);
	insn->writes = matrix->count[MATRIX_D];
	decode_extra(d, insn)->matrix = matrix;
}
