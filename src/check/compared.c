/* What a loop compares with the value that it loads.  Registers that depend on the value are marked in two passes over
 * the code of the loop, in program order. */
#include "check/waits.h"

#include "kernel/bits.h"

#define ENTRIES 0x10000u

struct taint {
	const struct thread *thread;
	uint64_t marked[ENTRIES / 64]; /* as the scoreboard names slots and predicates */
	bool values_only;              /* dependence is not followed through predicates */
	struct compared found;
};

static void mark_results(struct taint *t, const struct insn *i, bool mark)
{
	for (uint32_t k = 0; k < i->scoreboard.writes; k++)
		if (!t->values_only || !(i->scoreboard.slot[k] & SCOREBOARD_PREDICATE))
			(mark ? bits_add : bits_remove)(t->marked, i->scoreboard.slot[k]);
}

static bool is_marked(const struct taint *t, slot_ref slot)
{
	return slot != SLOT_NONE && !(slot & SLOT_CONSTANT) &&
	       bits_has(t->marked, (slot & SLOT_OFFSET) / t->thread->r->warp.lanes);
}

/* The scoreboard does not list a source that is a destination, too: so the operands are looked at as well. */
static bool reads_marked(const struct taint *t, const struct insn *i)
{
	bool of_predicates = i->type == TYPE_PRED && !i->inserted && i->kind == INSN_PLAIN;

	for (uint32_t k = i->scoreboard.writes; k < i->scoreboard.count; k++)
		if (bits_has(t->marked, i->scoreboard.slot[k]))
			return true;
	for (uint32_t k = 0; k < INSN_SOURCES; k++)
		if (of_predicates ? i->s[k] != SLOT_NONE && !(i->s[k] & SLOT_CONSTANT) &&
					    bits_has(t->marked, SCOREBOARD_PREDICATE | (i->s[k] & ~PREDICATE_INVERT))
				  : is_marked(t, i->s[k]))
			return true;
	return i->ps && bits_has(t->marked, SCOREBOARD_PREDICATE | i->ps);
}

static void add_value(struct compared *c, uint64_t value)
{
	for (uint32_t k = 0; k < c->count; k++)
		if (c->values[k] == value)
			return;
	if (c->count < COMPARED_VALUES)
		c->values[c->count++] = value;
}

/* Records the operands of a comparison that do not depend on the loaded value. */
static void note_comparison(struct taint *t, const struct insn *i)
{
	for (uint32_t k = 0; k < 2; k++)
		if (i->s[k] != SLOT_NONE && (i->s_bytes[k] == 4 || i->s_bytes[k] == 8) && !is_marked(t, i->s[k]))
			add_value(&t->found, thread_register(t->thread, i->s[k], i->s_bytes[k]));
}

static void pass(struct taint *t, struct code_range range, uint32_t pc)
{
	const struct kernel *kernel = t->thread->r->warp.kernel;

	for (uint32_t k = range.first; k <= range.last && k < kernel->code_count; k++) {
		const struct insn *i = &kernel->code[k];
		bool reads = reads_marked(t, i);

		if (k == pc) {
			t->found.is_chase |= t->values_only && is_marked(t, i->s[0]);
			mark_results(t, i, true);
			continue;
		}
		t->found.decides |= i->guard && bits_has(t->marked, SCOREBOARD_PREDICATE | i->guard) &&
				    (i->kind == INSN_BRANCH || i->kind == INSN_EXIT || i->kind == INSN_RETURN);
		if (reads && i->kind == INSN_PLAIN && (i->op == OP_setp || i->op == OP_setp_float || i->op == OP_set))
			note_comparison(t, i);
		if (reads)
			mark_results(t, i, true);
		else if (!i->guard)
			mark_results(t, i, false);
	}
}

struct compared compared_with(const struct thread *thread, uint32_t pc, struct code_range range)
{
	struct taint t = {.thread = thread}, values = {.thread = thread, .values_only = true};

	for (uint32_t k = 0; k < 2; k++) {
		pass(&t, range, pc);
		pass(&values, range, pc);
	}
	t.found.is_chase = values.found.is_chase;
	return t.found;
}
