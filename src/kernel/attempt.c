/* Locks told from other atomics that end loops (attempt.h): where their addresses come from, what they put, and what
 * may put it back. */
#include "kernel/attempt.h"

#include "kernel/bits.h"
#include "kernel/operand.h"
#include "kernel/registers.h"

#include <string.h>

#define DEEPEST 16 /* steps by which an address or a value is followed back */

static const struct ptx_instruction *code_at(const struct attempt *a, uint32_t k)
{
	return &a->flow->function->code.at[k];
}

static const struct ptx_instruction *itself(const struct attempt *a)
{
	return code_at(a, a->instruction);
}

/* The operand of a load, store or atomic that is the address; the values follow it.  NULL: none. */
static const struct ptx_operand *address_of(const struct ptx_instruction *i)
{
	for (uint32_t k = 0; k < i->operand_count; k++)
		if (i->operand[k].kind == OPERAND_ADDRESS)
			return &i->operand[k];
	return NULL;
}

static const struct ptx_instruction *definition_of(const struct attempt *a, const struct ptx_operand *o)
{
	return o->kind == OPERAND_REGISTER || (o->kind == OPERAND_ADDRESS && o->reg) ? a->definition[o->reg->index]
										     : NULL;
}

bool attempt_constant(
	const struct ptx_instruction *const *definition, const struct ptx_operand *operand, uint64_t *value)
{
	const struct ptx_instruction *i = operand->kind == OPERAND_REGISTER ? definition[operand->reg->index] : NULL;
	const struct ptx_operand *from = i && op_is(i->op, "mov") ? &i->operand[1] : operand;
	if (from->kind == OPERAND_IMMEDIATE && !from->is_float)
		*value = from->bits;
	return from->kind == OPERAND_IMMEDIATE && !from->is_float;
}

/* ---- Values ---- */

static bool is_copy(const struct ptx_instruction *i)
{
	return op_is(i->op, "mov") || op_is(i->op, "cvta") || i->op == OP_cvt;
}

/* Its result depends on nothing but its operands. */
static bool is_plain(const struct ptx_instruction *i)
{
	return i && !i->guard && instruction_kind(i) == INSN_PLAIN &&
	       !(ptx_ops[i->op].effects & (EFFECT_READS | EFFECT_ATOMIC | EFFECT_CROSS_LANE));
}

static bool is_same_value(
	const struct attempt *a, const struct ptx_operand *one, const struct ptx_operand *other, uint32_t depth)
{
	if (one->kind != other->kind || !depth)
		return false;
	if (one->kind == OPERAND_IMMEDIATE)
		return one->bits == other->bits && one->is_float == other->is_float;
	if (one->kind == OPERAND_VARIABLE)
		return one->variable == other->variable && one->offset == other->offset;
	if (one->kind == OPERAND_SPECIAL)
		return one->special == other->special && one->component == other->component;
	if (one->kind != OPERAND_REGISTER)
		return false;
	if (one->reg == other->reg)
		return true;
	const struct ptx_instruction *i = definition_of(a, one), *j = definition_of(a, other);
	if (!is_plain(i) || !is_plain(j) || i->op != j->op || i->operand_count != j->operand_count)
		return false;
	for (uint32_t k = 1; k < i->operand_count; k++)
		if (!is_same_value(a, &i->operand[k], &j->operand[k], depth - 1))
			return false;
	return true;
}

/* Through copies to the register or constant that they copy. */
static const struct ptx_operand *origin(const struct attempt *a, const struct ptx_operand *o)
{
	for (uint32_t depth = 0; depth < DEEPEST; depth++) {
		const struct ptx_instruction *i = definition_of(a, o);
		if (!i || i->guard || !is_copy(i) || i->operand[1].kind != OPERAND_REGISTER)
			break;
		o = &i->operand[1];
	}
	return o;
}

