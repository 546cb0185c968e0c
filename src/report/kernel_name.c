/* Kernels' names for people: see kernel_name.h. */
#include "report/kernel_name.h"

#include "util/demangle.h"

#include <stdio.h>
#include <string.h>

const char *kernel_name_short(struct arena *arena, const char *name)
{
	const char *text = demangle(arena, name, false);
	return text ? text : name;
}

const char *kernel_name_whole(struct arena *arena, const char *name)
{
	return demangle(arena, name, true);
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
