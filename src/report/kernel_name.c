/* Names of C++, read by libiberty's demangler, as binutils and gdb do. */
#include "report/kernel_name.h"

#include <libiberty/demangle.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Null: no name of C++. */
static const char *demangled(struct arena *arena, const char *name, int options)
{
	char *text = strncmp(name, "_Z", 2) ? NULL : cplus_demangle_v3(name, options);
	const char *copy = text ? arena_copy(arena, text, strlen(text)) : NULL;
	free(text);
	return copy;
}

const char *kernel_name_short(struct arena *arena, const char *name)
{
	const char *text = demangled(arena, name, DMGL_ANSI);
	return text ? text : name;
}

const char *kernel_name_whole(struct arena *arena, const char *name)
{
	return demangled(arena, name, DMGL_PARAMS | DMGL_ANSI);
}

/* _Z, the length, the name, its parameters' types. */
static bool begins_with(const char *name, const char *called)
{
	char prefix[32];
	int digits = snprintf(prefix, sizeof prefix, "_Z%zu", strlen(called));
	return !strncmp(name, prefix, (size_t)digits) && !strncmp(name + digits, called, strlen(called));
}

bool kernel_name_is(const char *name, const char *called)
{
	struct arena arena = {0};
	bool is = !strcmp(name, called) || begins_with(name, called) ||
		  !strcmp(kernel_name_short(&arena, name), called); /* in a namespace */
	arena_free(&arena);
	return is;
}