/* Computed from `from` and from what does not change in the loop; *uses: `from` is among it. */
static bool is_made_of(const struct attempt *a, const struct ptx_operand *value, const struct ptx_operand *from,
	bool *uses, uint32_t depth)
{
	value = origin(a, value);
	if (is_same_value(a, value, from, DEEPEST)) {
		*uses = true;
		return true;
	}
	if (value->kind != OPERAND_REGISTER)
		return true;
	const struct ptx_instruction *i = definition_of(a, value);
	if (!bits_has(a->written, value->reg->index))
		return true;
	if (!depth || !is_plain(i))
		return false;
	for (uint32_t k = 1; k < i->operand_count; k++)
		if (!is_made_of(a, &i->operand[k], from, uses, depth - 1))
			return false;
	return true;
}

/* ---- Places ---- */

/* The variable, or the parameter that holds the pointer, from which an address is computed; NULL: not known. */
static const struct ptx_variable *object_of(const struct attempt *a, const struct ptx_operand *o, uint32_t depth)
{
	const struct ptx_instruction *i = definition_of(a, o);
	const struct ptx_variable *object = NULL;
	if (!o->reg || o->kind == OPERAND_VARIABLE)
		return o->variable;
	if (!i || !depth)
		return NULL;
	if (instruction_kind(i) == INSN_LOAD)
		return i->operand[1].variable && i->operand[1].variable->space == space_PARAM ? i->operand[1].variable
											      : NULL;
	if (!is_plain(i))
		return NULL;
	for (uint32_t k = 1; k < i->operand_count && !object; k++)
		if (i->operand[k].kind == OPERAND_REGISTER || i->operand[k].kind == OPERAND_VARIABLE)
			object = object_of(a, &i->operand[k], depth - 1);
	return object;
}

/* An address without the constants that are added. */
struct spot {
	const struct ptx_register *base;
	int64_t offset;
};

static struct spot spot_of(const struct attempt *a, const struct ptx_operand *address)
{
	struct spot spot = {address->reg, address->offset};
	for (uint32_t depth = 0; spot.base && depth < DEEPEST; depth++) {
		const struct ptx_instruction *i = a->definition[spot.base->index];
		if (!i || i->guard || i->operand_count < 2 || i->operand[1].kind != OPERAND_REGISTER)
			break;
		if (op_is(i->op, "add") && i->operand[2].kind == OPERAND_IMMEDIATE)
			spot.offset += (int64_t)i->operand[2].bits;
		else if (!is_copy(i))
			break;
		spot.base = i->operand[1].reg;
	}
	return spot;
}

/* The same word whenever both are executed in one turn. */
static bool is_same_place(const struct attempt *a, const struct ptx_instruction *i, const struct ptx_instruction *j)
{
	const struct ptx_operand *one = address_of(i), *other = address_of(j);
	if (!one || !other)
		return false;
	struct spot at = spot_of(a, one), to = spot_of(a, other);
	if (at.offset != to.offset || (!at.base && one->variable != other->variable))
		return false;
	if (at.base == to.base)
		return true;
	struct ptx_operand left = {.kind = OPERAND_REGISTER, .reg = (struct ptx_register *)(uintptr_t)at.base};
	struct ptx_operand right = {.kind = OPERAND_REGISTER, .reg = (struct ptx_register *)(uintptr_t)to.base};
	return at.base && to.base && is_same_value(a, &left, &right, DEEPEST);
}

static bool spaces_differ(const struct ptx_instruction *i, const struct ptx_instruction *j)
{
	return i->modifiers.space != j->modifiers.space && i->modifiers.space != space_NONE &&
	       j->modifiers.space != space_NONE;
}

static bool may_be_same_place(const struct attempt *a, const struct ptx_instruction *i, const struct ptx_instruction *j)
{
	const struct ptx_operand *one = address_of(i), *other = address_of(j);
	if (!one || !other)
		return one == other;
	const struct ptx_variable *of = object_of(a, one, DEEPEST), *to = object_of(a, other, DEEPEST);
	if (spaces_differ(i, j) || (of && to && of != to))
		return false;
	struct spot at = spot_of(a, one), there = spot_of(a, other);
	return at.base != there.base || at.offset == there.offset;
}

