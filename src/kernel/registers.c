/* Which registers instructions read and write, and sets of registers spread over code: see registers.h. */
#include "kernel/registers.h"

#include "kernel/bits.h"
#include "kernel/operand.h"

#include <string.h>

/* Where registers are, in the order of visits. */
enum { GUARD, SOURCES, ARGUMENTS, DESTINATIONS, RETURNS };

static bool found(struct register_use *use, struct ptx_register *reg, bool is_written)
{
	bool is_read = use->of->guard || operand_accumulates(use->of);

	use->reg = reg;
	use->is_write = is_written && !is_read;
	use->writes_next = is_written && is_read;
	return true;
}

/* From use->element on, of a vector, or an address: that one's base, which is element 0, and its coordinates are read
 * even where the operand is a destination. */
static bool find_element(struct register_use *use, const struct ptx_operand *o)
{
	bool is_vector = o->kind == OPERAND_VECTOR;
	if (!use->element) {
		use->element = 1;
		if (o->reg)
			return found(use, o->reg, false);
	}
	while (use->element <= o->count) {
		const struct ptx_operand *e = &o->element[use->element++ - 1];
		if (e->kind == OPERAND_REGISTER)
			return found(use, e->reg, is_vector && use->list >= DESTINATIONS);
	}
	return false;
}

static bool find_in_list(struct register_use *use, const struct ptx_operand *list, uint32_t count, uint32_t among)
{
	for (; use->operand < count; use->operand++, use->element = 0) {
		const struct ptx_operand *o = &list[use->operand];
		if (!(among >> (use->operand & 31) & 1))
			continue;
		if (o->kind == OPERAND_REGISTER && !use->element++)
			return found(use, o->reg, use->list >= DESTINATIONS);
		if ((o->kind == OPERAND_VECTOR || o->kind == OPERAND_ADDRESS) && find_element(use, o))
			return true;
	}
	use->list++;
	use->operand = 0;
	return false;
}

bool register_next(struct register_use *use)
{
	const struct ptx_instruction *i = use->of;
	if (use->writes_next) {
		use->writes_next = false;
		use->is_write = true;
		return true;
	}
	if (use->list == GUARD) {
		use->list = SOURCES;
		use->destinations = operand_destinations(i);
		if (i->guard)
			return found(use, i->guard, false);
	}
	return (use->list == SOURCES && find_in_list(use, i->operand, i->operand_count, ~use->destinations)) ||
	       (use->list == ARGUMENTS && find_in_list(use, i->arguments, i->argument_count, UINT32_MAX)) ||
	       (use->list == DESTINATIONS && find_in_list(use, i->operand, i->operand_count, use->destinations)) ||
	       (use->list == RETURNS && find_in_list(use, i->returns, i->return_count, UINT32_MAX));
}

bool registers_read_any(const struct ptx_instruction *i, const uint64_t *set)
{
	for (struct register_use use = {.of = i}; register_next(&use);)
		if (!use.is_write && bits_has(set, use.reg->index))
			return true;
	return false;
}

bool registers_read_only(const struct ptx_instruction *i, const uint64_t *set)
{
	for (struct register_use use = {.of = i}; register_next(&use);)
		if (!use.is_write && !bits_has(set, use.reg->index))
			return false;
	return true;
}

bool registers_write_any(const struct ptx_instruction *i, const uint64_t *set)
{
	for (struct register_use use = {.of = i}; register_next(&use);)
		if (use.is_write && bits_has(set, use.reg->index))
			return true;
	return false;
}

static bool add(const struct ptx_instruction *i, uint64_t *set, bool is_write)
{
	bool grew = false;
	for (struct register_use use = {.of = i}; register_next(&use);)
		if (use.is_write == is_write) {
			grew |= !bits_has(set, use.reg->index);
			bits_add(set, use.reg->index);
		}
	return grew;
}

bool registers_add_written(const struct ptx_instruction *i, uint64_t *set)
{
	return add(i, set, true);
}

bool registers_add_read(const struct ptx_instruction *i, uint64_t *set)
{
	return add(i, set, false);
}

void registers_remove_written(const struct ptx_instruction *i, uint64_t *set)
{
	for (struct register_use use = {.of = i}; register_next(&use);)
		if (use.is_write)
			bits_remove(set, use.reg->index);
}

void registers_spread(const struct flow *flow, const struct flow_loop *loop, uint64_t *set)
{
	for (bool grew = true; grew;) {
		grew = false;
		each_pc(k, flow, loop)
		{
			const struct ptx_instruction *i = &flow->function->code.at[k];
			if (registers_read_any(i, set))
				grew |= registers_add_written(i, set);
		}
	}
}

void registers_spread_kept(
	const struct flow *flow, const struct flow_loop *loop, uint64_t *set, registers_keep *keeps, uint64_t *room)
{
	uint32_t words = bits_words(flow->function->registers.count);
	uint64_t *first = room, *lost = room + words;
	memcpy(first, set, words * sizeof *set);
	for (bool changed = true; changed;) {
		changed = false;
		memset(lost, 0, words * sizeof *lost);
		each_pc(k, flow, loop)
		{
			const struct ptx_instruction *i = &flow->function->code.at[k];
			if (!keeps(i, set))
				registers_add_written(i, lost);
		}
		for (uint32_t w = 0; w < words; w++) {
			uint64_t kept = first[w] | ~lost[w];
			changed |= set[w] != kept;
			set[w] = kept;
		}
	}
}
