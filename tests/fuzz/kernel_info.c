/* Any text may stand where kernel information is read: a program's binary may be anybody's. */
#include "compile/kernel_info.h"
#include "compile/rewrite.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena arena = {0};
	struct text out = {.arena = &arena};
	struct kernel_info info;
	size_t length;
	char *text = malloc(size + 1);
	memcpy(text, data, size);
	text[size] = 0;
	const char *at = text;
	while (kernel_info_next(&at, &info))
		if (strlen(info.kernel) >= sizeof info.kernel || strlen(info.attributes) >= sizeof info.attributes)
			abort();
	metadata_to_kernel_info(text, &out);
	rewrite_ir(&arena, prepare_ir(&arena, text, &length), &length);
	rewrite_ptx(&out, text);
	arena_free(&arena);
	free(text);
	return 0;
}
