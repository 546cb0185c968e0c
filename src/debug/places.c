/* Places of a kernel's code by what people call them: lines, functions, numbers. */
#include "debug/engine.h"
#include "debug/lines.h"
#include "kernel/bits.h"
#include "util/demangle.h"

#include <inttypes.h>
#include <string.h>

/* Where the code of a line begins: each time that it is come to from another line, in the order of the code.  Returns
 * how many. */
static uint32_t set_line(struct debugger *d, const struct kernel *kernel, const struct source_line *line, uint64_t *pcs)
{
	uint32_t all, count = 0;
	const uint32_t *at = lines_pcs(&d->scratch, kernel, line, &all);

	for (uint32_t k = 0; k < all; k++)
		if (!k || at[k] != at[k - 1] + 1) {
			bits_add(pcs, at[k]);
			count++;
		}
	return count;
}

/* `file` null: that of the module's code. */
static const char *find_line(
	struct debugger *d, const struct kernel *kernel, const char *file, uint64_t line, uint64_t *pcs)
{
	struct diagnostic diagnostic = {0};
	struct source_line found;
	struct text words = {.arena = &d->arena};

	if (!line || line > UINT32_MAX) {
		command_refuse(d, "", "a line from 1 on");
		return NULL;
	}
	if (!lines_find(kernel->module, file, (uint32_t)line, &found, &diagnostic)) {
		text_print(&d->out, "%s\n", diagnostic.message);
		return NULL;
	}
	uint32_t count = set_line(d, kernel, &found, pcs);

	lines_print(&words, &found);
	if (!count) {
		text_print(&d->out, "no instruction of this kernel is of %s\n", words.at);
		return NULL;
	}
	if (count > 1)
		text_print(&words, ", %u places", count);
	return words.at;
}

/* Where its parameters are in their places. */
static uint32_t body_of(const struct kernel *kernel, const struct kernel_function *f)
{
	uint32_t body = lines_body(f->ptx), pc = f->first_pc;

	while (pc + 1 < f->first_pc + f->count && kernel->code[pc].source < body)
		pc++;
	return pc;
}

const char *places_find(struct debugger *d, const struct kernel *kernel, const char *words, uint64_t *pcs)
{
	const char *colon = strrchr(words, ':');
	uint64_t number;

	if (*words == '*' && text_to_u64(words + 1, &number) && number < kernel->code_count) {
		struct text name = {.arena = &d->arena};

		bits_add(pcs, (uint32_t)number);
		kernel_name_pc(&name, kernel, (uint32_t)number);
		return name.at;
	}
	if (text_to_u64(words, &number))
		return find_line(d, kernel, NULL, number, pcs);
	if (colon && text_to_u64(colon + 1, &number))
		return find_line(d, kernel, arena_copy(&d->scratch, words, (size_t)(colon - words)), number, pcs);
	for (uint32_t f = 0; *words && f < kernel->function_count; f++)
		if (demangle_is(kernel->functions[f].ptx->name, words)) {
			bits_add(pcs, body_of(kernel, &kernel->functions[f]));
			return arena_printf(&d->arena, "function %s", words);
		}
	command_refuse(d, words, "FILE:LINE, LINE, a function of the kernel, or *PC that `code` lists");
	return NULL;
}
