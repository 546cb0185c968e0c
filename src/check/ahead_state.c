/* States of the data-flow analysis (ahead_state.h): how the states of several paths are merged, what instructions read
 * and write, and what they compute: the instructions' own functions do that on a copy of the warp. */
#include "check/ahead_state.h"

#include "machine/state/machine.h"

#include <string.h>

/* ---- States ---- */

static uint32_t *narrow_at(struct walk *w, uint32_t slot)
{
	return w->scratch.warp.bank[0] + (size_t)slot * w->scratch.warp.lanes + w->lane;
}

static uint64_t *wide_at(struct walk *w, uint32_t slot)
{
	return (uint64_t *)(w->scratch.warp.bank[1] + (size_t)slot * w->scratch.warp.lanes) + w->lane;
}

struct value *walk_local_of(struct walk *w, struct value *state)
{
	return &state[w->slots + w->predicates];
}

/* Copies the registers of the copied warp into the present state. */
static void save_bits(struct walk *w)
{
	for (uint32_t k = 0; k < w->slots; k++) {
		w->now[k].narrow = *narrow_at(w, k);
		w->now[k].wide = *wide_at(w, k);
	}
	for (uint32_t k = 0; k < w->predicates; k++)
		w->now[w->slots + k].narrow = w->scratch.warp.predicates[k] >> w->lane & 1;
}

void walk_restore_bits(struct walk *w)
{
	lane_mask lane = 1ull << w->lane;

	for (uint32_t k = 0; k < w->slots; k++) {
		*narrow_at(w, k) = w->now[k].narrow;
		*wide_at(w, k) = w->now[k].wide;
	}
	for (uint32_t k = 0; k < w->predicates; k++) {
		lane_mask *p = &w->scratch.warp.predicates[k];

		*p = w->now[w->slots + k].narrow ? *p | lane : *p & ~lane;
	}
}

static bool same_buffer(const struct walk *w, uint64_t a, uint64_t b)
{
	const struct allocation *x = space_find(w->core->machine->space, a, 1);

	return x && x == space_find(w->core->machine->space, b, 1);
}

static struct value merged(const struct walk *w, struct value a, struct value b)
{
	bool same = a.wide == b.wide && a.narrow == b.narrow;
	struct value v = a;

	v.external = a.external | b.external;
	v.certainty = a.certainty < b.certainty ? a.certainty : b.certainty;
	if (!same)
		v.certainty = v.certainty >= BASED && same_buffer(w, a.wide, b.wide) ? BASED : UNKNOWN;
	return v;
}

static void queue(struct walk *w, uint32_t pc)
{
	if (w->queued[pc - w->first_pc])
		return;
	w->queued[pc - w->first_pc] = true;
	w->todo[w->todo_count++] = pc;
}

/* Merges the present state into the state at `pc`.  True when that changes. */
static bool merge_at(struct walk *w, uint32_t pc)
{
	struct value **there = &w->at[pc - w->first_pc];
	bool changed = !*there;

	save_bits(w);
	if (!*there) {
		*there = arena_new_array(&w->arena, struct value, w->count);
		memcpy(*there, w->now, w->count * sizeof *w->now);
		return true;
	}
	for (uint32_t k = 0; k < w->count; k++) {
		struct value v = merged(w, (*there)[k], w->now[k]);

		changed |= v.certainty != (*there)[k].certainty || v.external != (*there)[k].external;
		(*there)[k] = v;
	}
	return changed;
}

void walk_branch_to(struct walk *w, uint32_t pc)
{
	if (pc - w->first_pc < w->code_count && merge_at(w, pc))
		queue(w, pc);
}

/* ---- What instructions read and write ---- */

static uint32_t entry_of(const struct walk *w, uint16_t scoreboard)
{
	uint32_t entry =
		scoreboard & SCOREBOARD_PREDICATE ? w->slots + (scoreboard & ~SCOREBOARD_PREDICATE) : scoreboard;

	return entry < w->count - 1 ? entry : w->count - 1;
}

struct value walk_slot_value(const struct walk *w, slot_ref slot)
{
	if (slot == SLOT_NONE || slot & SLOT_CONSTANT)
		return (struct value){.certainty = KNOWN};
	return w->now[entry_of(w, (uint16_t)((slot & SLOT_OFFSET) / w->scratch.warp.lanes))];
}

static void take_least(struct value *v, const struct value *source)
{
	v->certainty = source->certainty < v->certainty ? source->certainty : v->certainty;
	v->external |= source->external;
}

/* The scoreboard does not list a source that is a destination, too: so the operands are looked at as well. */
struct value walk_sources_of(const struct walk *w, const struct insn *i)
{
	const struct insn_extra *extra = &w->kernel->extras[i->extra];
	bool of_predicates = i->type == TYPE_PRED && !i->inserted && i->kind == INSN_PLAIN;
	struct value v = {.certainty = KNOWN};

	for (uint32_t k = i->scoreboard.writes; k < i->scoreboard.count; k++)
		take_least(&v, &w->now[entry_of(w, i->scoreboard.slot[k])]);
	for (uint32_t k = 0; i->extra && k < extra->more_scoreboard_count; k++)
		take_least(&v, &w->now[entry_of(w, extra->more_scoreboard[k])]);
	take_least(&v, &w->now[w->slots + i->ps]);
	for (uint32_t k = 0; k < INSN_SOURCES; k++) {
		struct value source =
			of_predicates ? w->now[w->slots + (i->s[k] == SLOT_NONE ? 0 : i->s[k] & ~PREDICATE_INVERT)]
				      : walk_slot_value(w, i->s[k]);

		take_least(&v, &source);
	}
	return v;
}

