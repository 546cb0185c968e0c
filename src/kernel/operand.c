/* Roles of operands, from the letters of the row's shape; kinds and units of instructions, from the spelling of the row. */
#include "kernel/operand.h"

#include <ctype.h>
#include <stdatomic.h>
#include <string.h>

/* Shapes write alternatives as `d|p` and options as `[b]`: every letter is an operand, all else is punctuation. */
char operand_letter(const struct ptx_instruction *instruction, uint32_t k)
{
	if (ptx_ops[instruction->op].shape == SHAPE_CALL)
		return k == 0 ? 'f' : k == 1 ? 't' : 0;
	for (const char *c = ptx_shapes[ptx_ops[instruction->op].shape]; *c; c++)
		if (isalpha((unsigned char)*c) && k-- == 0)
			return *c;
	return 0;
}

bool operand_is_destination(const struct ptx_instruction *instruction, uint32_t k)
{
	char letter = operand_letter(instruction, k);
	return letter == 'd' || letter == 'p' || ((letter == 'v' || letter == 'w') && k == 0);
}

static size_t mnemonic_length(const char *spelling)
{
	return strcspn(spelling, ". ");
}

bool op_is(enum op op, const char *mnemonic)
{
	return ptx_is_mnemonic(&ptx_ops[op], mnemonic);
}

bool op_has(enum op op, const char *word)
{
	size_t length = strlen(word);
	const char *at = ptx_ops[op].spelling;
	if (!at)
		return false;
	for (at += mnemonic_length(at); *at; at += mnemonic_length(at)) {
		at++;
		if (mnemonic_length(at) == length && !memcmp(at, word, length))
			return true;
	}
	return false;
}

uint32_t type_slot_bytes(enum ptx_type type)
{
	if (ptx_types[type].kind == KIND_PREDICATE)
		return 0;
	return ptx_types[type].bits <= 32 ? 4 : ptx_types[type].bits / 8u;
}

static const struct {
	const char *mnemonic;
	enum insn_kind kind;
} kinds[] = {
	{"bra", INSN_BRANCH},
	{"brx", INSN_INDEXED},
	{"call", INSN_CALL},
	{"ret", INSN_RETURN},
	{"exit", INSN_EXIT},
	{"ld", INSN_LOAD},
	{"ldu", INSN_LOAD},
	{"st", INSN_STORE},
	{"atom", INSN_ATOMIC},
	{"red", INSN_ATOMIC},
	{"mbarrier", INSN_MBARRIER},
	{"cp", INSN_COPY},
	{"tex", INSN_TEXTURE},
	{"tld4", INSN_TEXTURE},
	{"suld", INSN_LOAD},
	{"sust", INSN_STORE},
	{"sured", INSN_ATOMIC},
	{"txq", INSN_IMAGE_QUERY},
	{"suq", INSN_IMAGE_QUERY},
	{"istypep", INSN_IMAGE_QUERY},
	{"membar", INSN_FENCE},
	{"fence", INSN_FENCE},
	{"bar", INSN_BARRIER},
	{"barrier", INSN_BARRIER},
	{"nanosleep", INSN_NANOSLEEP},
	{"trap", INSN_TRAP},
	{"brkpt", INSN_BREAKPOINT},
	{"alloca", INSN_STACK},
	{"stacksave", INSN_STACK},
	{"stackrestore", INSN_STACK},
};

static enum insn_kind kind_of(enum op op)
{
	switch (op) {
	case OP_mbarrier_pending:
	case OP_cp_async_bulk_prefetch:
		return INSN_PLAIN;
	case OP_cp_async_commit:
	case OP_cp_async_wait:
	case OP_cp_async_wait_all:
	case OP_cp_async_bulk_commit:
	case OP_cp_async_bulk_wait:
	case OP_cp_async_bulk_wait_read:
		return INSN_COPY_WAIT;
	case OP_wmma_load:
	case OP_wmma_store:
	case OP_ldmatrix:
	case OP_stmatrix:
		return INSN_FRAGMENT;
	default:
		break;
	}
	if ((ptx_ops[op].effects & EFFECT_CROSS_LANE) && op_has(op, "sync"))
		return INSN_SYNC; /* bar.warp.sync among them */
	for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
		if (op_is(op, kinds[k].mnemonic))
			return kinds[k].kind;
	return ptx_ops[op].effects & EFFECT_CLOCK ? INSN_CLOCK : INSN_PLAIN;
}

