/* How the functions of the public interface say what went wrong. */
#include "api/api.h"

#include "util/demangle.h"

#include <stdarg.h>
#include <stdio.h>

bool api_fail(struct lockstep_error *error, const struct diagnostic *diagnostic)
{
	struct arena arena = {0};

	snprintf(error->message, sizeof error->message, "%s", demangle_all(&arena, diagnostic->message));
	arena_free(&arena);
	return false;
}

bool api_fail_with(struct lockstep_error *error, const char *format, ...)
{
	struct diagnostic line = {0};
	char text[sizeof line.message];
	va_list list;

	va_start(list, format);
	vsnprintf(text, sizeof text, format, list);
	va_end(list);
	diagnose(&line, (struct place){0}, "%s", text);
	return api_fail(error, &line);
}
