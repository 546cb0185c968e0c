/* C99's inline functions, in LLVM's textual intermediate code:
 *
 *     define available_externally spir_func i32 @f(...)        becomes        define internal spir_func i32 @f(...)
 *
 * Internal, so that programs that are linked may each have one of that name. */
#include "compile/inline.h"

#include "util/text.h"

#include <string.h>

bool inline_may_be_missing(const char *ir)
{
	for (const char *line = ir; (line = strstr(line, "\ndeclare ")); line++) {
		const char *name = strchr(line, '@');
		if (name && strncmp(name, "@llvm.", 6) && strncmp(name, "@printf(", 8))
			return true;
	}
	return false;
}

const char *inline_keep(struct arena *arena, const char *ir, size_t *length)
{
	static const char word[] = "\ndefine available_externally ";
	struct text out = {.arena = arena};
	const char *from = ir, *at;
	for (; (at = strstr(from, word)); from = at + strlen(word)) {
		text_append(&out, from, (size_t)(at - from));
		text_print(&out, "\ndefine internal ");
	}
	if (from == ir)
		return NULL;
	text_append(&out, from, strlen(from));
	*length = out.length;
	return out.at;
}
