/* How many registers a compiler would give a thread, since occupancy depends on it and PTX does not say.
 *
 * PTX is unoptimised and in no particular order, so its own live ranges mean little.  This is a small model of what
 * ptxas does next: every block is put into single-assignment form, short loops unrolled a little, and list-scheduled:
 * loads early, so that their latency overlaps, while there are registers to spare; then whatever frees most.  Values
 * that live outside the general registers weigh nothing: predicates, kernel parameters and launch values (constant
 * bank), literals.  Values that are folded into their users (address offsets, widened indices, copies) weigh nothing
 * either, but keep alive what they are made of.  The answer is the widest point of any block, and something for the
 * calling convention. Measured against ptxas for sm_75: see tests/unit/registers_test.c. */
#include "kernel/bits.h"
#include "kernel/decode.h"
#include "kernel/registers.h"

#include <assert.h>
#include <string.h>

#define NO_VALUE 0xffffffffu

/* The model's constants, fitted on the kernels of the test's table. */
enum {
	WINDOW = 192,      /* instructions the scheduler looks ahead */
	UNROLL_LIMIT = 96, /* instructions of a loop body after unrolling */
	UNROLL_MAX = 4,
	EARLY_LOADS = 54,  /* while fewer registers are taken, loads go first */
	RESERVED = 5,      /* stack pointer, and what address arithmetic needs in passing */
	FRAGMENTATION = 4, /* per cent lost to the alignment of pairs and quads */
	SMALLEST = 10,     /* of a kernel that does anything */
	EMPTY = 4,         /* of one that does not */
	SCRATCH = 16,      /* the ABI's caller-saved registers: what lives across a call lies after them */
	CALL_MINIMUM = 24, /* of a function that calls by the ABI */
	ROOTS = 4,         /* values that one folded value stands for */
};

/* One value in single-assignment form. */
struct value {
	uint8_t weight; /* registers */
	bool folded;    /* lives only through its roots */
	bool live;
	uint32_t uses;        /* left to be scheduled; live-out counts as one that never comes */
	uint32_t root[ROOTS]; /* folded: what it keeps alive */
	uint32_t roots;
};

/* One instruction of the block being scheduled. */
struct node {
	const struct ptx_instruction *instruction;
	VECTOR(uint32_t) reads; /* values, folded ones replaced by their roots */
	VECTOR(uint32_t) writes;
	VECTOR(uint32_t) after; /* nodes that wait for this one */
	uint32_t waits;         /* nodes it waits for */
	uint32_t height;        /* latency from here to the end of the block */
	bool done, is_load;
};

struct pressure {
	struct arena *arena;
	const struct flow *flow;
	bool *is_free;         /* per register: in no general register wherever it is read */
	uint32_t *definitions; /* per register: how many instructions write it */
	VECTOR(struct value) values;
	VECTOR(struct node) nodes;
	uint32_t *current;       /* per register: value now */
	VECTOR(uint32_t) named;  /* registers that have one, some of them several times */
	VECTOR(uint32_t) writer; /* per value: node, or NO_VALUE for live-in ones */
	uint32_t live, widest;
	uint32_t across_call; /* most registers live across a call */
	struct node *node;    /* being built */
};

static uint32_t weight_of(const struct pressure *p, const struct ptx_register *reg)
{
	return p->is_free[reg->index] ? 0 : type_slot_bytes(reg->type) / 4;
}

/* ---- Which registers are free everywhere ---- */

static bool source_is_free(const struct pressure *p, const struct ptx_operand *operand)
{
	switch (operand->kind) {
	case OPERAND_REGISTER: return p->is_free[operand->reg->index];
	case OPERAND_SPECIAL: return ptx_specials[operand->special].home <= HOME_LAUNCH;
	case OPERAND_IMMEDIATE:
	case OPERAND_VARIABLE:
	case OPERAND_FUNCTION: return true;
	default: return false;
	}
}

