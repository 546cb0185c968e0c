/* Modules from files of kernels, with what the compiler says on standard error. */
#include "cli/cli.h"

#include "lockstep.h"
#include "util/arena.h"
#include "util/file_kind.h"

#include <stdio.h>
#include <stdlib.h>

struct lockstep_module *compile_and_load(struct lockstep *gpu, struct arena *arena, const char *file,
	const char *options, const char **ptx, struct diagnostic *diagnostic)
{
	struct lockstep_error error;
	char *log, *text = lockstep_compile(file, NULL, options, &log, &error);
	const char *dot = strrchr(file, '.');
	bool is_source = dot && (!strcmp(dot, ".cl") || !strcmp(dot, ".cu"));
	if (log && (text || strncmp(log, "lockstep: ", 10))) /* that is in the error */
		fputs(log, stderr);
	*ptx = text ? arena_text(arena, text) : NULL;
	struct lockstep_module *module =
		text ? lockstep_load(gpu, is_source ? arena_printf(arena, "%s.ptx", file) : file, text, &error) : NULL;
	if (!module) {
		diagnose(diagnostic, (struct place){0}, "%s", error.message);
		file_kind_explain(file, FILE_PTX | FILE_SOURCE, "PTX, CUDA C or OpenCL C", diagnostic);
	}
	free(text);
	free(log);
	return module;
}
