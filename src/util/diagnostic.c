/* The first error, put into one line. */
#include "util/diagnostic.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* What fits is kept; a line that was cut ends in "...". */
static size_t add(struct diagnostic *diagnostic, size_t length, const char *format, va_list list)
{
	size_t room = sizeof diagnostic->message - length;
	int wanted = vsnprintf(diagnostic->message + length, room, format, list);
	if (wanted < 0)
		return length;
	if ((size_t)wanted < room)
		return length + (size_t)wanted;
	memcpy(diagnostic->message + sizeof diagnostic->message - 4, "...", 4);
	return sizeof diagnostic->message - 1;
}

static size_t add_format(struct diagnostic *diagnostic, size_t length, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static size_t add_format(struct diagnostic *diagnostic, size_t length, const char *format, ...)
{
	va_list list;
	va_start(list, format);
	length = add(diagnostic, length, format, list);
	va_end(list);
	return length;
}

void diagnose(struct diagnostic *diagnostic, struct place place, const char *format, ...)
{
	if (diagnostic->failed)
		return;
	diagnostic->failed = true;
	size_t length = 0;
	if (place.file) {
		length = add_format(diagnostic, length, "%s:", place.file);
		if (place.line)
			length = add_format(diagnostic, length, "%u:", place.line);
		if (place.line && place.column)
			length = add_format(diagnostic, length, "%u:", place.column);
		length = add_format(diagnostic, length, " ");
	}
	va_list list;
	va_start(list, format);
	add(diagnostic, length, format, list);
	va_end(list);
}
