/* Names of C++, read by libiberty's demangler, as binutils and gdb do. */
#include "report/kernel_name.h"

#include <libiberty/demangle.h>
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
