/* Which registers instructions read and write, and sets of registers spread over code: see registers.h. */
#include "kernel/registers.h"

#include "kernel/bits.h"
#include "kernel/operand.h"

#include <string.h>

/* Where registers are, in the order of visits. */
enum { GUARD, SOURCES, ARGUMENTS, DESTINATIONS, RETURNS, LISTS };

/* The operand itself is element 0.  Registers of addresses are read even where the operand is a destination. */
static bool find_in_operand(struct register_use *use, const struct ptx_operand *o)
{
	uint32_t count = o->kind == OPERAND_VECTOR || o->kind == OPERAND_ADDRESS ? o->count : 0;
	bool writes = use->list >= DESTINATIONS && o->kind != OPERAND_ADDRESS;
	while (use->element <= count) {
		const struct ptx_operand *e = use->element ? &o->element[use->element - 1] : o;
		use->element++;
		if (e->kind != OPERAND_REGISTER && (e->kind != OPERAND_ADDRESS || !e->reg))
			continue;
		use->reg = e->reg;
		use->is_write = writes && !use->of->guard;
		use->writes_next = writes && use->of->guard;
		return true;
	}
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
		use->reg = i->guard;
		if (i->guard)
			return true;
	}
	for (; use->list < LISTS; use->list++, use->operand = 0) {
		bool of_call = use->list == ARGUMENTS || use->list == RETURNS;
		const struct ptx_operand *list = use->list == ARGUMENTS ? i->arguments : i->returns;
		uint32_t count = use->list == ARGUMENTS ? i->argument_count : i->return_count;
		if (!of_call) {
			list = i->operand;
			count = i->operand_count;
		}
		for (; use->operand < count; use->operand++, use->element = 0)
			if ((of_call || operand_is_destination(i, use->operand) == (use->list == DESTINATIONS)) &&
				find_in_operand(use, &list[use->operand]))
				return true;
	}
	return false;
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

void registers_spread_kept(const struct flow *flow, const struct flow_loop *loop, uint64_t *set, registers_keep *keeps)
{
	struct arena scratch = {0};
	uint32_t words = bits_words(flow->function->registers.count);
	uint64_t *first = arena_new_array(&scratch, uint64_t, words),
		 *lost = arena_new_array(&scratch, uint64_t, words);
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
	arena_free(&scratch);
}
