/* Finds loops that do nothing but wait at an mbarrier, as a compiler writes them:
 *
 *     again: test_wait p; @p bra done; bra again;        again: test_wait p; selp r, 1, 0, p; setp.eq q, r, 0; @q bra
 * again;
 *
 * The loop is a stretch of code that is entered at its top only.  In it are the test, instructions that compute, and
 * branches: exits, and at its end the one back to the top.  No instruction in it reads what an earlier turn of the loop
 * has computed, so what it computes is dead at the top; and with a test that fails no exit is taken. */
#include "machine/progress/await.h"

#include "kernel/bits.h"
#include "kernel/operand.h"
#include "kernel/registers.h"

#include <assert.h>

#define LONGEST 64u /* instructions of a loop */

struct loop {
	const struct ptx_function *function;
	uint32_t top, test, end; /* instructions; end: the branch back */
	/* Registers: written in the loop; written in this turn; known when the test fails, and then their values. */
	uint64_t *written, *fresh, *known;
	uint64_t *value;
};

static const struct ptx_instruction *code_at(const struct loop *l, uint32_t k)
{
	assert(k < l->function->code.count);
	return &l->function->code.at[k];
}

static uint32_t target_of(const struct ptx_instruction *branch)
{
	assert(branch->op == OP_bra);
	return branch->operand[0].target;
}

/* From the top to the end there is nothing but what is allowed. */
static bool find_loop(struct loop *l)
{
	bool exits = false, ends = false;
	assert(l->test < l->function->code.count);
	for (l->end = l->test + 1; l->end < l->function->code.count && l->end - l->test < LONGEST; l->end++) {
		const struct ptx_instruction *i = code_at(l, l->end);
		ends = i->op == OP_bra && target_of(i) <= l->test;
		if (ends)
			break;
		if (i->op != OP_bra && (exits || instruction_kind(i) != INSN_PLAIN))
			return false; /* behind an exit, what is computed may be read where the exit leads */
		exits |= i->op == OP_bra;
	}
	if (!ends || l->test - target_of(code_at(l, l->end)) > LONGEST)
		return false;
	l->top = target_of(code_at(l, l->end));
	for (uint32_t k = l->top; k < l->test; k++)
		if (instruction_kind(code_at(l, k)) != INSN_PLAIN)
			return false;
	return exits || code_at(l, l->end)->guard;
}

static bool is_inside(const struct loop *l, uint32_t target)
{
	assert(l->top <= l->end);
	return target > l->top && target <= l->end;
}

static bool is_entered_at_top(const struct loop *l)
{
	assert(code_at(l, l->end)->op == OP_bra);
	for (uint32_t k = 0; k < l->function->code.count; k++) {
		const struct ptx_instruction *i = code_at(l, k);
		bool from_inside = k >= l->top && k < l->end;
		if (i->op == OP_brx)
			return false;
		if (i->op == OP_bra && (is_inside(l, target_of(i)) || (from_inside && target_of(i) == l->top)))
			return false;
	}
	return true;
}

/* A register that is written in the loop is read there only after that, in each turn. */
static bool carries_nothing(const struct loop *l)
{
	assert(l->top <= l->test && l->test < l->end);
	for (uint32_t k = l->top; k <= l->end; k++)
		registers_add_written(code_at(l, k), l->written);
	for (uint32_t k = l->top; k <= l->end; k++) {
		for (struct register_use use = {.of = code_at(l, k)}; register_next(&use);)
			if (!use.is_write && bits_has(l->written, use.reg->index) &&
				!bits_has(l->fresh, use.reg->index))
				return false;
		registers_add_written(code_at(l, k), l->fresh);
	}
	return true;
}

/* ---- With a test that fails ---- */

static bool is_known(const struct loop *l, const struct ptx_operand *o, uint64_t *value)
{
	if (o->kind == OPERAND_IMMEDIATE) {
		*value = o->bits;
		return !o->is_float && !o->is_float32 && o->bits <= INT32_MAX; /* the same in each type */
	}
	if (o->kind != OPERAND_REGISTER || !bits_has(l->known, o->reg->index))
		return false;
	*value = l->value[o->reg->index] ^ o->negated;
	return true;
}

/* What a mov, a selection, a comparison or a `not` of predicates makes of known values. */
static bool computes_known(const struct loop *l, const struct ptx_instruction *i, uint64_t *value)
{
	uint64_t a, b;
	bool equal = i->modifiers.compare == compare_EQ;
	switch (i->op) {
	case OP_mov: return i->operand_count == 2 && is_known(l, &i->operand[1], value);
	case OP_selp: return is_known(l, &i->operand[3], &a) && is_known(l, &i->operand[a ? 1 : 2], value);
	case OP_not_pred: *value = is_known(l, &i->operand[1], &a) && !a; return is_known(l, &i->operand[1], &a);
	case OP_setp:
		if ((!equal && i->modifiers.compare != compare_NE) || i->modifiers.boolean ||
			i->operand[1].kind == OPERAND_REGISTER || !is_known(l, &i->operand[2], &a) ||
			!is_known(l, &i->operand[3], &b))
			return false;
		*value = (a == b) == equal;
		return true;
	default: return false;
	}
}

static void follow(const struct loop *l, uint32_t k)
{
	const struct ptx_instruction *i = code_at(l, k);
	uint64_t value = 0;
	assert(k >= l->top && k < l->end);
	assert(i->op != OP_bra);
	bool known = k == l->test || (!i->guard && computes_known(l, i, &value));
	for (struct register_use use = {.of = i}; register_next(&use);) {
		if (!use.is_write)
			continue;
		bits_remove(l->known, use.reg->index);
		if (known)
			bits_add(l->known, use.reg->index);
		l->value[use.reg->index] = value;
	}
}

static bool is_taken(const struct loop *l, const struct ptx_instruction *branch, bool *taken)
{
	assert(branch->op == OP_bra);
	if (branch->guard && !bits_has(l->known, branch->guard->index))
		return false;
	*taken = !branch->guard || l->value[branch->guard->index] ^ branch->guard_negated;
	return true;
}

static bool goes_round(const struct loop *l)
{
	bool taken;
	assert(l->top <= l->test && l->test < l->end);
	for (uint32_t k = l->top; k < l->end; k++) {
		if (code_at(l, k)->op != OP_bra)
			follow(l, k);
		else if (!is_taken(l, code_at(l, k), &taken) || taken)
			return false;
	}
	return is_taken(l, code_at(l, l->end), &taken) && taken;
}

bool await_at(const struct kernel *kernel, uint32_t pc, struct arena *scratch)
{
	const struct insn *i = &kernel->code[pc];
	struct loop l = {.function = kernel->functions[i->function].ptx, .test = i->source};
	uint32_t words;
	assert(i->kind == INSN_MBARRIER);
	assert(ptx_ops[i->op].effects == EFFECT_READS);
	words = bits_words(l.function->registers.count);
	if (code_at(&l, l.test)->guard || !find_loop(&l) || !is_entered_at_top(&l))
		return false;
	l.written = arena_new_array(scratch, uint64_t, words + 1);
	l.fresh = arena_new_array(scratch, uint64_t, words + 1);
	l.known = arena_new_array(scratch, uint64_t, words + 1);
	l.value = arena_new_array(scratch, uint64_t, l.function->registers.count + 1);
	return carries_nothing(&l) && goes_round(&l);
}