/* ---- Releases ---- */

static bool writes_memory(const struct ptx_instruction *i)
{
	enum insn_kind kind = instruction_kind(i);
	return kind == INSN_ATOMIC ||
	       (kind == INSN_STORE && i->modifiers.space != space_LOCAL && i->modifiers.space != space_PARAM);
}

/* What the word has when the lock is free, as far as that is a constant: what a compare-and-swap expects. */
static bool free_constant(const struct attempt *a, uint64_t *value)
{
	*value = 0;
	switch (instruction_atomic(itself(a))) {
	case ATOMIC_CAS: return attempt_constant(a->definition, &itself(a)->operand[2], value);
	case ATOMIC_OR: return true;
	default: return false;
	}
}

enum where { HERE, IN_FUNCTION, IN_KERNEL /* another one */ };

/* Whether a write may give a lock its free value; whether it does so for certain, in another kernel. */
static bool may_put_back(const struct attempt *a, const struct ptx_instruction *i, enum where where)
{
	const struct ptx_operand *value = address_of(i) ? address_of(i) + 1 : NULL;
	enum atomic_op op = instruction_kind(i) == INSN_ATOMIC ? instruction_atomic(i) : ATOMIC_EXCH;
	uint64_t is_free = 0, put = 0;
	bool uses = false;
	if (!value || op == ATOMIC_OR)
		return false;
	if (op != ATOMIC_EXCH && op != ATOMIC_CAS)
		return where != IN_KERNEL;
	const struct ptx_operand *given = op == ATOMIC_CAS ? value + 1 : value;
	bool has_constant = where == HERE ? attempt_constant(a->definition, given, &put)
					  : given->kind == OPERAND_IMMEDIATE && (put = given->bits, true);
	bool has_free = free_constant(a, &is_free);
	if (has_constant && has_free)
		return (uint32_t)put == (uint32_t)is_free;
	if (where == IN_KERNEL)
		return false;
	return has_constant || op != ATOMIC_CAS || where != HERE ||
	       (is_made_of(a, given, value, &uses, DEEPEST) && uses);
}

/* Something in the module may put the word back. */
static bool has_release(const struct attempt *a)
{
	for (uint32_t f = 0; f < a->module->functions.count; f++) {
		const struct ptx_function *function = a->module->functions.at[f];
		enum where where = function == a->flow->function ? HERE : function->is_entry ? IN_KERNEL : IN_FUNCTION;
		for (uint32_t k = 0; function->is_defined && k < function->code.count; k++) {
			const struct ptx_instruction *i = &function->code.at[k];
			if (i == itself(a) || !writes_memory(i) || !may_put_back(a, i, where))
				continue;
			if (where == HERE ? may_be_same_place(a, itself(a), i) : !spaces_differ(itself(a), i))
				return true;
		}
	}
	return false;
}

/* ---- Ways ---- */

/* What it took is put back before the loop's next turn. */
static bool is_released_in_turn(const struct attempt *a)
{
	uint32_t tried = a->flow->block_of[a->instruction];
	struct flow_way way = {.from = tried, .avoided = a->loop->header, .leaves_first = true};
	const uint64_t *after = flow_reach(a->flow, a->arena, way);
	for (uint32_t k = 0; k < a->flow->function->code.count; k++) {
		const struct ptx_instruction *i = code_at(a, k);
		uint32_t block = a->flow->block_of[k];
		if ((bits_has(after, block) || (block == tried && k > a->instruction)) && writes_memory(i) &&
			k != a->instruction && is_same_place(a, itself(a), i) && may_put_back(a, i, HERE))
			return true;
	}
	return false;
}