static bool makes_free(const struct pressure *p, const struct ptx_instruction *i)
{
	if (i->guard || i->operand_count < 2 || i->operand[0].kind != OPERAND_REGISTER ||
		p->definitions[i->operand[0].reg->index] != 1)
		return false;
	if (instruction_kind(i) == INSN_LOAD)
		return i->modifiers.space == space_PARAM && p->flow->function->is_entry && i->operand[1].variable;
	return (op_is(i->op, "mov") || op_is(i->op, "cvta")) && source_is_free(p, &i->operand[1]);
}

static void find_free(struct pressure *p)
{
	const struct ptx_function *function = p->flow->function;
	for (uint32_t r = 0; r < function->registers.count; r++)
		p->is_free[r] = function->registers.at[r]->type == TYPE_PRED;
	for (uint32_t k = 0; k < function->code.count; k++)
		for (struct register_use use = {.of = &function->code.at[k]}; register_next(&use);)
			p->definitions[use.reg->index] += use.is_write;
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t k = 0; k < function->code.count; k++) {
			const struct ptx_instruction *i = &function->code.at[k];
			if (makes_free(p, i) && !p->is_free[i->operand[0].reg->index])
				changed = p->is_free[i->operand[0].reg->index] = true;
		}
	}
}

/* ---- Single-assignment form of a block ---- */

static uint32_t new_value(struct pressure *p, uint32_t weight)
{
	vector_push(p->arena, &p->values)->weight = (uint8_t)weight;
	return p->values.count - 1;
}

static void set_value(struct pressure *p, const struct ptx_register *reg, uint32_t value)
{
	p->current[reg->index] = value;
	*vector_push(p->arena, &p->named) = reg->index;
}

static uint32_t current_value(struct pressure *p, const struct ptx_register *reg)
{
	if (p->current[reg->index] == NO_VALUE)
		set_value(p, reg, new_value(p, weight_of(p, reg)));
	return p->current[reg->index];
}

static void add_use(struct pressure *p, uint32_t value)
{
	for (uint32_t k = 0; k < p->node->reads.count; k++)
		if (p->node->reads.at[k] == value)
			return;
	*vector_push(p->arena, &p->node->reads) = value;
	p->values.at[value].uses++;
}

static void build_read(struct pressure *p, const struct ptx_register *reg)
{
	uint32_t value = current_value(p, reg);
	if (!p->values.at[value].folded) {
		add_use(p, value);
		return;
	}
	for (uint32_t k = 0; k < p->values.at[value].roots; k++)
		add_use(p, p->values.at[value].root[k]);
}

static void build_write(struct pressure *p, const struct ptx_register *reg)
{
	set_value(p, reg, new_value(p, weight_of(p, reg)));
	*vector_push(p->arena, &p->node->writes) = p->current[reg->index];
}

static bool is_immediate(const struct ptx_operand *operand)
{
	return operand->kind == OPERAND_IMMEDIATE;
}

/* Instructions that a compiler folds into the user: copies, widening of an index, scaling by a constant, constant
 * offsets of addresses, base plus scaled index where the base is in the constant bank (one IMAD.WIDE, made anew for
 * every user). */
static bool is_folded(const struct pressure *p, const struct ptx_instruction *i)
{
	enum op op = i->op;
	if (i->guard || i->operand_count < 2 || i->operand[0].kind != OPERAND_REGISTER ||
		type_slot_bytes(i->operand[0].reg->type) == 0)
		return false;
	if (p->definitions[i->operand[0].reg->index] != 1)
		return false;
	bool wide = type_slot_bytes(i->operand[0].reg->type) == 8;
	if ((op_is(op, "mov") || op_is(op, "cvta")) && i->operand[1].kind == OPERAND_REGISTER)
		return true;
	if (!wide)
		return false;
	if (op_is(op, "cvt"))
		return i->type_count == 2 && ptx_types[i->type[0]].kind != KIND_FLOAT &&
		       ptx_types[i->type[1]].kind != KIND_FLOAT && ptx_types[i->type[1]].bits == 32;
	if (op_is(op, "shl") || (op_is(op, "mul") && op_has(op, "wide")))
		return is_immediate(&i->operand[2]);
	return op_is(op, "add") && i->type_count && ptx_types[i->type[0]].kind != KIND_FLOAT &&
	       is_immediate(&i->operand[2]);
}