void walk_set_results(struct walk *w, const struct insn *i, enum certainty certainty, bool external)
{
	for (uint32_t k = 0; k < i->scoreboard.writes; k++) {
		struct value *v = &w->now[entry_of(w, i->scoreboard.slot[k])];

		v->certainty = (uint8_t)certainty;
		v->external = external;
	}
}

enum guard walk_guard_of(const struct walk *w, const struct insn *i, bool *external)
{
	const struct value *v = &w->now[w->slots + i->guard];

	*external = v->external;
	if (v->certainty != KNOWN)
		return GUARD_EITHER;
	return (w->scratch.warp.predicates[i->guard] >> w->lane & 1) != i->guard_invert ? GUARD_TRUE : GUARD_FALSE;
}

/* ---- Computing ---- */

uint64_t walk_bits(const struct walk *w, slot_ref slot, uint32_t bytes)
{
	const void *at = slot_at(&w->scratch.warp, slot);

	return bytes == 8 ? ((const uint64_t *)at)[w->lane] : ((const uint32_t *)at)[w->lane];
}

bool walk_changes_nothing(const struct walk *w, const struct insn *i, uint64_t before)
{
	uint32_t bytes = i->access.bytes;
	uint64_t after = before, a, b;
	bool swaps = insn_is_swap(i);

	if (i->kind == INSN_STORE_UNLOCK || i->s[1] == SLOT_NONE /* a vector */ || i->s_bytes[1] != bytes)
		return false;
	a = walk_bits(w, i->s[1], bytes);
	if (swaps && a != before)
		return true;
	if (swaps && i->s_bytes[2] != bytes)
		return false;
	b = swaps ? walk_bits(w, i->s[2], bytes) : 0;
	if (i->kind == INSN_STORE)
		after = a;
	else
		atomic_apply((enum atomic_op)i->access.atomic, (enum ptx_type)i->access.type, &after, a, b);
	return before == after;
}

/* Operations by which the sum of a pointer and an unknown value is assumed to stay in the pointer's buffer. */
static bool keeps_buffer(const struct insn *i)
{
	switch (i->op) {
	case OP_add_int:
	case OP_sub_int:
	case OP_mad_wide:
	case OP_mad_lo:
	case OP_mov:
	case OP_cvta:
	case OP_cvta_to: return i->d_bytes == 8;
	default: return false;
	}
}

static bool find_base(const struct walk *w, const struct insn *i, uint64_t *base)
{
	for (uint32_t k = 0; k < INSN_SOURCES; k++) {
		if (i->s[k] == SLOT_NONE || i->s_bytes[k] != 8 || walk_slot_value(w, i->s[k]).certainty == UNKNOWN)
			continue;
		*base = ((const uint64_t *)slot_at(&w->scratch.warp, i->s[k]))[w->lane];
		if (space_find(w->core->machine->space, *base, 1))
			return true;
	}
	return false;
}

static bool is_opaque(const struct insn *i)
{
	return i->kind != INSN_PLAIN || ptx_ops[i->op].effects & EFFECT_CROSS_LANE || i->op == OP_activemask;
}

/* The only unknown source, if it is a predicate; 0: there is another one, or none. */
static uint32_t unknown_predicate(const struct walk *w, const struct insn *i)
{
	uint32_t found = 0;

	for (uint32_t k = i->scoreboard.writes; k < i->scoreboard.count; k++) {
		const struct value *source = &w->now[entry_of(w, i->scoreboard.slot[k])];

		if (source->certainty >= AS_IS)
			continue;
		if (found || !(i->scoreboard.slot[k] & SCOREBOARD_PREDICATE))
			return 0;
		found = i->scoreboard.slot[k] & ~SCOREBOARD_PREDICATE;
	}
	if (!found && i->ps && w->now[w->slots + i->ps].certainty < AS_IS)
		found = i->ps; /* a destination, too */
	return found == i->guard ? 0 : found;
}

/* The result is the same with either value of the one unknown predicate, as in `true or p`. */
static bool is_absorbed(struct walk *w, const struct insn *i)
{
	lane_mask lane = 1ull << w->lane, *p, results[2];
	uint32_t which = unknown_predicate(w, i);

	if (!which || i->pd == NO_PREDICATE || i->pd2 != NO_PREDICATE || i->d != SLOT_NONE || i->type == TYPE_PRED)
		return false;
	for (uint32_t k = 0; k < 2; k++) {
		p = &w->scratch.warp.predicates[which];
		*p = k ? *p | lane : *p & ~lane;
		i->exec(&w->scratch.warp, i, lane);
		results[k] = w->scratch.warp.predicates[i->pd] & lane;
	}
	return results[0] == results[1];
}

void walk_compute(struct walk *w, const struct insn *i)
{
	struct value in = walk_sources_of(w, i);
	uint64_t base;

	if (i->inserted == INSERTED_ARGUMENTS)
		return;
	if (is_opaque(i) || i->inserted == INSERTED_RETURNS) {
		walk_set_results(w, i, UNKNOWN, true);
	} else if (w->guard == GUARD_EITHER || ptx_ops[i->op].effects & EFFECT_CARRY) {
		walk_set_results(w, i, UNKNOWN, in.external);
	} else if (in.certainty >= AS_IS) {
		i->exec(&w->scratch.warp, i, 1ull << w->lane);
		walk_set_results(w, i, (enum certainty)in.certainty, in.external);
	} else if (is_absorbed(w, i)) {
		walk_set_results(w, i, w->frozen ? KNOWN : AS_IS, in.external);
	} else if (keeps_buffer(i) && find_base(w, i, &base)) {
		((uint64_t *)slot_at(&w->scratch.warp, i->d))[w->lane] = base;
		walk_set_results(w, i, BASED, in.external);
	} else {
		walk_set_results(w, i, UNKNOWN, in.external);
	}
}
