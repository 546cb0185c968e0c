/* Fuzzes the PTX front end: whatever parses must print to a text that parses to the same text. */
#include "../unit/ptx_print.h"
#include "util/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *print_parsed(struct arena *arena, const char *text, struct diagnostic *diagnostic)
{
	struct ptx_module *module = ptx_parse(arena, "fuzz.ptx", text, diagnostic);
	struct text out = {.arena = arena};

	if (!module)
		return NULL;
	ptx_print(&out, module);
	return out.at;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena arena = {0};
	struct diagnostic diagnostic = {0}, again = {0};
	const char *first = print_parsed(&arena, arena_copy(&arena, (const char *)data, size), &diagnostic);

	if (first) {
		const char *second = print_parsed(&arena, first, &again);
		if (!second || strcmp(first, second)) {
			fprintf(stderr, "not a fixed point: %s\n%s\n----\n%s\n", again.message, first,
				second ? second : "");
			abort();
		}
	} else if (!diagnostic.failed) {
		abort();
	}
	arena_free(&arena);
	return 0;
}
