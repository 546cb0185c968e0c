/* Roles of operands, from the letters of the row's shape; kinds and units of instructions. */
#include "kernel/operand.h"

#include <stdatomic.h>
#include <string.h>

const struct kind_info insn_kinds[INSN_KINDS] = {
#define KIND(id, class, unit, decode, execute, foresee, memory, flags)                                                 \
	[INSN_##id] = {CLASS_##class, KIND_UNIT_##unit, flags},
#include "kernel/kinds.def"
#undef KIND
};

/* What lanes do alone is plain; what the members of a mask do together is SYNC. */
#define KIND_OF_LANES(effects) ((effects)&EFFECT_MEMBERS ? INSN_SYNC : INSN_PLAIN)

const uint8_t insn_kind_of_op[OP_COUNT] = {
#define LANE(id, spelling, allow, flags, shape, types, result, latency, effects, meaning)                              \
	[OP_##id] = KIND_OF_LANES(effects),
#define WARP(id, spelling, allow, flags, shape, types, result, latency, effects, function)                             \
	[OP_##id] = KIND_OF_LANES(effects),
#define CORE(id, spelling, allow, flags, shape, types, result, latency, effects, kind) [OP_##id] = INSN_##kind,
#define REFUSED(id, spelling, since, reason)
#include "ptx/ops.def"
#undef LANE
#undef WARP
#undef CORE
#undef REFUSED
};

#define SHAPE_ITEMS_MOST 31 /* of operands: more than any shape has */

/* Shapes write alternatives as `d|p` and options as `[b]`: every letter is an operand, all else is punctuation. */
char operand_letter(const struct ptx_instruction *instruction, uint32_t k)
{
	if (ptx_ops[instruction->op].shape == SHAPE_CALL)
		return k == 0 ? 'f' : k == 1 ? 't' : 0;
	for (const char *c = ptx_shapes[ptx_ops[instruction->op].shape]; *c; c++)
		if (*c >= 'a' && *c <= 'z' && k-- == 0)
			return *c;
	return 0;
}

static bool is_destination(const struct ptx_instruction *instruction, uint32_t k)
{
	char letter = operand_letter(instruction, k);
	return letter == 'd' || letter == 'p' || ((letter == 'v' || letter == 'w') && k == 0);
}

/* Asked for each operand by each analysis, so the answers for a shape are kept: bit k.  Threads that load at the same
 * time come to the same ones. */
#define SHAPE_KNOWN (UINT32_C(1) << 31)
uint32_t operand_destinations(const struct ptx_instruction *instruction)
{
	static _Atomic uint32_t known[SHAPE_COUNT];
	_Atomic uint32_t *here = &known[ptx_ops[instruction->op].shape];
	uint32_t answers = atomic_load_explicit(here, memory_order_relaxed);
	if (!answers) {
		answers = SHAPE_KNOWN;
		for (uint32_t o = 0; o < SHAPE_ITEMS_MOST; o++)
			answers |= (uint32_t)is_destination(instruction, o) << o;
		atomic_store_explicit(here, answers, memory_order_relaxed);
	}
	return answers & ~SHAPE_KNOWN;
}

bool operand_is_destination(const struct ptx_instruction *instruction, uint32_t k)
{
	return k < SHAPE_ITEMS_MOST && operand_destinations(instruction) >> k & 1;
}

bool operand_accumulates(const struct ptx_instruction *instruction)
{
	return instruction->op == OP_wgmma;
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

enum insn_kind instruction_kind(const struct ptx_instruction *instruction)
{
	return (enum insn_kind)insn_kind_of_op[instruction->op];
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

enum unit instruction_unit(const struct ptx_instruction *instruction, enum latency_class latency)
{
	enum insn_kind kind = instruction_kind(instruction);
	if (insn_kinds[kind].unit != KIND_UNIT_COMPUTED)
		return insn_kinds[kind].unit == KIND_UNIT_MEMORY ? UNIT_MEMORY : UNIT_CONTROL;
	if (instruction->op == OP_bar_warp_sync) /* shuffles and votes compute, it only waits */
		return UNIT_CONTROL;
	if (latency >= LATENCY_DP_ADD && latency <= LATENCY_DP_DIV)
		return UNIT_DP;
	if (latency == LATENCY_SFU || latency == LATENCY_INT_DIV || latency == LATENCY_FP_DIV ||
		latency == LATENCY_MATRIX)
		return UNIT_SFU;
	return latency == LATENCY_MEMORY                              ? UNIT_MEMORY
	       : latency == LATENCY_SYNC || latency == LATENCY_BRANCH ? UNIT_CONTROL
								      : UNIT_ALU;
}

bool instruction_reads_clock(const struct ptx_instruction *instruction)
{
	for (uint32_t k = 0; k < instruction->operand_count; k++)
		if (instruction->operand[k].kind == OPERAND_SPECIAL &&
			ptx_specials[instruction->operand[k].special].home == HOME_CLOCK)
			return true;
	return false;
}

/* A call of a function that does not come back. */
static bool is_final_call(const struct ptx_instruction *instruction)
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
	return ptx_ops[instruction->op].effects & EFFECT_ENDS_BLOCK || is_final_call(instruction);
}

bool instruction_ends_path(const struct ptx_instruction *instruction)
{
	return !instruction->guard && instruction_ends_block(instruction);
}
