/* The slice of a kernel that decides its control flow, backward from guards, addresses and operands of all that others
 * wait for.  Registers are followed one by one, whatever the order of instructions.  Memory is one place: if the slice
 * reads any of it, all that is stored anywhere is in the slice.  Kernels with calls have no such analysis. */
#include "machine/progress/slice.h"

#include "kernel/bits.h"
#include "kernel/operand.h"
#include "kernel/registers.h"

#include <assert.h>

struct slice {
	const struct ptx_function *function;
	uint64_t *registers; /* in the slice */
	bool memory;         /* is */
	bool grew;
};

static void add_register(struct slice *s, const struct ptx_register *reg)
{
	assert(reg->index < s->function->registers.count);
	s->grew |= !bits_has(s->registers, reg->index);
	bits_add(s->registers, reg->index);
}

static void add_read(struct slice *s, const struct ptx_instruction *i)
{
	s->grew |= registers_add_read(i, s->registers);
}

static bool is_constant(const struct ptx_instruction *i)
{
	return i->modifiers.space == space_PARAM || i->modifiers.space == space_CONST;
}

/* What decides about control whatever its results are for. */
static void add_seeds(struct slice *s, const struct ptx_instruction *i)
{
	enum insn_kind kind = instruction_kind(i);
	bool is_access = kind == INSN_LOAD || kind == INSN_STORE || kind == INSN_ATOMIC;
	assert(i->op != OP_call);
	if (kind == INSN_PLAIN)
		return;
	if (!is_access) {
		add_read(s, i);
		return;
	}
	if (i->guard)
		add_register(s, i->guard);
	for (uint32_t k = 0; k < i->operand_count; k++)
		if (i->operand[k].kind == OPERAND_ADDRESS && i->operand[k].reg)
			add_register(s, i->operand[k].reg);
}

/* What it computes from what, if that is in the slice. */
static void follow(struct slice *s, const struct ptx_instruction *i)
{
	enum insn_kind kind = instruction_kind(i);
	bool writes = registers_write_any(i, s->registers);
	assert(i->op != OP_call);
	if (kind == INSN_PLAIN && writes)
		add_read(s, i);
	if ((kind == INSN_LOAD && writes && !is_constant(i)) || (kind == INSN_ATOMIC && writes)) {
		s->grew |= !s->memory;
		s->memory = true;
	}
	if (s->memory && (kind == INSN_STORE || kind == INSN_ATOMIC))
		add_read(s, i);
}

static void find(struct slice *s)
{
	for (uint32_t k = 0; k < s->function->code.count; k++)
		add_seeds(s, &s->function->code.at[k]);
	assert(!s->memory);
	do {
		s->grew = false;
		for (uint32_t k = 0; k < s->function->code.count; k++)
			follow(s, &s->function->code.at[k]);
	} while (s->grew);
}

static bool is_data_only(const struct slice *s, const struct insn *insn)
{
	const struct ptx_instruction *i = &s->function->code.at[insn->source];
	assert(insn->source < s->function->code.count);
	switch (insn->kind) {
	case INSN_LOAD: return !registers_write_any(i, s->registers);
	case INSN_STORE:
	case INSN_COPY:
	case INSN_ATOMIC: return !s->memory;
	default: return false;
	}
}

bool *slice_data_only(const struct kernel *kernel, struct arena *arena)
{
	struct slice s = {.function = kernel->functions[0].ptx};
	bool *data_only = arena_new_array(arena, bool, kernel->code_count);
	assert(kernel->code_count);
	for (uint32_t k = 0; k < s.function->code.count; k++)
		if (s.function->code.at[k].op == OP_call)
			return data_only;
	s.registers = arena_new_array(arena, uint64_t, bits_words(s.function->registers.count) + 1);
	find(&s);
	for (uint32_t pc = 0; pc < kernel->code_count; pc++)
		data_only[pc] = kernel->code[pc].function == 0 && kernel->code[pc].source < s.function->code.count &&
				is_data_only(&s, &kernel->code[pc]);
	return data_only;
}
