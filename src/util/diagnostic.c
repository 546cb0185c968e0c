/* The first error, put into one line. */
#include "util/diagnostic.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define LONGEST_NAME 600

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

__attribute__((format(printf, 2, 3))) static size_t begin(struct diagnostic *diagnostic, const char *format, ...)
{
	va_list list;
	va_start(list, format);
	size_t length = add(diagnostic, 0, format, list);
	va_end(list);
	return length;
}

static bool is_control(char c)
{
	return (unsigned char)c < ' ' || c == 0x7f;
}

/* Names of files and words of a command may have any bytes: control characters become \xNN, so that the message stays
 * one line and tells a terminal nothing. */
static void escape(char *message, size_t size)
{
	char clean[sizeof((struct diagnostic *)0)->message];
	size_t length = 0, first = 0;
	while (message[first] && !is_control(message[first]))
		first++;
	if (!message[first])
		return;
	for (const char *at = message; *at && length + 5 < size; at++) {
		if (is_control(*at))
			length += (size_t)snprintf(clean + length, sizeof clean - length, "\\x%02x", (unsigned)*at);
		else
			clean[length++] = *at;
	}
	clean[length] = '\0';
	memcpy(message, clean, length + 1);
}

bool diagnose(struct diagnostic *diagnostic, struct place place, const char *format, ...)
{
	if (diagnostic->failed)
		return false;
	diagnostic->failed = true;
	size_t length = 0;
	if (place.file) {
		size_t bytes = strlen(place.file); /* of a long name the end, so that what is wrong has room */
		bool is_long = bytes > LONGEST_NAME;
		char numbers[32] = "";
		if (place.line && place.column)
			snprintf(numbers, sizeof numbers, "%u:%u:", place.line, place.column);
		else if (place.line)
			snprintf(numbers, sizeof numbers, "%u:", place.line);
		length = begin(diagnostic, "%s%s:%s ", is_long ? "..." : "",
			is_long ? place.file + bytes - LONGEST_NAME : place.file, numbers);
	}
	va_list list;
	va_start(list, format);
	add(diagnostic, length, format, list);
	va_end(list);
	escape(diagnostic->message, sizeof diagnostic->message);
	return false;
}
