/* What all commands print: errors, and whole texts. */
#include "cli/cli.h"

#include "report/style.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

int fail(const struct diagnostic *diagnostic)
{
	style_say(stderr, "%s\n", diagnostic->message);
	return STATUS_USAGE;
}

int fail_line(const char *format, ...)
{
	struct diagnostic line = {0};
	char text[sizeof line.message];
	va_list list;
	va_start(list, format);
	vsnprintf(text, sizeof text, format, list);
	va_end(list);
	diagnose(&line, (struct place){0}, "%s", text);
	return fail(&line);
}

bool print_all(const char *text, size_t length, struct diagnostic *diagnostic)
{
	errno = 0;
	if (fwrite(text, 1, length, stdout) == length && !fflush(stdout))
		return true;
	return diagnose(diagnostic, (struct place){0}, "cannot write to standard output: %s", strerror(errno));
}
