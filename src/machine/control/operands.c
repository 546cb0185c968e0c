/* Instructions of firmware: which it may have, what they read and write, and where the values are. */
#include "machine/control/processor.h"

#include "kernel/kernel.h"
#include "policy/coherence/access.h"

#include <assert.h>
#include <string.h>

/* ---- What an instruction is ---- */

static bool uses_carry(const struct insn *i)
{
	switch (i->op) {
	case OP_add_cc:
	case OP_sub_cc:
	case OP_mad_lo_cc:
	case OP_mad_hi_cc: return true;
	default: return ptx_ops[i->op].effects & EFFECT_CARRY;
	}
}

/* 128 bits lie in four slots, of which the scoreboard lists those that are written. */
static bool is_wide(const struct insn *i)
{
	bool wide = i->d_bytes == 16 || i->access.register_bytes == 16 || i->access.bytes == 16;

	for (uint32_t k = 0; k < INSN_SOURCES; k++)
		wide |= i->s_bytes[k] == 16;
	return wide;
}

static bool may_overlap(const struct insn *i)
{
	switch (i->kind) {
	case INSN_PLAIN: return i->inserted < INSERTED_ARGUMENTS && !uses_carry(i);
	case INSN_BRANCH: return true;
	case INSN_LOAD:
	case INSN_STORE: return i->access.order != order_RELEASE && !l1_acquires(&i->access); /* it orders no others */
	default: return false;
	}
}

static uint32_t latency_of(const struct gpu_model *m, const struct insn *i)
{
	switch (i->latency) {
	case LATENCY_INT_MUL:
	case LATENCY_INT_MAD: return m->control_multiply;
	case LATENCY_INT_DIV:
	case LATENCY_FP_DIV:
	case LATENCY_DP_DIV:
	case LATENCY_SFU: return m->control_divide;
	case LATENCY_FP_ADD:
	case LATENCY_FP_MUL:
	case LATENCY_FP_MAD:
	case LATENCY_DP_ADD:
	case LATENCY_DP_MUL:
	case LATENCY_DP_MAD: return m->control_float;
	default: return 1;
	}
}

/* The window's number of a scoreboard entry: slots, then predicates. */
static uint16_t number_of(const struct kernel *kernel, uint16_t entry)
{
	uint32_t slots = kernel->slot_count + kernel->frame_slots_max;

	assert(entry & SCOREBOARD_PREDICATE || entry < slots);
	return entry & SCOREBOARD_PREDICATE ? (uint16_t)(slots + (entry & ~SCOREBOARD_PREDICATE)) : entry;
}

/* Whether it also reads what it writes: the scoreboard has that once, among the destinations. */
static bool reads_too(const struct kernel *kernel, const struct insn *i, uint16_t entry)
{
	bool of_predicates = i->type == TYPE_PRED && !i->inserted && i->kind == INSN_PLAIN;
	bool is_predicate = entry & SCOREBOARD_PREDICATE;
	uint32_t number = entry & ~SCOREBOARD_PREDICATE;

	if (i->flags & INSN_GUARDED || i->extra) /* what it does not write stays as it was */
		return true;
	for (uint32_t k = 0; k < INSN_SOURCES; k++) {
		slot_ref s = i->s[k];

		if (s == SLOT_NONE)
			continue;
		if (of_predicates
				? is_predicate && (s & ~PREDICATE_INVERT) == number
				: !is_predicate && !(s & SLOT_CONSTANT) && (s & SLOT_OFFSET) / kernel->lanes == number)
			return true;
	}
	return is_predicate && i->ps == number;
}

struct control_code control_code_of(const struct gpu_model *model, const struct kernel *kernel, const struct insn *i)
{
	struct control_code code = {.latency = latency_of(model, i)};
	struct window_entry *like = &code.like;
	uint32_t writes = i->scoreboard.writes;

	like->kind = i->kind == INSN_LOAD ? WINDOW_LOAD : i->kind == INSN_STORE ? WINDOW_STORE : WINDOW_PLAIN;
	code.lone = !may_overlap(i) || is_wide(i) || (i->extra && kernel->extras[i->extra].more_scoreboard_count);
	if (code.lone) {
		like->kind = WINDOW_PLAIN;
		return code;
	}
	assert(writes <= i->scoreboard.count);
	assert(i->scoreboard.count <= WINDOW_REGISTERS);
	for (uint32_t k = 0; k < writes; k++)
		like->writes[like->write_count++] = number_of(kernel, i->scoreboard.slot[k]);
	for (uint32_t k = 0; k < i->scoreboard.count; k++)
		if (k >= writes || reads_too(kernel, i, i->scoreboard.slot[k]))
			like->reads[like->read_count++] = number_of(kernel, i->scoreboard.slot[k]);
	return code;
}

