/* What all commands print: errors, and whole texts. */
#include "cli/cli.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

int fail(const struct diagnostic *diagnostic)
{
	fprintf(stderr, "%s\n", diagnostic->message);
	return STATUS_USAGE;
}

int fail_line(const char *format, ...)
{
	va_list list;
	va_start(list, format);
	vfprintf(stderr, format, list);
	va_end(list);
	putc('\n', stderr);
	return STATUS_USAGE;
}

bool print_all(const char *text, size_t length, struct diagnostic *diagnostic)
{
	errno = 0;
	if (fwrite(text, 1, length, stdout) == length && !fflush(stdout))
		return true;
	diagnose(diagnostic, (struct place){0}, "cannot write to standard output: %s", strerror(errno));
	return false;
}
