/* Facts about a function (facts.h).  Values are compared by a hash of how they are computed; "may differ between lanes"
 * spreads from %tid. */
#include "check/facts.h"

#include "kernel/assign.h"
#include "kernel/bits.h"
#include "kernel/operand.h"
#include "kernel/registers.h"

#include <string.h>

#define NO_WRITER UINT32_MAX
#define SEVERAL_WRITERS (UINT32_MAX - 1)

enum { TERM_NEW, TERM_BUSY, TERM_DONE };

static const struct ptx_instruction *only_writer(const struct facts *f, const struct ptx_register *reg)
{
	uint32_t writer = f->writer[reg->index];
	return writer < SEVERAL_WRITERS ? &f->function->code.at[writer] : NULL;
}

/* ---- Values ---- */

static uint64_t mix(uint64_t a, uint64_t b)
{
	uint64_t x = (a ^ (b + 0x9e3779b97f4a7c15ull)) * 0xff51afd7ed558ccdull;
	return x ^ x >> 32;
}

static struct term term_of_register(struct facts *f, const struct ptx_register *reg);
static uint64_t hash_of(struct facts *f, const struct ptx_operand *o);

static struct term term_of(struct facts *f, const struct ptx_operand *o)
{
	struct term term = {.base = (uint64_t)o->kind};
	switch (o->kind) {
	case OPERAND_REGISTER:
		term = term_of_register(f, o->reg);
		term.base = o->negated ? mix(term.base, 1) : term.base;
		break;
	case OPERAND_IMMEDIATE: return (struct term){.base = 0, .offset = (int64_t)o->bits};
	case OPERAND_SPECIAL: term.base = mix(term.base, (uint64_t)o->special * 64 + o->component); break;
	case OPERAND_VARIABLE:
	case OPERAND_ADDRESS:
		if (o->reg) {
			term = term_of_register(f, o->reg);
		} else if (o->variable) {
			term.base = mix(OPERAND_VARIABLE, (uintptr_t)o->variable);
			term.object = o->variable;
		}
		term.offset += o->offset;
		break;
	case OPERAND_VECTOR:
		for (uint32_t k = 0; k < o->count; k++)
			term.base = mix(term.base, hash_of(f, &o->element[k]));
		break;
	default: break;
	}
	return term;
}

static uint64_t hash_of(struct facts *f, const struct ptx_operand *o)
{
	struct term term = term_of(f, o);
	return mix(term.base, (uint64_t)term.offset);
}

/* Equal if the same operation is on the same operands; the result of an atomic, of another lane, of a call or of a
 * clock equals no other. */
static struct term computed(struct facts *f, const struct ptx_instruction *i)
{
	struct term term = {.base = mix(i->op, i->type[0])};
	if (ptx_ops[i->op].effects & (EFFECT_ATOMIC | EFFECT_CROSS_LANE | EFFECT_CALL) || instruction_reads_clock(i))
		term.base = mix(term.base, (uint64_t)(i - f->function->code.at));
	for (uint32_t k = 1; k < i->operand_count; k++)
		term.base = mix(term.base, hash_of(f, &i->operand[k]));
	if (instruction_kind(i) == INSN_LOAD && i->operand[1].variable && i->operand[1].variable->space == space_PARAM)
		term.object = i->operand[1].variable;
	return term;
}

static struct term sum(struct facts *f, const struct ptx_operand *a, const struct ptx_operand *b)
{
	struct term left = term_of(f, a), right = term_of(f, b);
	struct term both = {.offset = left.offset + right.offset, .object = left.object ? left.object : right.object};
	/* Commutative, and with 0 as neutral element: an immediate adds to the offset alone. */
	both.base = !left.base ? right.base : !right.base ? left.base : mix(7, left.base + right.base);
	return both;
}

static struct term term_of_instruction(struct facts *f, const struct ptx_instruction *i)
{
	if (i->guard || !i->operand_count || instruction_reads_clock(i))
		return computed(f, i);
	if (op_is(i->op, "mov") || op_is(i->op, "cvta") || i->op == OP_cvt)
		return i->operand[1].kind == OPERAND_VECTOR ? computed(f, i) : term_of(f, &i->operand[1]);
	if (op_is(i->op, "add") && ptx_types[i->type[0]].kind != KIND_FLOAT)
		return sum(f, &i->operand[1], &i->operand[2]);
	return computed(f, i);
}

static struct term term_of_register(struct facts *f, const struct ptx_register *reg)
{
	struct term *term = &f->terms[reg->index];
	const struct ptx_instruction *writer = only_writer(f, reg);
	if (term->state == TERM_NEW && writer) {
		term->state = TERM_BUSY;
		struct term found = term_of_instruction(f, writer);
		found.state = TERM_DONE;
		*term = found;
	}
	if (term->state != TERM_DONE)
		return (struct term){.base = mix(OPERAND_REGISTER, (uintptr_t)reg)};
	return *term;
}

