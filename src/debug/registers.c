/* Registers of a function as its instructions see them: see registers.h.  Both walks, forwards to a reader and
 * backwards to all writers, follow the flow graph from one instruction on, and visit each block once. */
#include "debug/registers.h"

#include "kernel/assign.h"
#include "kernel/bits.h"
#include "kernel/operand.h"
#include "kernel/registers.h"

#include <assert.h>
#include <string.h>

struct registers {
	const struct kernel *kernel;
	const struct kernel_function *function;
	const struct flow *flow;
	/* room for one walk */
	uint64_t *visited; /* blocks */
	uint32_t *stack;
};

const struct registers *registers_of(struct arena *arena, const struct kernel *kernel, uint32_t function)
{
	struct registers *r = arena_new(arena, struct registers);

	assert(function < kernel->function_count);
	r->kernel = kernel;
	r->function = &kernel->functions[function];
	r->flow = flow_analyse(arena, r->function->ptx);
	r->visited = arena_new_array(arena, uint64_t, bits_words(r->flow->block_count) + 1);
	r->stack = arena_new_array(arena, uint32_t, r->flow->block_count + 1);
	return r;
}

/* ---- Slots ---- */

static uint32_t slot_of(const struct registers *r, const struct ptx_register *reg)
{
	assert(reg->index < r->function->ptx->registers.count);
	return r->function->slots[reg->index];
}

slot_ref registers_slot(const struct registers *registers, const struct ptx_register *reg)
{
	uint32_t slot = slot_of(registers, reg), bytes = type_slot_bytes(reg->type);

	if (slot == NO_SLOT || !bytes)
		return SLOT_NONE;
	return slot * registers->kernel->lanes | (bytes >= 8 ? SLOT_WIDE : 0);
}

uint16_t registers_predicate(const struct registers *registers, const struct ptx_register *reg)
{
	uint32_t number = slot_of(registers, reg);

	return number == NO_SLOT || type_slot_bytes(reg->type) ? NO_PREDICATE : (uint16_t)number;
}

bool registers_frame_offset(const struct registers *registers, const struct ptx_variable *variable, uint64_t *offset)
{
	const struct ptx_function *function = registers->function->ptx;
	bool is_parameter = variable->space == space_PARAM && variable->is_formal && function->is_entry;

	if (variable->owner != function || variable->space == space_SHARED || is_parameter ||
		variable->index >= function->variables.count)
		return false;
	*offset = registers->function->stack_offset[variable->index];
	return variable->space == space_LOCAL || variable->space == space_PARAM;
}

/* Whether writing one changes what the other's slots have: wide and narrow ones lie in banks of their own. */
static bool overlap(const struct registers *r, const struct ptx_register *a, const struct ptx_register *b)
{
	uint32_t of_a = slot_of(r, a), of_b = slot_of(r, b);
	uint32_t bytes_a = type_slot_bytes(a->type), bytes_b = type_slot_bytes(b->type);

	if (!bytes_a || !bytes_b)
		return bytes_a == bytes_b && of_a == of_b;
	return (bytes_a >= 8) == (bytes_b >= 8) && of_a < of_b + bytes_b / 4 && of_b < of_a + bytes_a / 4;
}

/* ---- Walks ---- */

/* What a walk finds in a block, or at an instruction: it goes on, or this way of it ends well or badly. */
enum end { GOES_ON, ENDS_WELL, ENDS_BADLY };

static enum end before(const struct registers *r, const struct ptx_register *reg, const struct ptx_instruction *i)
{
	for (struct register_use use = {.of = i}; register_next(&use);) {
		if (use.is_write && use.reg == reg && !i->guard)
			return ENDS_WELL;
		if (use.is_write && use.reg != reg && overlap(r, reg, use.reg))
			return ENDS_BADLY;
	}
	return GOES_ON;
}

static enum end after(const struct ptx_register *reg, const struct ptx_instruction *i)
{
	enum end end = GOES_ON;

	for (struct register_use use = {.of = i}; register_next(&use);) {
		if (use.reg == reg && !use.is_write)
			return ENDS_WELL;
		if (use.reg == reg)
			end = ENDS_BADLY; /* what it had is never read */
	}
	return end;
}

static void push(const struct registers *r, uint32_t *count, const uint32_t *blocks, uint32_t block_count)
{
	for (uint32_t k = 0; k < block_count; k++)
		if (!bits_has(r->visited, blocks[k])) {
			bits_add(r->visited, blocks[k]);
			r->stack[(*count)++] = blocks[k];
		}
}

static void start_walk(const struct registers *r)
{
	memset(r->visited, 0, (bits_words(r->flow->block_count) + 1) * sizeof *r->visited);
}

/* Whether every way to the instruction has assigned the register and left its slot alone since. */
static bool is_kept(const struct registers *r, const struct ptx_register *reg, uint32_t instruction)
{
	const struct ptx_instruction *code = r->function->ptx->code.at;
	uint32_t count = 0, block = r->flow->block_of[instruction], end = instruction;

	start_walk(r);
	for (;;) {
		const struct flow_block *b = &r->flow->blocks[block];
		enum end found = GOES_ON;
		for (uint32_t k = end; k-- > b->first && found == GOES_ON;)
			found = before(r, reg, &code[k]);
		if (found == ENDS_BADLY || (found == GOES_ON && (block == 0 || !b->predecessor_count)))
			return false;
		if (found == GOES_ON)
			push(r, &count, b->predecessors, b->predecessor_count);
		if (!count)
			return true;
		block = r->stack[--count];
		end = r->flow->blocks[block].first + r->flow->blocks[block].count;
	}
}

/* Whether some way from the instruction on reads the register before it is assigned again. */
static bool is_read(const struct registers *r, const struct ptx_register *reg, uint32_t instruction)
{
	const struct ptx_instruction *code = r->function->ptx->code.at;
	uint32_t count = 0, block = r->flow->block_of[instruction], first = instruction;

	start_walk(r);
	for (;;) {
		const struct flow_block *b = &r->flow->blocks[block];
		enum end found = GOES_ON;
		for (uint32_t k = first; k < b->first + b->count && found == GOES_ON; k++)
			found = after(reg, &code[k]);
		if (found == ENDS_WELL)
			return true;
		if (found == GOES_ON)
			push(r, &count, b->successors, b->successor_count);
		if (!count)
			return false;
		block = r->stack[--count];
		first = r->flow->blocks[block].first;
	}
}

bool registers_hold(const struct registers *registers, const struct ptx_register *reg, uint32_t instruction)
{
	if (instruction >= registers->function->ptx->code.count || slot_of(registers, reg) == NO_SLOT)
		return false;
	return is_read(registers, reg, instruction) || is_kept(registers, reg, instruction);
}