/* ---- What a kernel must not have to be firmware ---- */

static bool is_refused(const struct insn *i)
{
	switch (i->kind) {
	case INSN_PLAIN: return ptx_ops[i->op].effects & EFFECT_CROSS_LANE;
	case INSN_LOAD:
	case INSN_STORE:
	case INSN_ATOMIC:
		return i->access.space == space_SHARED || i->access.space == space_SURFACE ||
		       (i->kind == INSN_ATOMIC && i->access.elements > 1);
	case INSN_CLOCK:
	case INSN_BRANCH:
	case INSN_INDEXED:
	case INSN_CALL:
	case INSN_CALL_INDIRECT:
	case INSN_RETURN:
	case INSN_EXIT:
	case INSN_NANOSLEEP:
	case INSN_TRAP:
	case INSN_BREAKPOINT:
	case INSN_FENCE:
	case INSN_FIRMWARE: return false;
	default: return true;
	}
}

const char *control_refuses(struct arena *arena, const struct kernel *kernel)
{
	for (uint32_t pc = 0; pc < kernel->code_count; pc++)
		if (is_refused(&kernel->code[pc])) {
			struct place place = kernel_place(kernel, pc);

			return arena_printf(arena, "%s:%u: firmware %s: the control processor has nothing for this: %s",
				place.file, place.line, kernel->entry->name, kernel_text(arena, kernel, pc));
		}
	return NULL;
}

/* ---- Values ---- */

static uint32_t slots_of(const struct control_processor *c)
{
	return c->registers.kept.kernel->slot_count + c->registers.kept.kernel->frame_slots_max;
}

/* The narrow and the wide register of a slot are at the same place, each in its bank. */
static struct control_value value_in(const struct control_processor *c, const struct warp *w, uint16_t number)
{
	struct control_value value = {0};
	uint32_t slots = slots_of(c);

	assert(number < c->window.register_count);
	if (number >= slots) {
		value.narrow = w->predicates[number - slots] & 1;
		return value;
	}
	value.narrow = w->bank[0][number * w->lanes];
	memcpy(&value.wide, &w->bank[1][number * w->lanes], sizeof value.wide);
	return value;
}

static void put_value(const struct control_processor *c, struct warp *w, uint16_t number, const struct control_value *v)
{
	uint32_t slots = slots_of(c);

	assert(number < c->window.register_count);
	if (number >= slots) {
		w->predicates[number - slots] = v->narrow;
		return;
	}
	w->bank[0][number * w->lanes] = v->narrow;
	memcpy(&w->bank[1][number * w->lanes], &v->wide, sizeof v->wide);
}

void control_put_operands(struct control_processor *c, const struct window_entry *entry)
{
	for (uint32_t k = 0; k < entry->read_count; k++) {
		const struct window_entry *producer = window_find(&c->window, entry->producer[k]);
		struct control_value value;

		if (producer) {
			uint32_t which = 0;

			assert(producer->write_count);
			assert(producer->begun);
			assert(producer->number < entry->number);
			while (producer->writes[which] != entry->reads[k])
				which++;
			value = control_flight(c, producer->number)->results[which];
		} else {
			value = value_in(c, &c->registers.kept, entry->reads[k]);
		}
		put_value(c, &c->registers.trial, entry->reads[k], &value);
	}
}

void control_take_results(struct control_processor *c, const struct window_entry *entry)
{
	struct control_flight *flight = control_flight(c, entry->number);

	assert(entry->begun == false || flight->insn->kind == INSN_LOAD || flight->lone);
	for (uint32_t k = 0; k < entry->write_count; k++)
		flight->results[k] = value_in(c, &c->registers.trial, entry->writes[k]);
}

void control_keep_results(struct control_processor *c, const struct window_entry *entry)
{
	const struct control_flight *flight = control_flight(c, entry->number);

	assert(entry->begun);
	assert(entry->done_at <= c->cycle);
	for (uint32_t k = 0; k < entry->write_count; k++)
		put_value(c, &c->registers.kept, entry->writes[k], &flight->results[k]);
}

/* ---- Frames ---- */

static void move_frame(struct warp *w, const struct path *path)
{
	assert(path->stack_base <= w->local_bytes);
	w->bank[0] = w->registers + path->register_base;
	w->bank[1] = w->wide_registers + path->register_base;
	w->predicates = w->predicate_file + path->predicate_base;
	w->predicates[0] = ~0ull;
	w->stack_base = path->stack_base;
}

void control_frame_moved(struct control_processor *c)
{
	move_frame(&c->registers.kept, &c->registers.path);
	move_frame(&c->registers.trial, &c->registers.path);
}
