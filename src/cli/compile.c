/* PTX from a file, with what the compiler says on standard error. */
#include "cli/compile.h"

#include "lockstep.h"
#include "util/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *compile_or_read(
	struct arena *arena, const char *file, const char *options, const char **name, struct diagnostic *diagnostic)
{
	struct lockstep_error error;
	const char *dot = strrchr(file, '.');
	char *log, *ptx = lockstep_compile(file, NULL, options, &log, &error);
	const char *result = ptx ? arena_text(arena, ptx) : NULL;
	bool is_source = dot && (!strcmp(dot, ".cl") || !strcmp(dot, ".cu"));
	*name = is_source ? arena_printf(arena, "%s.ptx", file) : file;
	if (log && (ptx || strncmp(log, "lockstep: ", 10))) /* that is in the error */
		fputs(log, stderr);
	if (!ptx)
		diagnose(diagnostic, (struct place){0}, "%s", error.message);
	free(ptx);
	free(log);
	return result;
}