/* The function may put something other than 0 there after the attempt; or another may that calls it. */
static bool may_put_again(const struct attempt *a)
{
	struct flow_way way = {.from = a->flow->block_of[a->instruction], .avoided = NO_BLOCK};
	const uint64_t *after = flow_reach(a->flow, a->arena, way);
	if (!a->flow->function->is_entry)
		return true;
	for (uint32_t k = 0; k < a->flow->function->code.count; k++) {
		const struct ptx_instruction *i = code_at(a, k);
		uint64_t put = 1;
		if (k == a->instruction || !bits_has(after, a->flow->block_of[k]))
			continue;
		if (instruction_kind(i) == INSN_CALL)
			return true;
		if (writes_memory(i) && may_be_same_place(a, itself(a), i) &&
			!(attempt_constant(a->definition, address_of(i) + 1, &put) && !put))
			return true;
	}
	return false;
}

/* ---- What depends on memory ---- */

static bool is_load(const struct ptx_instruction *i)
{
	return (ptx_ops[i->op].effects & EFFECT_READS || instruction_kind(i) == INSN_ATOMIC) &&
	       i->modifiers.space != space_PARAM && i->modifiers.space != space_CONST &&
	       i->modifiers.space != space_LOCAL;
}

static uint64_t *new_set(const struct attempt *a)
{
	return arena_new_array(a->arena, uint64_t, bits_words(a->flow->function->registers.count));
}

/* The registers that depend on what the loop reads in the attempt's word, or in others: an atomic's result, too. */
static uint64_t *depending(const struct attempt *a, bool on_word)
{
	uint64_t *set = new_set(a);
	each_pc(k, a->flow, a->loop)
	{
		if (is_load(code_at(a, k)) && is_same_place(a, itself(a), code_at(a, k)) == on_word)
			registers_add_written(code_at(a, k), set);
	}
	registers_spread(a->flow, a->loop, set);
	return set;
}

/* The address is the same in each turn: nothing moves it on, and where the loop reads a pointer, the function does not
 * write that. */
static bool address_stays(const struct attempt *a)
{
	const struct ptx_operand *address = address_of(itself(a));
	if (!address || !address->reg)
		return true;
	if (!bits_has(a->steady, address->reg->index))
		return false;
	uint64_t *sources = new_set(a);
	bits_add(sources, address->reg->index);
	for (bool grew = true; grew;) {
		grew = false;
		each_pc(k, a->flow, a->loop)
		{
			const struct ptx_instruction *i = code_at(a, k);
			if (!registers_write_any(i, sources))
				continue;
			grew |= registers_add_read(i, sources);
			for (uint32_t n = 0; is_load(i) && n < a->flow->function->code.count; n++)
				if (writes_memory(code_at(a, n)) && is_same_place(a, i, code_at(a, n)))
					return false;
		}
	}
	return true;
}

/* A turn may go from the block back to the header without the attempt. */
static bool can_miss(const struct attempt *a, uint32_t from)
{
	return flow_can_miss(a->flow, a->walk, a->loop, from, a->flow->block_of[a->instruction]);
}

/* Whether a turn tries depends on what it reads in other words. */
static bool others_decide(const struct attempt *a)
{
	struct flow_way way = {
		.from = a->loop->header, .avoided = a->flow->block_of[a->instruction], .within = a->loop};
	const uint64_t *other = depending(a, false), *before = flow_reach(a->flow, a->arena, way);
	if (itself(a)->guard && bits_has(other, itself(a)->guard->index))
		return true;
	each_block(b, a->flow, a->loop)
	{
		const struct flow_block *block = &a->flow->blocks[b];
		const struct ptx_register *guard = flow_last(a->flow, b)->guard;
		if (!guard || !bits_has(other, guard->index) || !bits_has(before, b))
			continue;
		for (uint32_t s = 0; s < block->successor_count; s++)
			if (flow_loop_has(a->loop, block->successors[s]) &&
				(block->successors[s] == a->loop->header || can_miss(a, block->successors[s])))
				return true;
	}
	return false;
}

/* ---- Compare-and-swaps ---- */

/* It compares with what the turn has read in the word, not with something computed from it. */
static bool expects_what_it_read(const struct attempt *a)
{
	return !is_plain(definition_of(a, origin(a, &itself(a)->operand[2])));
}

