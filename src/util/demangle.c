/* Names of C++, read by libiberty's demangler, as binutils and gdb do. */
#include "util/demangle.h"

#include "util/text.h"

#include <libiberty/demangle.h>
#include <stdio.h>
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

const char *demangle_short(struct arena *arena, const char *name)
{
	const char *text = demangle(arena, name, false);
	return text ? text : name;
}

const char *demangle_function(struct arena *arena, const char *name)
{
	const char *text = demangle_short(arena, name);
	const char *inner = strncmp(text, "_INTERNAL_", strlen("_INTERNAL_")) ? NULL : strstr(text, "::");
	return inner ? inner + 2 : text;
}

/* _Z, the length, the name, its parameters' types. */
static bool begins_with(const char *name, const char *called)
{
	char prefix[32];
	int digits = snprintf(prefix, sizeof prefix, "_Z%zu", strlen(called));
	return !strncmp(name, prefix, (size_t)digits) && !strncmp(name + digits, called, strlen(called));
}

bool demangle_is(const char *name, const char *called)
{
	struct arena arena = {0};
	bool is = !strcmp(name, called) || begins_with(name, called) ||
		  !strcmp(demangle_short(&arena, name), called); /* in a namespace */
	arena_free(&arena);
	return is;
}

const char *demangle_all(struct arena *arena, const char *message)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_$.";
	struct text out = {.arena = arena};
	for (size_t length; *message; message += length) {
		length = strspn(message, letters);
		length = length ? length : 1;
		const char *word = arena_copy(arena, message, length);
		text_print(&out, "%s", strncmp(word, "_Z", 2) ? word : demangle_short(arena, word));
	}
	return out.length ? out.at : "";
}
