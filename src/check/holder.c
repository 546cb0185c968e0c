/* Where the owner of a lock can go (facts.h): constant propagation from a successful attempt.  Its result, comparisons
 * of it and flags that depend on these are constants then, and decide branches.  The constants before the attempt come
 * from a pass over the whole function: a lane that is still in the loop has not set `done` yet. */
#include "check/facts.h"

#include "kernel/bits.h"
#include "kernel/operand.h"
#include "kernel/registers.h"

#include <string.h>

/* The constants at one place. */
struct known {
	uint64_t *set;   /* registers; null: not reached so far */
	uint64_t *value; /* per register */
};

#define MOST_KNOWN (1u << 23) /* registers times blocks; larger functions are not analysed */

struct walk {
	const struct facts *facts;
	const struct ptx_instruction *attempt; /* null: in the pass over the whole function */
	const bool *releases;
	struct known *at; /* per block, at its start */
	struct known now;
	uint32_t *work, depth;
	bool *queued;
	bool distinguishes; /* some comparison distinguishes success from failure */
};

static uint32_t register_count(const struct walk *w)
{
	return w->facts->function->registers.count;
}

static struct known new_known(const struct walk *w)
{
	return (struct known){arena_new_array(w->facts->arena, uint64_t, bits_words(register_count(w))),
		arena_new_array(w->facts->arena, uint64_t, register_count(w))};
}

static void copy_known(const struct walk *w, struct known *to, const struct known *from)
{
	memcpy(to->set, from->set, bits_words(register_count(w)) * sizeof *to->set);
	memcpy(to->value, from->value, register_count(w) * sizeof *to->value);
}

/* The value of the operand.  False: it is not known. */
static bool read_operand(const struct walk *w, const struct ptx_operand *o, uint64_t *value)
{
	if (o->kind == OPERAND_IMMEDIATE && !o->is_float) {
		*value = o->bits;
		return true;
	}
	if (o->kind != OPERAND_REGISTER || !bits_has(w->now.set, o->reg->index))
		return false;
	*value = w->now.value[o->reg->index] ^ o->negated;
	return true;
}

/* ---- Computing ---- */

static bool is_register(const struct ptx_operand *o, const struct ptx_operand *other)
{
	return o->kind == OPERAND_REGISTER && other->kind == OPERAND_REGISTER && o->reg == other->reg;
}

/* A comparison of the result with what the compare-and-swap expects: its value need not be known. */
static bool compares_with_expected(const struct walk *w, const struct ptx_operand *a, const struct ptx_operand *b)
{
	if (!w->attempt)
		return false;
	const struct ptx_operand *result = &w->attempt->operand[0], *expected = &w->attempt->operand[2];
	return instruction_atomic(w->attempt) == ATOMIC_CAS &&
	       ((is_register(a, result) && is_register(b, expected)) ||
		       (is_register(b, result) && is_register(a, expected)));
}

static uint64_t type_mask(enum ptx_type type)
{
	return ptx_types[type].bits >= 64 ? UINT64_MAX : (1ull << ptx_types[type].bits) - 1;
}

static bool compare(struct walk *w, const struct ptx_instruction *i, uint64_t *value)
{
	const struct ptx_operand *a = &i->operand[2], *b = &i->operand[3];
	uint64_t left = 0, right = 0;
	bool is_equal = i->modifiers.compare == compare_EQ;
	if (i->modifiers.boolean != boolean_NONE || (!is_equal && i->modifiers.compare != compare_NE) ||
		ptx_types[i->type[0]].kind == KIND_FLOAT)
		return false;
	if (!compares_with_expected(w, a, b) && (!read_operand(w, a, &left) || !read_operand(w, b, &right)))
		return false;
	w->distinguishes |=
		w->attempt && (is_register(a, &w->attempt->operand[0]) || is_register(b, &w->attempt->operand[0]));
	*value = (((left ^ right) & type_mask(i->type[0])) == 0) == is_equal;
	return true;
}

/* `and` with 0 and, for predicates, `or` with 1 are known from one operand. */
static bool combine(const struct walk *w, const struct ptx_instruction *i, uint64_t *value)
{
	uint64_t a = 0, b = 0;
	bool has_a = read_operand(w, &i->operand[1], &a), has_b = read_operand(w, &i->operand[2], &b);
	if (op_is(i->op, "and") && ((has_a && !a) || (has_b && !b))) {
		*value = 0;
		return true;
	}
	if (op_is(i->op, "or") && i->type[0] == TYPE_PRED && ((has_a && a) || (has_b && b))) {
		*value = 1;
		return true;
	}
	*value = op_is(i->op, "and") ? a & b : op_is(i->op, "or") ? a | b : a ^ b;
	return has_a && has_b;
}

static bool evaluate(struct walk *w, const struct ptx_instruction *i, uint64_t *value)
{
	uint64_t chooses = 0;
	if (i->op == OP_setp)
		return compare(w, i, value);
	if (op_is(i->op, "and") || op_is(i->op, "or") || op_is(i->op, "xor"))
		return combine(w, i, value);
	if (op_is(i->op, "selp"))
		return read_operand(w, &i->operand[3], &chooses) &&
		       read_operand(w, &i->operand[chooses ? 1 : 2], value);
	if ((op_is(i->op, "mov") || i->op == OP_cvt) && ptx_types[i->type[0]].kind != KIND_FLOAT) {
		bool has_value = read_operand(w, &i->operand[1], value);
		*value = i->type[0] == TYPE_PRED ? *value != 0 : *value; /* true is written -1 */
		return has_value;
	}
	if (op_is(i->op, "not") && i->type[0] == TYPE_PRED && read_operand(w, &i->operand[1], value)) {
		*value ^= 1;
		return true;
	}
	return false;
}

