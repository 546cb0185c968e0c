/* The registers that wgmma reads and writes asynchronously, for the check of their use (sync/matrices.c).
 *
 * Compilers move values from register to register where the source has no such statement, as at the end of a loop.  So
 * a register to which a mov carries such a value is followed, too. */
#include "kernel/decode.h"
#include "kernel/registers.h"

#include <assert.h>

static bool number(struct kernel_function *function, const struct ptx_register *reg)
{
	if (function->matrix_number[reg->index] || function->matrix_registers == UINT16_MAX)
		return false;
	function->matrix_number[reg->index] = (uint16_t)++function->matrix_registers;
	return true;
}

static void number_elements(struct kernel_function *function, const struct ptx_operand *o)
{
	for (uint32_t k = 0; o->kind == OPERAND_VECTOR && k < o->count; k++)
		if (o->element[k].kind == OPERAND_REGISTER)
			number(function, o->element[k].reg);
}

/* Whether it is a mov of a numbered register to one that has none yet. */
static bool carries(struct kernel_function *function, const struct ptx_instruction *i)
{
	const struct ptx_operand *o = i->operand;
	if (!op_is(i->op, "mov") || o[0].kind != OPERAND_REGISTER || o[1].kind != OPERAND_REGISTER)
		return false;
	return function->matrix_number[o[1].reg->index] && number(function, o[0].reg);
}

static bool has_matrices(const struct ptx_function *ptx)
{
	for (uint32_t k = 0; k < ptx->code.count; k++)
		if (ptx->code.at[k].op == OP_wgmma)
			return true;
	return false;
}

static void number_registers(struct decoder *d, struct kernel_function *function)
{
	const struct ptx_function *ptx = function->ptx;
	function->matrix_number = arena_new_array(d->arena, uint16_t, ptx->registers.count);
	for (uint32_t k = 0; k < ptx->code.count; k++)
		if (ptx->code.at[k].op == OP_wgmma) {
			number_elements(function, &ptx->code.at[k].operand[MATRIX_D]);
			number_elements(function, &ptx->code.at[k].operand[MATRIX_A]);
		}
	for (bool grew = true; grew;) {
		grew = false;
		for (uint32_t k = 0; k < ptx->code.count; k++)
			grew |= carries(function, &ptx->code.at[k]);
	}
}

static bool touches(const struct kernel_function *function, const struct ptx_instruction *i)
{
	for (struct register_use use = {.of = i}; register_next(&use);)
		if (function->matrix_number[use.reg->index])
			return true;
	return false;
}

void mark_matrix_registers(struct decoder *d)
{
	for (uint32_t f = 0; f < d->functions.count; f++) {
		struct kernel_function *function = &d->kernel->functions[f];
		if (!has_matrices(function->ptx))
			continue;
		number_registers(d, function);
		for (uint32_t pc = function->first_pc; pc < function->first_pc + function->count; pc++) {
			struct insn *insn = &d->code.at[pc];
			if (insn->source < function->ptx->code.count &&
				touches(function, &function->ptx->code.at[insn->source]))
				insn->flags |= INSN_OF_MATRICES;
		}
	}
}
