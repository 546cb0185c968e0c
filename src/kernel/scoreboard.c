/* The slots and predicates that an instruction waits for and writes, and how many words of registers it reads and
 * writes. */
#include "kernel/decode.h"
#include "kernel/registers.h"

#include <string.h>

/* A register of the instruction that is in a web (pairs.h). */
struct in_web {
	uint32_t slot, waits_for, words;
	bool is_write;
};

#define MORE_ENTRIES 160 /* wgmma has 128 registers of sums, 4 of A, and descriptors */

struct list {
	struct decoder *d;
	struct insn *insn;
	uint16_t more[MORE_ENTRIES];
	uint32_t more_count;
	bool is_write;
	VECTOR(struct in_web) in_web;
};

static void add_entry(struct list *list, uint16_t entry)
{
	struct insn *insn = list->insn;
	for (uint32_t k = 0; k < insn->scoreboard.count; k++)
		if (insn->scoreboard.slot[k] == entry && (!list->is_write || k < insn->scoreboard.writes)) {
			bool is_updated = !list->is_write && k < insn->scoreboard.writes;

			insn->scoreboard.updated |= (uint8_t)(is_updated << k);
			return;
		}
	if (insn->scoreboard.count < INSN_SCOREBOARD) {
		insn->scoreboard.slot[insn->scoreboard.count++] = entry;
		insn->scoreboard.writes = (uint8_t)(insn->scoreboard.writes + list->is_write);
	} else if (list->more_count < MORE_ENTRIES) {
		list->more[list->more_count++] = entry;
	}
}

/* Warp constants are there from the start and never written, so nobody waits for them. */
static bool is_warp_constant(const struct list *list, slot_ref slot)
{
	const struct decoder *d = list->d;
	for (uint32_t k = 0; d->function_index == 0 && k < d->warp_constants.count; k++)
		if (d->warp_constants.at[k].word == slot)
			return true;
	return false;
}

static void count_words(struct list *list, uint32_t bytes)
{
	uint8_t *words = list->is_write ? &list->insn->writes : &list->insn->reads;
	*words = (uint8_t)(*words + bytes / 4);
}

/* Notes which of the registers of the instruction at hand are in webs. */
static void find_webs(struct list *list)
{
	const struct function_state *function = list->d->function;
	const struct assignment *a = function->slots;
	if (!a->waits_for || list->d->instruction >= function->ptx->code.count)
		return;
	for (struct register_use use = {.of = &function->ptx->code.at[list->d->instruction]}; register_next(&use);)
		if (a->waits_for[use.reg->index] != NO_SLOT)
			*vector_push(list->d->arena, &list->in_web) = (struct in_web){a->slot[use.reg->index],
				a->waits_for[use.reg->index], type_slot_bytes(use.reg->type) / 4, use.is_write};
}

/* Where the register's ready times are if it is in a web, else NO_SLOT. */
static uint32_t web_slot(const struct list *list, uint32_t slot)
{
	for (uint32_t k = 0; k < list->in_web.count; k++)
		if (list->in_web.at[k].slot == slot && list->in_web.at[k].is_write == list->is_write)
			return list->in_web.at[k].waits_for;
	return NO_SLOT;
}

static void add_slots(struct list *list, uint32_t slot, uint32_t count)
{
	for (uint32_t k = 0; k < count; k++)
		add_entry(list, (uint16_t)(slot + k));
}

static void add_slot(struct list *list, slot_ref slot, uint32_t bytes)
{
	uint32_t words = bytes / 4, own = (slot & SLOT_OFFSET) / list->d->kernel->lanes, in_web;
	if (slot == SLOT_NONE || (slot & SLOT_CONSTANT))
		return;
	count_words(list, bytes);
	if (is_warp_constant(list, slot))
		return;
	in_web = web_slot(list, own);
	if (in_web != NO_SLOT)
		add_slots(list, in_web, words);
	/* Where results may come later, from memory, the registers themselves are outstanding, too, for readers of what
	 * they hold (ahead.c). */
	if (in_web == NO_SLOT || (list->is_write && list->insn->kind != INSN_PLAIN && list->insn->kind != INSN_SYNC))
		add_slots(list, own, list->is_write ? words : 1);
}

static void add_predicate(struct list *list, uint32_t predicate)
{
	if (predicate && predicate != NO_PREDICATE)
		add_entry(list, (uint16_t)(SCOREBOARD_PREDICATE | predicate));
}

/* Vectors are results of loads, of atomics, and of a mov that takes a value apart. */
static bool vector_is_written(const struct insn *insn)
{
	return insn_kinds[insn->kind].flags & KIND_VECTOR || (insn->kind == INSN_PLAIN && insn->d == SLOT_NONE);
}

