/* Names of C++, read by libiberty's demangler, as binutils and gdb do. */
#include "util/demangle.h"

#include "util/text.h"

#include <libiberty/demangle.h>
#include <string.h>

static void append(const char *part, size_t length, void *text)
{
	text_append(text, part, length);
}

const char *demangle(struct arena *arena, const char *name, bool parameters)
{
	struct text text = {.arena = arena};
	int options = parameters ? DMGL_PARAMS | DMGL_ANSI : DMGL_ANSI;
	if (strncmp(name, "_Z", 2) || !cplus_demangle_v3_callback(name, options, append, &text))
		return NULL;
	return text.at;
}

const char *demangle_function(struct arena *arena, const char *name)
{
	const char *text = demangle(arena, name, false), *inner;
	if (!text)
		return name;
	inner = strncmp(text, "_INTERNAL_", strlen("_INTERNAL_")) ? NULL : strstr(text, "::");
	return inner ? inner + 2 : text;
}
