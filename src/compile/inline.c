/* C99's inline functions, in LLVM's textual intermediate code:
 *
 *     define available_externally spir_func i32 @f(...)        becomes        define internal spir_func i32 @f(...)
 *
 * Internal, so that programs that are linked may each have one of that name. */
#include "compile/inline.h"

#include "util/text.h"

#include <string.h>

const char *inline_keep(struct arena *arena, const char *ir)
{
	static const char word[] = "\ndefine available_externally ";
	struct text out = {.arena = arena};
	const char *from = ir, *at;
	for (; (at = strstr(from, word)); from = at + strlen(word)) {
		const char *after = at + strlen(word);
		bool is_kernel = memmem(after, strcspn(after, "@\n"), "spir_kernel ", strlen("spir_kernel "));
		text_append(&out, from, (size_t)(at - from));
		text_print(&out, "\ndefine %s", is_kernel ? "" : "internal ");
	}
	text_append(&out, from, strlen(from));
	return from == ir ? ir : out.at;
}