static void build_folded(struct pressure *p, const struct ptx_instruction *i)
{
	for (uint32_t k = 1; k < i->operand_count; k++) /* live-in values first: they go before this one */
		if (i->operand[k].kind == OPERAND_REGISTER)
			current_value(p, i->operand[k].reg);
	uint32_t value = new_value(p, 0);
	struct value *folded = &p->values.at[value];
	folded->folded = true;
	for (struct register_use use = {.of = i}; register_next(&use);) {
		if (use.is_write)
			continue;
		assert(p->current[use.reg->index] != NO_VALUE); /* a new value would move the vector */
		uint32_t from = current_value(p, use.reg);
		const struct value *source = &p->values.at[from];
		for (uint32_t k = 0; k < (source->folded ? source->roots : 1) && folded->roots < ROOTS; k++)
			folded->root[folded->roots++] = source->folded ? source->root[k] : from;
	}
	set_value(p, i->operand[0].reg, value);
}

/* Loads only where they are volatile: the others stay after the stores of may_alias. */
static bool touches_memory(const struct node *node)
{
	enum insn_kind kind = instruction_kind(node->instruction);
	return insn_kinds[kind].flags & KIND_ORDERED ||
	       (kind == INSN_LOAD && node->instruction->modifiers.order == order_VOLATILE);
}

static void order_after(struct pressure *p, uint32_t first, uint32_t second)
{
	if (first == second || first == NO_VALUE)
		return;
	*vector_push(p->arena, &p->nodes.at[first].after) = second;
	p->nodes.at[second].waits++;
}

/* Loads stay after the last store to a space that may be theirs; stores and all that synchronises stay in order. */
static bool may_alias(const struct node *store, const struct node *load)
{
	const struct ptx_modifiers *s = &store->instruction->modifiers, *l = &load->instruction->modifiers;
	if (l->cache == cache_NC || l->space == space_CONST ||
		(l->space == space_PARAM && load->instruction->operand[1].variable))
		return instruction_kind(store->instruction) == INSN_CALL;
	if (instruction_kind(store->instruction) != INSN_STORE)
		return true;
	return s->space == l->space || s->space == space_NONE || l->space == space_NONE;
}

static void order_memory(struct pressure *p)
{
	uint32_t last = NO_VALUE;
	for (uint32_t n = 0; n < p->nodes.count; n++) {
		struct node *node = &p->nodes.at[n];
		if (touches_memory(node)) {
			order_after(p, last, n);
			for (uint32_t k = last == NO_VALUE ? 0 : last + 1; k < n; k++)
				if (p->nodes.at[k].is_load)
					order_after(p, k, n);
			last = n;
		} else if (node->is_load) {
			for (uint32_t k = last; k != NO_VALUE && k > n - (n > WINDOW ? WINDOW : n); k--)
				if (touches_memory(&p->nodes.at[k]) && may_alias(&p->nodes.at[k], node)) {
					order_after(p, k, n);
					break;
				}
		}
	}
}

static void order_values(struct pressure *p)
{
	p->writer.count = 0;
	while (p->writer.count < p->values.count)
		*vector_push(p->arena, &p->writer) = NO_VALUE;
	for (uint32_t n = 0; n < p->nodes.count; n++)
		for (uint32_t k = 0; k < p->nodes.at[n].writes.count; k++)
			p->writer.at[p->nodes.at[n].writes.at[k]] = n;
	for (uint32_t n = 0; n < p->nodes.count; n++)
		for (uint32_t k = 0; k < p->nodes.at[n].reads.count; k++)
			order_after(p, p->writer.at[p->nodes.at[n].reads.at[k]], n);
	order_memory(p);
}

