/* The functions of a kernel: the entry and all that it can reach by calls, by pointers that it makes, and, when it
 * calls through a pointer, by pointers made elsewhere. */
#include "kernel/decode.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void decode_error(struct decoder *d, const struct ptx_instruction *instruction, const char *format, ...)
{
	char message[512];
	va_list list;
	va_start(list, format);
	vsnprintf(message, sizeof message, format, list);
	va_end(list);
	struct place place = {.file = d->module->file};
	if (instruction) {
		place.line = instruction->line;
		place.column = instruction->column;
	}
	diagnose(d->diagnostic, place, "%s", message);
}

static void add(struct decoder *d, const struct ptx_function *function)
{
	if (!function || !function->is_defined || is_lock_function(function) ||
		d->index_of[function->index] != NO_FUNCTION)
		return;
	d->index_of[function->index] = d->functions.count;
	vector_push(d->arena, &d->functions)->ptx = function;
}

/* A call through a pointer may reach any function whose address is taken anywhere in the module. */
static void add_pointed(struct decoder *d)
{
	for (uint32_t f = 0; f < d->module->functions.count; f++)
		if (d->module->functions.at[f]->address_taken && !d->module->functions.at[f]->is_entry)
			add(d, d->module->functions.at[f]);
}

/* Another kernel is named to be launched: it cannot be called. */
static void add_named(struct decoder *d, const struct ptx_operand *operand)
{
	if (operand->kind == OPERAND_FUNCTION && operand->function && !operand->function->is_entry)
		add(d, operand->function);
}

static void follow(struct decoder *d, const struct ptx_instruction *i)
{
	for (uint32_t k = 0; k < i->operand_count; k++)
		add_named(d, &i->operand[k]);
	for (uint32_t k = 0; k < i->argument_count; k++)
		add_named(d, &i->arguments[k]);
	if (instruction_kind(i) != INSN_CALL || i->operand[0].kind == OPERAND_FUNCTION)
		return;
	const struct ptx_prototype *prototype = i->operand[1].prototype;
	if (!prototype || !prototype->targets)
		add_pointed(d);
	for (uint32_t k = 0; prototype && k < prototype->target_count; k++)
		add(d, prototype->targets[k]);
}

void reach_functions(struct decoder *d)
{
	d->index_of = arena_new_array(d->arena, uint32_t, d->module->functions.count);
	memset(d->index_of, 0xff, d->module->functions.count * sizeof *d->index_of);
	add(d, d->kernel->entry);
	for (uint32_t f = 0; f < d->functions.count; f++)
		for (uint32_t k = 0; k < d->functions.at[f].ptx->code.count; k++)
			follow(d, &d->functions.at[f].ptx->code.at[k]);
}
