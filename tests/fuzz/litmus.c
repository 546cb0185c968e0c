/* Any text may stand where a litmus test is read; a test that is read has a kernel. */
#include "litmus/barriers.h"
#include "litmus/execution.h"
#include "litmus/kernel.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena arena = {0};
	struct diagnostic diagnostic = {0};
	struct litmus_test *test =
		litmus_read(&arena, "fuzz.litmus", arena_copy(&arena, (const char *)data, size), &diagnostic);
	/* Refused with exactly one line, or accepted without. */
	if (!test != diagnostic.failed || (diagnostic.failed && !diagnostic.message[0]))
		abort();
	if (test) {
		struct litmus_places places = litmus_places(test, 32);
		struct litmus_ways ways;
		struct diagnostic many = {0};
		struct litmus_form form = {
			.gaps = size % 2, .touches = size % 5 ? 0 : 4, .copies = size % 3 ? 1 : LITMUS_COPIES};
		litmus_kernel(&arena, test, &places, &form);
		litmus_unplayable_barriers(test);
		for (uint32_t t = 0; t < test->threads.count; t++)
			litmus_find_ways(&arena, &test->threads.at[t], 1, &ways, &many);
	}
	arena_free(&arena);
	return 0;
}