static uint32_t latency_of(const struct node *node)
{
	if (!node->is_load)
		return 4;
	return node->instruction->modifiers.space == space_SHARED ? 24 : 200;
}

static void find_heights(struct pressure *p)
{
	for (uint32_t n = p->nodes.count; n-- > 0;) {
		struct node *node = &p->nodes.at[n];
		for (uint32_t k = 0; k < node->after.count; k++)
			if (p->nodes.at[node->after.at[k]].height > node->height)
				node->height = p->nodes.at[node->after.at[k]].height;
		node->height += latency_of(node);
	}
}

static void build(struct pressure *p, const struct flow_block *block, uint32_t copies)
{
	for (uint32_t copy = 0; copy < copies; copy++)
		for (uint32_t k = 0; k < block->count; k++) {
			const struct ptx_instruction *i = &p->flow->function->code.at[block->first + k];
			if (makes_free(p, i))
				continue;
			if (is_folded(p, i)) {
				build_folded(p, i);
				continue;
			}
			p->node = vector_push(p->arena, &p->nodes);
			p->node->instruction = i;
			p->node->is_load = instruction_kind(i) == INSN_LOAD || instruction_kind(i) == INSN_TEXTURE;
			for (struct register_use use = {.of = i}; register_next(&use);)
				if (!use.is_write)
					build_read(p, use.reg);
			for (struct register_use use = {.of = i}; register_next(&use);)
				if (use.is_write)
					build_write(p, use.reg);
		}
}

/* ---- Scheduling ---- */

static void revive(struct pressure *p, uint32_t value)
{
	if (p->values.at[value].live)
		return;
	p->values.at[value].live = true;
	p->live += p->values.at[value].weight;
}

/* Live-out values are used once more than anything in the block uses them; what they are folded from likewise.  Those
 * that the block does not touch are alive all the time. */
static void start_lives(struct pressure *p, uint32_t block)
{
	p->live = 0;
	for_each_bit(r, p->flow->live_out[block], p->flow->live_count)
	{
		const struct ptx_register *reg = p->flow->live[r];
		uint32_t self = p->current[reg->index];
		if (self == NO_VALUE) {
			p->live += weight_of(p, reg);
			continue;
		}
		const struct value *value = &p->values.at[self];
		for (uint32_t k = 0; k < (value->folded ? value->roots : 1); k++)
			p->values.at[value->folded ? value->root[k] : self].uses++;
	}
}

static void open_live_ins(struct pressure *p)
{
	for (uint32_t v = 0; v < p->values.count; v++)
		if (!p->values.at[v].folded && p->values.at[v].uses && p->writer.at[v] == NO_VALUE)
			revive(p, v);
}

static int32_t growth(const struct pressure *p, const struct node *node)
{
	int32_t sum = 0;
	for (uint32_t k = 0; k < node->writes.count; k++)
		sum += p->values.at[node->writes.at[k]].weight;
	for (uint32_t k = 0; k < node->reads.count; k++)
		if (p->values.at[node->reads.at[k]].uses == 1)
			sum -= p->values.at[node->reads.at[k]].weight;
	return sum;
}

/* While registers are plenty, the longest way to the end goes first; then whatever frees most. */
static uint32_t choose(const struct pressure *p, uint32_t first)
{
	uint32_t best = NO_VALUE;
	bool roomy = p->live < EARLY_LOADS;
	for (uint32_t n = first, seen = 0; n < p->nodes.count && seen < WINDOW; n++) {
		const struct node *node = &p->nodes.at[n];
		seen += !node->done;
		if (node->done || node->waits)
			continue;
		if (best == NO_VALUE || (roomy ? node->height > p->nodes.at[best].height
					       : growth(p, node) < growth(p, &p->nodes.at[best])))
			best = n;
	}
	return best;
}