static void execute(struct walk *w, const struct ptx_instruction *i)
{
	uint64_t guard = 1, value = 0;
	struct ptx_operand predicate = {.kind = OPERAND_REGISTER, .reg = i->guard};
	bool decided = !i->guard || read_operand(w, &predicate, &guard);
	if (decided && i->guard && guard == i->guard_negated)
		return;
	bool has_value =
		decided && i->operand_count > 1 && i->operand[0].kind == OPERAND_REGISTER && evaluate(w, i, &value);
	registers_remove_written(i, w->now.set);
	if (!has_value)
		return;
	bits_add(w->now.set, i->operand[0].reg->index);
	w->now.value[i->operand[0].reg->index] = value;
}

/* ---- Paths ---- */

/* A path leads to a block: the constants there become those on which all paths to it agree. */
static void merge_into(struct walk *w, uint32_t block)
{
	struct known *at = &w->at[block];
	bool changed = !at->set;
	if (changed) {
		*at = new_known(w);
		copy_known(w, at, &w->now);
	}
	for_each_bit(r, at->set, register_count(w)) if (!bits_has(w->now.set, r) || w->now.value[r] != at->value[r])
	{
		bits_remove(at->set, r);
		changed = true;
	}
	if (!changed || w->queued[block])
		return;
	w->queued[block] = true;
	w->work[w->depth++] = block;
}

static void leave_block(struct walk *w, uint32_t b)
{
	const struct flow_block *block = &w->facts->flow->blocks[b];
	const struct ptx_instruction *last = flow_last(w->facts->flow, b);
	bool branches = last->guard && instruction_kind(last) == INSN_BRANCH && block->successor_count == 2;
	for (uint32_t k = 0; k < block->successor_count; k++) {
		uint32_t to = block->successors[k];
		if (!branches) {
			merge_into(w, to);
			continue;
		}
		uint32_t guard = last->guard->index;
		bool is_target = w->facts->flow->blocks[to].first == last->operand[0].target;
		bool needed = is_target != last->guard_negated, decided = bits_has(w->now.set, guard);
		if (decided && w->now.value[guard] != needed)
			continue;
		bits_add(w->now.set, guard); /* on this side of the branch it is known */
		w->now.value[guard] = needed;
		merge_into(w, to);
		if (!decided)
			bits_remove(w->now.set, guard);
	}
}

/* From an instruction of a block to its end and to its successors, unless the lock is released or attempted again
 * before, or a function is called. */
static void follow(struct walk *w, uint32_t block, uint32_t from)
{
	const struct flow_block *within = &w->facts->flow->blocks[block];
	for (uint32_t k = from; k < within->first + within->count; k++) {
		const struct ptx_instruction *i = &w->facts->function->code.at[k];
		if (w->attempt && (w->releases[k] || i == w->attempt || instruction_kind(i) == INSN_CALL))
			return;
		execute(w, i);
	}
	leave_block(w, block);
}

/* The result of a successful attempt: what the compare-and-swap compared with, or 0. */
static void note_success(struct walk *w)
{
	const struct ptx_operand *result = &w->attempt->operand[0];
	uint64_t found = 0;
	bool has_value =
		instruction_atomic(w->attempt) != ATOMIC_CAS || read_operand(w, &w->attempt->operand[2], &found);
	registers_remove_written(w->attempt, w->now.set);
	if (!has_value || result->kind != OPERAND_REGISTER)
		return;
	bits_add(w->now.set, result->reg->index);
	w->now.value[result->reg->index] = found;
}

/* All paths from the work list; they end at `to`. */
static void follow_all(struct walk *w, uint32_t to)
{
	while (w->depth) {
		uint32_t block = w->work[--w->depth];
		w->queued[block] = false;
		if (block == to)
			continue;
		copy_known(w, &w->now, &w->at[block]);
		follow(w, block, w->facts->flow->blocks[block].first);
	}
}

/* The constants at the attempt, of all threads that reach it.  False: none does. */
static bool walk_to(struct walk *w, uint32_t attempt)
{
	uint32_t block = w->facts->flow->block_of[attempt];
	merge_into(w, 0);
	follow_all(w, NO_BLOCK);
	if (!w->at[block].set)
		return false;
	copy_known(w, &w->now, &w->at[block]);
	for (uint32_t k = w->facts->flow->blocks[block].first; k < attempt; k++)
		execute(w, &w->facts->function->code.at[k]);
	return true;
}

bool holder_reaches(const struct facts *f, uint32_t attempt, const bool *releases, uint32_t to)
{
	uint32_t count = f->flow->block_count;
	struct walk w = {.facts = f, .releases = releases};
	if (!count || register_count(&w) > MOST_KNOWN / count)
		return false;
	w.at = arena_new_array(f->arena, struct known, count);
	w.work = arena_new_array(f->arena, uint32_t, count);
	w.queued = arena_new_array(f->arena, bool, count);
	w.now = new_known(&w);
	if (!walk_to(&w, attempt))
		return false;
	w.attempt = &f->function->code.at[attempt];
	w.at = arena_new_array(f->arena, struct known, count);
	note_success(&w);
	follow(&w, f->flow->block_of[attempt], attempt + 1);
	follow_all(&w, to);
	return w.distinguishes && w.at[to].set;
}