struct fact_address facts_address(struct facts *f, const struct ptx_instruction *i)
{
	for (uint32_t k = 0; k < i->operand_count; k++) {
		const struct ptx_operand *o = &i->operand[k];
		if (o->kind != OPERAND_ADDRESS)
			continue;
		struct term term = term_of(f, o);
		return (struct fact_address){term.base, term.offset, term.object,
			o->reg && bits_has(f->varying, o->reg->index),
			i->modifiers.space == space_SHARED || (term.object && term.object->space == space_SHARED)};
	}
	return (struct fact_address){.base = mix(i->op, (uintptr_t)i)};
}

/* ---- Lanes ---- */

#define LANES 32 /* of a warp, as kernels assume */

/* Plain %tid.x: it numbers the lanes of a warp when work-groups have one dimension. */
static bool is_thread_number(struct facts *f, const struct ptx_operand *o)
{
	struct ptx_operand tid = {.kind = OPERAND_SPECIAL, .special = SPECIAL_TID};
	struct term term = term_of(f, o), plain = term_of(f, &tid);
	return term.base == plain.base && !term.offset;
}

static bool is_multiple(const struct ptx_operand *o)
{
	return o->kind == OPERAND_IMMEDIATE && o->bits % LANES == 0;
}

/* Computes the number of the warp from the thread's, or compares so that all lanes of a warp get the same result. */
static bool makes_uniform(struct facts *f, const struct ptx_instruction *i)
{
	if (i->operand_count < 3 || !is_thread_number(f, &i->operand[i->op == OP_setp ? 2 : 1]))
		return false;
	if (i->op == OP_setp)
		return is_multiple(&i->operand[3]) &&
		       (i->modifiers.compare == compare_LT || i->modifiers.compare == compare_GE ||
			       i->modifiers.compare == compare_LO || i->modifiers.compare == compare_HS);
	const struct ptx_operand *by = &i->operand[2];
	if (op_is(i->op, "shr"))
		return by->kind == OPERAND_IMMEDIATE && by->bits >= 5;
	return (op_is(i->op, "div") || op_is(i->op, "and")) && is_multiple(by);
}

static bool is_lane_special(const struct ptx_operand *o)
{
	if (o->kind != OPERAND_SPECIAL)
		return false;
	return o->special == SPECIAL_TID || o->special == SPECIAL_LANEID ||
	       (o->special >= SPECIAL_LANEMASK_EQ && o->special <= SPECIAL_LANEMASK_GT);
}

static bool varies(struct facts *f, const struct ptx_instruction *i)
{
	if (makes_uniform(f, i) || ptx_ops[i->op].effects & EFFECT_BARRIER) /* bar.red: the same for all */
		return false;
	if (ptx_ops[i->op].effects & EFFECT_CROSS_LANE)
		return op_is(i->op, "shfl") && !op_has(i->op, "idx");
	if (ptx_ops[i->op].effects & EFFECT_ATOMIC)
		return true;
	for (uint32_t k = 0; k < i->operand_count; k++)
		if (is_lane_special(&i->operand[k]))
			return true;
	return registers_read_any(i, f->varying);
}

/* Registers that are written on one side of a divergent branch, and elsewhere too, may differ after it.  Whether more
 * do than before. */
static bool spread_by_branch(struct facts *f, uint32_t b)
{
	const struct ptx_instruction *last = flow_last(f->flow, b);
	bool grew = false;
	if (instruction_kind(last) != INSN_BRANCH || !facts_diverges(f, last))
		return false;
	const uint64_t *sides = flow_reach(f->flow, f->arena,
		(struct flow_way){.from = b, .avoided = f->flow->blocks[b].post_dominator, .leaves_first = true});
	for (uint32_t k = 0; k < f->function->code.count; k++) {
		const struct ptx_instruction *i = &f->function->code.at[k];
		if (bits_has(sides, f->flow->block_of[k]) && i->operand_count &&
			i->operand[0].kind == OPERAND_REGISTER &&
			f->writer[i->operand[0].reg->index] == SEVERAL_WRITERS)
			grew |= registers_add_written(i, f->varying);
	}
	return grew;
}

static void find_varying(struct facts *f)
{
	for (bool grew = true; grew;) {
		grew = false;
		for (uint32_t k = 0; k < f->function->code.count; k++)
			if (varies(f, &f->function->code.at[k]))
				grew |= registers_add_written(&f->function->code.at[k], f->varying);
		for (uint32_t b = 0; b < f->flow->block_count; b++)
			grew |= spread_by_branch(f, b);
	}
}

bool facts_diverges(const struct facts *f, const struct ptx_instruction *i)
{
	return i->guard && bits_has(f->varying, i->guard->index);
}

/* ---- One lane ---- */

static bool is_varying(const struct facts *f, const struct ptx_operand *o)
{
	return is_lane_special(o) || (o->kind == OPERAND_REGISTER && bits_has(f->varying, o->reg->index));
}

