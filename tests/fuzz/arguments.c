/* Fuzzer of the command's argument reader: the input's lines are the words behind `lockstep kernel`.
 * Reading opens nothing, so nothing but the words matters. */
#include "cli/buffers.h"
#include "cli/options.h"

#include <stdlib.h>
#include <string.h>

#define MOST_WORDS 64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena arena = {0};
	struct diagnostic diagnostic = {0};
	struct options options = {.arena = &arena, .command = "lockstep kernel", .user = OPTIONS_KERNEL};
	char *text = arena_copy(&arena, (const char *)data, size), *words[MOST_WORDS + 2] = {text};
	int count = 1;
	words[count++] = text;
	for (char *at = text; count < MOST_WORDS && (at = strchr(at, '\n')); count++) {
		*at++ = '\0';
		words[count] = at;
	}
	bool good = options_read(&options, count, words, &diagnostic);
	/* Refused with exactly one line, or accepted without. */
	if (good == diagnostic.failed || (diagnostic.failed && !diagnostic.message[0]))
		abort();
	if (good)
		buffers_check(&options, &diagnostic);
	arena_free(&arena);
	return 0;
}