static void add_vector(struct list *list, const struct insn_extra *extra)
{
	const struct insn *insn = list->insn;
	bool is_access = insn_kinds[insn->kind].flags & KIND_VECTOR;
	uint32_t bytes = is_access ? insn->access.register_bytes : insn->s_bytes[0] == 16 ? 8 : 4;
	for (uint32_t k = 0; k < extra->vector_count; k++)
		add_slot(list, extra->vector[k], bytes);
}

static void add_coordinates(struct list *list, const struct insn_extra *extra)
{
	for (uint32_t k = 0; k < extra->coordinate_count; k++)
		add_slot(list, extra->coordinates[k], 4);
	for (uint32_t k = 0; k < extra->gradient_count; k++) {
		add_slot(list, extra->gradients[0][k], 4);
		add_slot(list, extra->gradients[1][k], 4);
	}
}

/* The sums of wgmma are read, too; they have no ready time, since wait_group is what waits for them. */
static bool matrix_is_written(const struct insn_matrix *matrix, uint32_t part)
{
	uint8_t kind = matrix->shape.kind;
	return part == MATRIX_D && kind != MATRIX_STORE && kind != MATRIX_ROWS_STORE && kind != MATRIX_GROUP_MULTIPLY;
}

static void add_matrix(struct list *list, const struct insn_matrix *matrix)
{
	for (uint32_t part = 0; matrix && part < MATRIX_PARTS; part++)
		for (uint32_t k = 0; k < matrix->count[part] && matrix_is_written(matrix, part) == list->is_write; k++)
			add_slot(list, matrix->slot[part][k], matrix->bytes[part]);
}

static void add_copies(struct list *list, const struct insn_extra *extra)
{
	for (uint32_t k = 0; k < extra->argument_count && !list->is_write; k++)
		if (!extra->arguments[k].from_stack)
			add_slot(list, extra->arguments[k].from, extra->arguments[k].from_bytes);
	for (uint32_t k = 0; k < extra->return_count && list->is_write; k++)
		if (!extra->returns[k].to_stack)
			add_slot(list, extra->returns[k].to, extra->returns[k].to_bytes);
}

/* What the extra has beside the instruction's own operands, written or read. */
static void add_extra(struct list *list, const struct insn_extra *extra)
{
	if (extra->vector_count && vector_is_written(list->insn) == list->is_write)
		add_vector(list, extra);
	for (uint32_t k = 0; !list->is_write && k < extra->value_count; k++)
		add_slot(list, extra->values[k], list->insn->access.register_bytes);
	if (!list->is_write)
		add_coordinates(list, extra);
	add_copies(list, extra);
	add_matrix(list, extra->matrix);
}

/* It gives nothing a new ready time.  It may not happen while memory has yet to give what it reads, or to fill the
 * registers that it writes, for an instruction before. */
static void add_vanishing(struct list *list)
{
	list->insn->flags |= INSN_VANISHES;
	list->is_write = false;
	for (uint32_t k = 0; k < list->in_web.count; k++) {
		const struct in_web *w = &list->in_web.at[k];
		add_slots(list, w->waits_for, w->words);
		if (w->is_write)
			add_slots(list, w->slot, w->words);
	}
}

static bool vanishes(const struct decoder *d, const struct insn *insn)
{
	return d->function->slots->vanishes && d->function->slots->vanishes[d->instruction] && insn->op == OP_mov &&
	       !insn->inserted;
}

void decode_scoreboard(struct decoder *d, struct insn *insn)
{
	struct list list = {.d = d, .insn = insn, .is_write = true};
	const struct insn_extra *extra = insn->extra ? &d->extras.at[insn->extra] : NULL;
	bool predicate_row = insn->type == TYPE_PRED && !insn->inserted && insn->kind == INSN_PLAIN;
	find_webs(&list);
	if (vanishes(d, insn)) {
		add_vanishing(&list);
		return;
	}
	add_slot(&list, insn->d, insn->d_bytes);
	add_predicate(&list, insn->pd);
	add_predicate(&list, insn->pd2);
	if (extra)
		add_extra(&list, extra);
	list.is_write = false;
	add_predicate(&list, insn->guard);
	add_predicate(&list, insn->ps);
	for (uint32_t k = 0; k < INSN_SOURCES; k++)
		if (!predicate_row)
			add_slot(&list, insn->s[k], insn->s_bytes[k]);
		else if (insn->s[k] != SLOT_NONE)
			add_predicate(&list, insn->s[k] & ~PREDICATE_INVERT);
	if (extra)
		add_extra(&list, extra);
	if (list.more_count) {
		struct insn_extra *more = decode_extra(d, insn);
		more->more_scoreboard = arena_new_array(d->arena, uint16_t, list.more_count);
		more->more_scoreboard_count = list.more_count;
		memcpy(more->more_scoreboard, list.more, list.more_count * sizeof *list.more);
	}
}
