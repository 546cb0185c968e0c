/* Places of a kernel's code by what people call them: lines, functions, numbers. */
#include "debug/engine.h"
#include "kernel/bits.h"
#include "util/demangle.h"

#include <inttypes.h>
#include <string.h>

static bool is_file(const char *file, const char *called)
{
	size_t length = file ? strlen(file) : 0, tail = strlen(called);

	return length >= tail && !strcmp(file + length - tail, called) &&
	       (length == tail || file[length - tail - 1] == '/');
}

/* The file of the kernel's first instruction that has a place. */
static const char *first_file(const struct kernel *kernel)
{
	for (uint32_t pc = 0; pc < kernel->code_count; pc++)
		if (kernel_place(kernel, pc).file)
			return kernel_place(kernel, pc).file;
	return NULL;
}

/* Where the code of a line begins: one place each time that it is reached from another line, in the order of the code.
 * Returns how many. */
static uint32_t set_line(const struct kernel *kernel, const char *file, uint32_t line, uint64_t *pcs)
{
	uint32_t count = 0, before = UINT32_MAX;

	for (uint32_t pc = 0; pc < kernel->code_count; pc++) {
		struct place place = kernel_place(kernel, pc);
		bool is_there = is_file(place.file, file) && place.line == line;

		if (is_there && before != line) {
			bits_add(pcs, pc);
			count++;
		}
		before = is_there ? line : UINT32_MAX;
	}
	return count;
}

/* The first line from `line` on that has code; 0: none. */
static uint32_t line_with_code(const struct kernel *kernel, const char *file, uint32_t line)
{
	uint32_t best = 0;

	for (uint32_t pc = 0; pc < kernel->code_count; pc++) {
		struct place place = kernel_place(kernel, pc);

		if (is_file(place.file, file) && place.line >= line && (!best || place.line < best))
			best = place.line;
	}
	return best;
}

static const char *find_line(
	struct debugger *d, const struct kernel *kernel, const char *file, uint64_t line, uint64_t *pcs)
{
	uint32_t there = line && line <= UINT32_MAX ? line_with_code(kernel, file, (uint32_t)line) : 0;

	if (!there) {
		text_print(&d->out, "no instruction of the kernel is of %s:%" PRIu64 " or a later line\n", file, line);
		return NULL;
	}
	uint32_t count = set_line(kernel, file, there, pcs);
	const char *name = arena_printf(&d->arena, "%s:%u", file, there);

	if (there != line)
		name = arena_printf(&d->arena, "%s, the next line with code behind line %" PRIu64, name, line);
	return count == 1 ? name : arena_printf(&d->arena, "%s, %u places", name, count);
}

const char *places_find(struct debugger *d, const struct kernel *kernel, const char *words, uint64_t *pcs)
{
	const char *colon = strrchr(words, ':'), *file = first_file(kernel);
	uint64_t number;

	if (*words == '*' && text_to_u64(words + 1, &number) && number < kernel->code_count) {
		struct text name = {.arena = &d->arena};

		bits_add(pcs, (uint32_t)number);
		kernel_name_pc(&name, kernel, (uint32_t)number);
		return name.at;
	}
	if (text_to_u64(words, &number) && file)
		return find_line(d, kernel, file, number, pcs);
	if (colon && text_to_u64(colon + 1, &number))
		return find_line(d, kernel, arena_copy(&d->arena, words, (size_t)(colon - words)), number, pcs);
	for (uint32_t f = 0; *words && f < kernel->function_count; f++)
		if (demangle_is(kernel->functions[f].ptx->name, words)) {
			bits_add(pcs, kernel->functions[f].first_pc);
			return arena_printf(&d->arena, "function %s", words);
		}
	command_refuse(d, words, "FILE:LINE, LINE, a function of the kernel, or *PC that `code` lists");
	return NULL;
}
