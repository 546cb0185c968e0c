/* Register slots by liveness.
 *
 * Registers are placed in order of first life (lives.h), each in the lowest slot whose tenants are all dead meanwhile.
 * A result may take the slot of a source that dies in the same instruction only if
 * exec goes lane by lane over slots of one width; all others would overwrite what another lane, or another element, has
 * yet to read.  For the same reason 64- and 128-bit registers are aligned to their size: two of them overlap wholly or
 * not at all.  Lanes on diverged paths may use a shared slot at the same time; slot_ref says why that is safe. */
#include "kernel/assign.h"

#include "kernel/lives.h"
#include "kernel/operand.h"
#include "kernel/pairs.h"

#include <stdlib.h>
#include <string.h>

/* The slots of a kind; of each, when it has tenants, who do not overlap. */
struct file {
	VECTOR(struct life) slots;
};

static bool is_free(const struct life *slot, const struct life *life)
{
	for (uint32_t s = 0; s < life->segments.count; s++) {
		uint32_t at = lives_first_behind(slot, life->segments.at[s].start);
		if (at < slot->segments.count && slot->segments.at[at].start < life->segments.at[s].end)
			return false;
	}
	return true;
}

static void occupy(struct arena *arena, struct life *slot, const struct life *life)
{
	for (uint32_t s = 0; s < life->segments.count; s++) {
		uint32_t at = lives_first_behind(slot, life->segments.at[s].start);
		vector_push(arena, &slot->segments);
		memmove(&slot->segments.at[at + 1], &slot->segments.at[at],
			(slot->segments.count - 1 - at) * sizeof(struct segment));
		slot->segments.at[at] = life->segments.at[s];
	}
}

static bool fits(const struct file *file, uint32_t first, uint32_t width, const struct life *life)
{
	for (uint32_t k = first; k < first + width && k < file->slots.count; k++)
		if (!is_free(&file->slots.at[k], life))
			return false;
	return true;
}

static uint32_t place(struct arena *arena, struct file *file, uint32_t lowest, uint32_t width, const struct life *life)
{
	uint32_t slot = (lowest + width - 1) / width * width;
	while (!fits(file, slot, width, life))
		slot += width;
	while (file->slots.count < slot + width)
		vector_push(arena, &file->slots);
	for (uint32_t k = slot; k < slot + width; k++)
		occupy(arena, &file->slots.at[k], life);
	return slot;
}

static int by_start(const void *a, const void *b)
{
	const struct life *left = *(const struct life *const *)a, *right = *(const struct life *const *)b;
	uint32_t l = left->segments.at[0].start, r = right->segments.at[0].start;
	if (l != r)
		return l < r ? -1 : 1;
	return left->reg->index < right->reg->index ? -1 : left->reg->index > right->reg->index;
}

bool formal_is_register(const struct ptx_variable *formal)
{
	return formal->space == space_NONE;
}

const struct ptx_variable *formal_of(const struct ptx_prototype *signature, uint32_t formal)
{
	uint32_t parameters = signature->parameter_count;
	return formal < parameters ? signature->parameters[formal] : signature->returns[formal - parameters];
}

uint32_t formal_slot(const struct ptx_prototype *signature, uint32_t formal)
{
	uint32_t slot = 0;
	for (uint32_t k = 0;; k++) {
		const struct ptx_variable *variable = formal_of(signature, k);
		uint32_t width = formal_is_register(variable) ? type_slot_bytes(variable->type) / 4 : 0;
		if (width)
			slot = (slot + width - 1) / width * width;
		if (k == formal)
			return slot;
		slot += width;
	}
}

/* Formals keep their slots for the whole function: the caller writes them before and reads them after it. */
static void place_formals(struct arena *arena, const struct ptx_function *function, struct file *file, uint32_t *slot)
{
	const struct ptx_prototype *signature = &function->signature;
	static const struct segment always = {0, UINT32_MAX};
	struct life life = {0};
	if (function->is_entry || !function->formal_registers)
		return;
	*vector_push(arena, &life.segments) = always;
	for (uint32_t k = 0; k < signature->parameter_count + signature->return_count; k++)
		if (function->formal_registers[k])
			slot[function->formal_registers[k]->index] = place(arena, file, formal_slot(signature, k),
				type_slot_bytes(function->formal_registers[k]->type) / 4, &life);
}

/* Webs have a pair of slots for their ready times alone: their registers, which may be alive at once, keep their own.
 */
static void place_webs(struct arena *arena, const struct pairs *pairs, struct file *file, uint32_t lowest,
	struct assignment *a, uint32_t count)
{
	if (!pairs->half)
		return;
	a->vanishes = pairs->vanishes;
	a->waits_for = arena_new_array(arena, uint32_t, count);
	for (uint32_t r = 0; r < count; r++)
		a->waits_for[r] = NO_SLOT;
	for (uint32_t k = 0; k < pairs->webs.count; k++) {
		const struct web *web = &pairs->webs.at[k];
		uint32_t slot = web->members.count ? place(arena, file, lowest, 2, &web->life) : NO_SLOT;
		for (uint32_t m = 0; m < web->members.count; m++)
			a->waits_for[web->members.at[m]] = slot + (pairs->half[web->members.at[m]] == HALF_HIGH);
	}
}

struct assignment *assign_slots(struct arena *arena, const struct flow *flow, uint32_t reserved)
{
	uint32_t count = flow->function->registers.count, lives = 0;
	struct assignment *a = arena_new(arena, struct assignment);
	struct file registers = {0}, predicates = {0};
	a->slot = arena_new_array(arena, uint32_t, count);
	a->dead_result = arena_new_array(arena, bool, flow->function->code.count);
	a->dead_predicate = arena_new_array(arena, bool, flow->function->code.count);
	for (uint32_t r = 0; r < count; r++)
		a->slot[r] = NO_SLOT;
	struct life *life = lives_gather(arena, flow, a);
	struct life **order = arena_new_array(arena, struct life *, count);
	for (uint32_t r = 0; r < count; r++)
		if (life[r].segments.count)
			order[lives++] = &life[r];
	if (lives)
		qsort(order, lives, sizeof *order, by_start);
	place_formals(arena, flow->function, &registers, a->slot);
	for (uint32_t k = 0; k < lives; k++) {
		struct ptx_register *reg = order[k]->reg;
		uint32_t width = type_slot_bytes(reg->type) / 4;
		if (a->slot[reg->index] == NO_SLOT)
			a->slot[reg->index] = width ? place(arena, &registers, reserved, width, order[k])
						    : place(arena, &predicates, 1, 1, order[k]);
	}
	place_webs(arena, pairs_find(arena, flow, life), &registers, reserved, a, count);
	a->slot_count = registers.slots.count > reserved ? registers.slots.count : reserved;
	a->predicate_count = predicates.slots.count ? predicates.slots.count : 1;
	return a;
}