/* Whether only the thread's number makes it differ between lanes: two lanes are assumed not to have the same value. */
static bool counts_lanes(struct facts *f, const struct ptx_operand *o, uint32_t depth)
{
	if (o->kind != OPERAND_REGISTER)
		return is_lane_special(o);
	const struct ptx_instruction *i = only_writer(f, o->reg);
	if (!i || i->guard || !depth || ptx_ops[i->op].effects & (EFFECT_READS | EFFECT_ATOMIC | EFFECT_CROSS_LANE))
		return false;
	for (uint32_t k = 1; k < i->operand_count; k++)
		if (is_varying(f, &i->operand[k]) && !counts_lanes(f, &i->operand[k], depth - 1))
			return false;
	return is_varying(f, &i->operand[0]);
}

/* `thread == constant`, in whatever form: at most one lane of a warp has `guard` equal to `value`. */
static bool selects_lane(struct facts *f, const struct ptx_register *guard, bool value, uint32_t depth)
{
	const struct ptx_instruction *i = only_writer(f, guard);
	if (!i || i->guard || !depth)
		return false;
	if (op_is(i->op, "elect"))
		return value;
	if (op_is(i->op, "not"))
		return i->operand[1].kind == OPERAND_REGISTER && selects_lane(f, i->operand[1].reg, !value, depth - 1);
	if ((op_is(i->op, "and") && value) || (op_is(i->op, "or") && !value))
		for (uint32_t k = 1; k <= 2; k++)
			if (i->operand[k].kind == OPERAND_REGISTER &&
				selects_lane(f, i->operand[k].reg, value, depth - 1))
				return true;
	if (i->op != OP_setp || i->modifiers.boolean != boolean_NONE ||
		i->modifiers.compare != (value ? compare_EQ : compare_NE))
		return false;
	const struct ptx_operand *a = &i->operand[2], *b = &i->operand[3];
	return (!is_varying(f, b) && counts_lanes(f, a, 8)) || (!is_varying(f, a) && counts_lanes(f, b, 8));
}

/* Whether every path to the block `other` leads through `block`. */
static bool dominates(const struct facts *f, uint32_t block, uint32_t other)
{
	while (other != NO_BLOCK && other != block)
		other = f->flow->blocks[other].dominator;
	return other == block;
}

/* Whether `from` is the only predecessor of `to`, apart from the back edges of a loop at `to`. */
static bool is_only_entry(const struct facts *f, uint32_t from, uint32_t to)
{
	const struct flow_block *block = &f->flow->blocks[to];
	for (uint32_t k = 0; k < block->predecessor_count; k++)
		if (block->predecessors[k] != from && !dominates(f, to, block->predecessors[k]))
			return false;
	return true;
}

/* Marks the blocks that a branch at the end of this block lets only one lane enter. */
static void mark_one_lane(struct facts *f, uint32_t b)
{
	const struct flow_block *block = &f->flow->blocks[b];
	const struct ptx_instruction *last = flow_last(f->flow, b);
	if (!last->guard || !instruction_ends_block(last))
		return;
	for (uint32_t k = 0; k < block->successor_count; k++) {
		const struct flow_block *next = &f->flow->blocks[block->successors[k]];
		bool taken = instruction_kind(last) == INSN_BRANCH && next->first == last->operand[0].target;
		bool holds = taken != last->guard_negated;
		if (!is_only_entry(f, b, block->successors[k]) || !selects_lane(f, last->guard, holds, 4))
			continue;
		for (uint32_t to = 0; to < f->flow->block_count; to++)
			f->one_lane[to] |= dominates(f, block->successors[k], to);
	}
}

/* ---- All ---- */

uint64_t *facts_reach(const struct facts *f, uint32_t from, uint32_t avoided)
{
	return flow_reach(f->flow, f->arena, (struct flow_way){.from = from, .avoided = avoided});
}

static void find_writers(struct facts *f)
{
	for (uint32_t r = 0; r < f->function->registers.count; r++)
		f->writer[r] = NO_WRITER;
	for (uint32_t k = 0; k < f->function->code.count; k++)
		for (struct register_use use = {.of = &f->function->code.at[k]}; register_next(&use);)
			if (use.is_write)
				f->writer[use.reg->index] =
					f->writer[use.reg->index] == NO_WRITER ? k : SEVERAL_WRITERS;
}

struct facts *facts_gather(struct arena *arena, const struct ptx_module *module, const struct ptx_function *function)
{
	struct facts *f = arena_new(arena, struct facts);
	f->arena = arena;
	f->function = function;
	f->flow = flow_analyse(arena, function);
	f->spins = spins_find(arena, module, f->flow, assign_slots(arena, f->flow, 0)->dead_result);
	f->writer = arena_new_array(arena, uint32_t, function->registers.count);
	f->terms = arena_new_array(arena, struct term, function->registers.count);
	f->varying = arena_new_array(arena, uint64_t, bits_words(function->registers.count));
	f->one_lane = arena_new_array(arena, bool, f->flow->block_count);
	find_writers(f);
	find_varying(f);
	for (uint32_t b = 0; b < f->flow->block_count; b++)
		mark_one_lane(f, b);
	return f;
}