/* Registers that an instruction needs in passing because it becomes a sequence, or a call of a subroutine for the hard
 * cases. */
static uint32_t expansion_of(const struct ptx_instruction *i)
{
	enum ptx_type type = i->type_count ? i->type[0] : TYPE_NONE;
	bool wide = ptx_types[type].bits == 64;
	if ((op_is(i->op, "div") || op_is(i->op, "rem")) && ptx_types[type].kind != KIND_FLOAT)
		return wide ? 12 : 4;
	if (op_has(i->op, "approx") && !wide)
		return 0;
	if (op_is(i->op, "div"))
		return op_has(i->op, "full") ? 2 : wide ? 12 : 6;
	if (op_is(i->op, "rcp") || op_is(i->op, "sqrt"))
		return wide ? 10 : 4;
	return 0;
}

static void issue(struct pressure *p, struct node *node)
{
	node->done = true;
	for (uint32_t k = 0; k < node->reads.count; k++) {
		struct value *value = &p->values.at[node->reads.at[k]];
		if (--value->uses == 0 && value->live) {
			value->live = false;
			p->live -= value->weight;
		}
	}
	if (instruction_kind(node->instruction) == INSN_CALL && p->live > p->across_call)
		p->across_call = p->live;
	uint32_t passing = expansion_of(node->instruction);
	for (uint32_t k = 0; k < node->writes.count; k++) {
		if (p->values.at[node->writes.at[k]].uses)
			revive(p, node->writes.at[k]);
		else
			passing += p->values.at[node->writes.at[k]].weight;
	}
	if (p->live + passing > p->widest)
		p->widest = p->live + passing;
	for (uint32_t k = 0; k < node->after.count; k++)
		p->nodes.at[node->after.at[k]].waits--;
}

static void schedule(struct pressure *p)
{
	uint32_t first = 0;
	if (p->live > p->widest)
		p->widest = p->live;
	for (uint32_t left = p->nodes.count; left; left--) {
		while (p->nodes.at[first].done)
			first++;
		issue(p, &p->nodes.at[choose(p, first)]);
	}
}

/* The instruction of a block that writes a register, if there is just one in the function. */
static const struct ptx_instruction *definition_in(
	const struct pressure *p, const struct flow_block *block, const struct ptx_register *reg)
{
	for (uint32_t k = 0; k < block->count && p->definitions[reg->index]; k++) {
		const struct ptx_instruction *i = &p->flow->function->code.at[block->first + k];
		for (uint32_t o = 0; o < i->operand_count; o++)
			if (operand_is_destination(i, o) && i->operand[o].kind == OPERAND_REGISTER &&
				i->operand[o].reg == reg)
				return i;
	}
	return NULL;
}

/* Whether the loop counts in known steps: its last branch compares what an addition of a literal makes.  Loops that
 * stride by the size of the grid do not, and compilers leave them as they are. */
static bool counts_in_steps(const struct pressure *p, const struct flow_block *block)
{
	const struct ptx_instruction *last = &p->flow->function->code.at[block->first + block->count - 1];
	const struct ptx_instruction *compare = last->guard ? definition_in(p, block, last->guard) : NULL;
	for (uint32_t k = 0; compare && k < compare->operand_count; k++) {
		const struct ptx_operand *operand = &compare->operand[k];
		if (operand_is_destination(compare, k) || operand->kind != OPERAND_REGISTER ||
			operand->reg->type == TYPE_PRED)
			continue;
		const struct ptx_instruction *step = definition_in(p, block, operand->reg);
		if (step && op_is(step->op, "add") && is_immediate(&step->operand[2]))
			return true;
	}
	return false;
}