/* It is asked for many times while a kernel is loaded, so each row's is kept; threads that find it at the same time find the same. */
enum insn_kind instruction_kind(const struct ptx_instruction *instruction)
{
	static _Atomic uint8_t known[OP_COUNT]; /* 0: not asked yet */
	uint8_t kind = atomic_load_explicit(&known[instruction->op], memory_order_relaxed);
	if (!kind) {
		kind = (uint8_t)(kind_of(instruction->op) + 1);
		atomic_store_explicit(&known[instruction->op], kind, memory_order_relaxed);
	}
	return (enum insn_kind)(kind - 1);
}

enum atomic_op instruction_atomic(const struct ptx_instruction *instruction)
{
	static const char *const words[] = {
		[ATOMIC_EXCH] = "exch",
		[ATOMIC_CAS] = "cas",
		[ATOMIC_ADD] = "add",
		[ATOMIC_MIN] = "min",
		[ATOMIC_MAX] = "max",
		[ATOMIC_INC] = "inc",
		[ATOMIC_DEC] = "dec",
		[ATOMIC_AND] = "and",
		[ATOMIC_OR] = "or",
		[ATOMIC_XOR] = "xor",
	};
	for (int k = ATOMIC_EXCH; k <= ATOMIC_XOR; k++)
		if (op_has(instruction->op, words[k]))
			return (enum atomic_op)k;
	return ATOMIC_NONE;
}

enum unit instruction_unit(const struct ptx_instruction *instruction, enum insn_kind kind, enum latency_class latency)
{
	switch (kind) {
	case INSN_LOAD:
	case INSN_STORE:
	case INSN_ATOMIC:
	case INSN_MBARRIER:
	case INSN_COPY:
	case INSN_FRAGMENT:
	case INSN_TEXTURE:
		return UNIT_MEMORY;
	case INSN_PLAIN:
	case INSN_CLOCK:
		break;
	case INSN_SYNC: /* shuffles and votes compute; bar.warp.sync only waits */
		if (latency == LATENCY_MATRIX)
			return UNIT_SFU;
		return op_is(instruction->op, "bar") ? UNIT_CONTROL : UNIT_ALU;
	default:
		return UNIT_CONTROL;
	}
	if (latency >= LATENCY_DP_ADD && latency <= LATENCY_DP_DIV)
		return UNIT_DP;
	if (latency == LATENCY_SFU || latency == LATENCY_INT_DIV || latency == LATENCY_FP_DIV)
		return UNIT_SFU;
	return latency == LATENCY_MEMORY                              ? UNIT_MEMORY
	       : latency == LATENCY_SYNC || latency == LATENCY_BRANCH ? UNIT_CONTROL
								      : UNIT_ALU;
}

bool instruction_is_final_call(const struct ptx_instruction *instruction)
{
	if (instruction_kind(instruction) != INSN_CALL)
		return false;
	const struct ptx_operand *callee = &instruction->operand[0];
	if (callee->kind == OPERAND_FUNCTION && callee->function)
		return callee->function->noreturn || callee->function->signature.noreturn;
	return instruction->operand[1].prototype && instruction->operand[1].prototype->noreturn;
}

bool instruction_ends_block(const struct ptx_instruction *instruction)
{
	switch (instruction_kind(instruction)) {
	case INSN_BRANCH:
	case INSN_INDEXED:
	case INSN_RETURN:
	case INSN_EXIT:
	case INSN_TRAP:
		return true;
	default:
		return instruction_is_final_call(instruction);
	}
}

bool instruction_ends_path(const struct ptx_instruction *instruction)
{
	return !instruction->guard && instruction_ends_block(instruction);
}
