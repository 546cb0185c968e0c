/* What a loop compares with the value that it loads.  Registers that depend on the value are marked in two passes over
 * the code of the loop, in program order. */
#include "check/compared.h"

#include <string.h>

#define ENTRIES 0x10000u

struct taint {
	const struct warp_slot *r;
	uint32_t lane;
	uint64_t marked[ENTRIES / 64]; /* as the scoreboard names slots and predicates */
	bool values_only;              /* dependence is not followed through predicates */
	struct compared found;
};

static bool has(const struct taint *t, uint32_t entry)
{
	return t->marked[entry / 64] >> entry % 64 & 1;
}

static void mark_results(struct taint *t, const struct insn *i, bool mark)
{
	for (uint32_t k = 0; k < i->scoreboard.writes; k++) {
		if (t->values_only && i->scoreboard.slot[k] & 0x8000u)
			continue;
		uint64_t bit = 1ull << i->scoreboard.slot[k] % 64, *word = &t->marked[i->scoreboard.slot[k] / 64];

		*word = mark ? *word | bit : *word & ~bit;
	}
}

static bool reads_marked(const struct taint *t, const struct insn *i)
{
	bool of_predicates = i->type == TYPE_PRED && !i->inserted && i->kind == INSN_PLAIN;

	for (uint32_t k = i->scoreboard.writes; k < i->scoreboard.count; k++)
		if (has(t, i->scoreboard.slot[k]))
			return true;
	for (uint32_t k = 0; k < INSN_SOURCES;
		k++) /* the scoreboard does not list a source that is a destination, too */
		if (i->s[k] != SLOT_NONE && !(i->s[k] & SLOT_CONSTANT) &&
			has(t, of_predicates ? 0x8000u | (i->s[k] & ~PREDICATE_INVERT)
					     : (i->s[k] & SLOT_OFFSET) / t->r->warp.lanes))
			return true;
	return i->ps && has(t, 0x8000u | i->ps);
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
	for (uint32_t k = 0; k < 2; k++) {
		slot_ref slot = i->s[k];
		const void *at;

		if (slot == SLOT_NONE || (i->s_bytes[k] != 4 && i->s_bytes[k] != 8) ||
			(!(slot & SLOT_CONSTANT) && has(t, (slot & SLOT_OFFSET) / t->r->warp.lanes)))
			continue;
		at = slot_at(&t->r->warp, slot);
		add_value(&t->found,
			i->s_bytes[k] == 8 ? ((const uint64_t *)at)[t->lane] : ((const uint32_t *)at)[t->lane]);
	}
}

static void pass(struct taint *t, struct code_range range, uint32_t pc)
{
	const struct kernel *kernel = t->r->warp.kernel;

	for (uint32_t k = range.first; k <= range.last && k < kernel->code_count; k++) {
		const struct insn *i = &kernel->code[k];
		bool reads = reads_marked(t, i);

		if (k == pc)
			t->found.is_chase |= t->values_only && i->s[0] != SLOT_NONE && !(i->s[0] & SLOT_CONSTANT) &&
					     has(t, (i->s[0] & SLOT_OFFSET) / t->r->warp.lanes);
		if (k == pc) {
			mark_results(t, i, true);
			continue;
		}
		t->found.decides |= i->guard && has(t, 0x8000u | i->guard) &&
				    (i->kind == INSN_BRANCH || i->kind == INSN_EXIT || i->kind == INSN_RETURN);
		if (reads && i->kind == INSN_PLAIN && (i->op == OP_setp || i->op == OP_setp_float || i->op == OP_set))
			note_comparison(t, i);
		if (reads)
			mark_results(t, i, true);
		else if (!i->guard)
			mark_results(t, i, false);
	}
}

struct compared compared_with(const struct warp_slot *r, uint32_t lane, uint32_t pc, struct code_range range)
{
	struct taint t = {.r = r, .lane = lane};

	struct taint values = {.r = r, .lane = lane, .values_only = true};

	for (uint32_t k = 0; k < 2; k++) {
		pass(&t, range, pc);
		pass(&values, range, pc);
	}
	t.found.is_chase = values.found.is_chase;
	return t.found;
}