/* Small counting loops of one block that only load and compute are unrolled until the body is worth scheduling. */
static uint32_t copies_of(const struct pressure *p, const struct flow_block *block, uint32_t number)
{
	bool loops = false, loads = false;
	for (uint32_t s = 0; s < block->successor_count; s++)
		loops |= block->successors[s] == number;
	for (uint32_t k = 0; k < block->count; k++) {
		struct node node = {.instruction = &p->flow->function->code.at[block->first + k]};
		if (touches_memory(&node))
			return 1;
		loads |= instruction_kind(node.instruction) == INSN_LOAD;
	}
	uint32_t copies = loops && loads && counts_in_steps(p, block) ? UNROLL_LIMIT / block->count : 1;
	return copies < 1 ? 1 : copies > UNROLL_MAX ? UNROLL_MAX : copies;
}

static void measure_block(struct pressure *p, uint32_t number)
{
	const struct flow_block *block = &p->flow->blocks[number];
	p->values.count = p->nodes.count = 0;
	while (p->named.count)
		p->current[p->named.at[--p->named.count]] = NO_VALUE;
	build(p, block, copies_of(p, block, number));
	order_values(p);
	find_heights(p);
	start_lives(p, number);
	open_live_ins(p);
	schedule(p);
}

static void measure(struct pressure *p, struct arena *arena, const struct flow *flow)
{
	uint32_t count = flow->function->registers.count;
	p->arena = arena;
	p->flow = flow;
	p->is_free = arena_new_array(arena, bool, count);
	p->definitions = arena_new_array(arena, uint32_t, count);
	p->current = arena_new_array(arena, uint32_t, count);
	memset(p->current, 0xff, count * sizeof *p->current);
	find_free(p);
	for (uint32_t b = 0; b < flow->block_count; b++)
		measure_block(p, b);
}

/* Registers of a function by itself, and in `across` what it keeps while it calls. */
static uint32_t measure_function(const struct flow *flow, uint32_t *across)
{
	struct arena scratch = {0};
	struct pressure p = {0};
	if (flow->function->code.count)
		measure(&p, &scratch, flow);
	arena_free(&scratch);
	*across = p.across_call;
	return p.widest;
}

static uint32_t as_counted(uint32_t widest)
{
	uint32_t count = widest + widest * FRAGMENTATION / 100 + RESERVED;
	return widest == 0 ? EMPTY : count < SMALLEST ? SMALLEST : count;
}

/* A direct call of a function that does not come back to itself is allocated together with its caller: the callee's
 * registers lie after what the caller keeps.  All others follow the calling convention, by which everything kept lies
 * after the scratch registers. */
static uint32_t count_calls(const struct decoder *d, uint32_t f, uint32_t across)
{
	const struct ptx_function *ptx = d->functions.at[f].ptx;
	uint32_t most = 0;
	for (uint32_t k = 0; k < ptx->code.count; k++) {
		const struct ptx_instruction *i = &ptx->code.at[k];
		if (instruction_kind(i) != INSN_CALL)
			continue;
		const struct ptx_function *callee =
			i->operand[0].kind == OPERAND_FUNCTION ? i->operand[0].function : NULL;
		uint32_t g = callee ? d->index_of[callee->index] : NO_FUNCTION, need;
		if (g == NO_FUNCTION || d->kernel->functions[g].recursive)
			need = SCRATCH + across + 2 > CALL_MINIMUM ? SCRATCH + across + 2 : CALL_MINIMUM;
		else
			need = across + d->kernel->functions[g].register_count;
		most = need > most ? need : most;
	}
	return most;
}

uint32_t pressure_with_calls(const struct decoder *d)
{
	uint32_t most = 0;
	for (uint32_t f = d->functions.count; f-- > 0;) {
		struct kernel_function *function = &d->kernel->functions[f];
		uint32_t across, own = as_counted(measure_function(d->functions.at[f].flow, &across));
		uint32_t calls = count_calls(d, f, across);
		function->register_count = own > calls ? own : calls;
		most = function->register_count > most ? function->register_count : most;
	}
	uint32_t cap = d->kernel->entry->max_registers;
	return cap && most > cap ? cap : most;
}
