/* The first error, put into one line. */
#include "util/report.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* What fits is kept; a line that was cut ends in "...". */
static size_t add(struct report *report, size_t length, const char *format, va_list list)
{
	size_t room = sizeof report->message - length;
	int wanted = vsnprintf(report->message + length, room, format, list);
	if (wanted < 0)
		return length;
	if ((size_t)wanted < room)
		return length + (size_t)wanted;
	memcpy(report->message + sizeof report->message - 4, "...", 4);
	return sizeof report->message - 1;
}

static size_t add_format(struct report *report, size_t length, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static size_t add_format(struct report *report, size_t length, const char *format, ...)
{
	va_list list;
	va_start(list, format);
	length = add(report, length, format, list);
	va_end(list);
	return length;
}

void report_error(struct report *report, struct place place, const char *format, ...)
{
	if (report->failed)
		return;
	report->failed = true;
	size_t length = 0;
	if (place.file) {
		length = add_format(report, length, "%s:", place.file);
		if (place.line)
			length = add_format(report, length, "%u:", place.line);
		if (place.line && place.column)
			length = add_format(report, length, "%u:", place.column);
		length = add_format(report, length, " ");
	}
	va_list list;
	va_start(list, format);
	add(report, length, format, list);
	va_end(list);
}