/* Some turns do not try, or cannot succeed, because of what the word has. */
static bool word_decides(const struct attempt *a)
{
	bool tries_always = !itself(a)->guard && !can_miss(a, a->loop->header);
	return (!tries_always || !expects_what_it_read(a)) && !others_decide(a);
}

/* It compares with what the turn has read in the word. */
static bool is_mark(const struct attempt *a)
{
	const struct ptx_operand *expected = &itself(a)->operand[2], *put = &itself(a)->operand[3];
	uint64_t constant;
	bool uses = false;
	if (!word_decides(a) || !has_release(a))
		return false;
	return attempt_constant(a->definition, put, &constant) ||
	       (is_made_of(a, put, origin(a, expected), &uses, DEEPEST) && (uses || !expects_what_it_read(a)));
}

static bool is_swap_for_lock(const struct attempt *a)
{
	const struct ptx_operand *expected = &itself(a)->operand[2], *put = &itself(a)->operand[3];
	uint64_t constant;
	if (attempt_constant(a->definition, expected, &constant))
		return attempt_constant(a->definition, put, &constant) || has_release(a);
	if (expected->kind == OPERAND_REGISTER && bits_has(depending(a, true), expected->reg->index))
		return is_mark(a);
	return expected->kind == OPERAND_REGISTER && !bits_has(depending(a, false), expected->reg->index) &&
	       has_release(a);
}

static bool puts_the_same(const struct attempt *a)
{
	const struct ptx_operand *put = &itself(a)->operand[2];
	return put->kind != OPERAND_REGISTER || bits_has(a->steady, put->reg->index);
}

bool attempt_is_lock(const struct attempt *a)
{
	uint64_t put = 1;
	if (instruction_kind(itself(a)) == INSN_LOAD_LOCK)
		return true;
	if (!address_stays(a))
		return is_released_in_turn(a);
	switch (instruction_atomic(itself(a))) {
	case ATOMIC_CAS: return is_swap_for_lock(a);
	case ATOMIC_EXCH:
		if (!puts_the_same(a))
			return false;
		return attempt_constant(a->definition, &itself(a)->operand[2], &put) ? put || may_put_again(a)
										     : has_release(a);
	default: return puts_the_same(a);
	}
}

bool attempt_takes_any(const struct attempt *a)
{
	const struct ptx_instruction *i = itself(a);
	uint64_t put = 0, with = 0;
	bool is_compared = false;
	if (instruction_atomic(i) != ATOMIC_EXCH || !attempt_constant(a->definition, &i->operand[2], &put))
		return false;
	each_pc(k, a->flow, a->loop)
	{
		const struct ptx_instruction *by = code_at(a, k);
		for (uint32_t n = 2; by->op == OP_setp && n < 4; n++) {
			if (!is_same_value(a, origin(a, &by->operand[n]), &i->operand[0], 1))
				continue;
			if (!attempt_constant(a->definition, &by->operand[5 - n], &with) ||
				(uint32_t)with != (uint32_t)put)
				return false;
			is_compared = true;
		}
	}
	return is_compared;
}

/* ---- The same lock elsewhere ---- */

static bool is_same_operand(const struct attempt *a, const struct ptx_operand *one, const struct ptx_operand *other)
{
	uint64_t left = 0, right = 0;
	if (attempt_constant(a->definition, one, &left) && attempt_constant(a->definition, other, &right))
		return left == right;
	return is_same_value(a, one, other, DEEPEST);
}

bool attempt_has_twin(const struct attempt *a, uint32_t other)
{
	const struct ptx_instruction *i = itself(a), *j = code_at(a, other);
	if (other == a->instruction || instruction_kind(i) != INSN_ATOMIC || instruction_kind(j) != INSN_ATOMIC ||
		instruction_atomic(i) != instruction_atomic(j) || i->type[0] != j->type[0] || !is_same_place(a, i, j))
		return false;
	for (uint32_t k = 2; k < i->operand_count && k < j->operand_count; k++)
		if (i->operand[k].kind != OPERAND_NONE && !is_same_operand(a, &i->operand[k], &j->operand[k]))
			return false;
	return true;
}
