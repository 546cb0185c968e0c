/* Fuzzes the reader of debug sections: whatever a module has, variables, places and values are found without reading
 * what is not there. */
#include "debug/variables.h"

#include "debug/lines.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void see_all(struct arena *arena, const struct variables *all, const struct ptx_function *function, uint32_t at)
{
	static const uint8_t bytes[64];
	struct text out = {.arena = arena};
	uint32_t count;
	const struct variable *const *seen = variables_at(arena, all, function, at, &count);

	for (uint32_t k = 0; k < count; k++) {
		struct variable_place place = variable_place(all, seen[k], function, at);
		if ((place.where == VARIABLE_REGISTER) > (place.reg != NULL) || !seen[k]->type || !seen[k]->name)
			abort();
		variable_print(&out, seen[k]->type, bytes, k % sizeof bytes, &(struct variable_style){0});
		if (!variable_named(all, function, at, seen[k]->name))
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena arena = {0};
	struct diagnostic diagnostic = {0};
	struct source_line line;
	const struct ptx_module *module =
		ptx_parse(&arena, "fuzz.ptx", arena_copy(&arena, (const char *)data, size), &diagnostic);
	const struct variables *all = module ? variables_read(&arena, module) : NULL;

	for (uint32_t f = 0; module && f < module->functions.count; f++) {
		const struct ptx_function *function = module->functions.at[f];
		for (uint32_t at = 0; at <= function->code.count; at += 1 + function->code.count / 4)
			see_all(&arena, all, function, at);
	}
	if (module && !lines_find(module, NULL, 1, &line, &diagnostic) && !diagnostic.failed)
		abort();
	arena_free(&arena);
	return 0;
}
