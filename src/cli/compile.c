/* PTX from a file: .ptx as it is, .cl and .cu through compile/, which see. */
#include "cli/compile.h"

#include "compile/compile.h"
#include "util/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum language { LANGUAGE_PTX, LANGUAGE_OPENCL, LANGUAGE_CUDA };

static enum language language_of(const char *file)
{
	const char *dot = strrchr(file, '.');
	if (dot && !strcmp(dot, ".cl"))
		return LANGUAGE_OPENCL;
	return dot && !strcmp(dot, ".cu") ? LANGUAGE_CUDA : LANGUAGE_PTX;
}

/* The newest OpenCL C; files beside the source may be included. */
static enum compile_outcome compile_cl(
	struct arena *arena, const char *file, char **ptx, char **log, struct diagnostic *diagnostic)
{
	const char *slash = strrchr(file, '/');
	size_t length = 0;
	const char *text = text_read_file(arena, file, &length, diagnostic);
	struct compile_request request = {
		.name = file,
		.text = text,
		.length = length,
		.options = slash ? arena_printf(arena, "-cl-std=CL3.0 \"-I%.*s\"", (int)(slash - file), file)
				 : "-cl-std=CL3.0",
	};
	return text ? compile_opencl(&request, ptx, log) : COMPILE_UNAVAILABLE;
}

static const char *compile(struct arena *arena, const char *file, enum language language, struct diagnostic *diagnostic)
{
	struct place place = {.file = file};
	char *ptx = NULL, *log = NULL;
	const char *result = NULL;
	if (access(file, R_OK)) {
		diagnose(diagnostic, place, "cannot open: %s", strerror(errno));
		return NULL;
	}
	enum compile_outcome outcome = language == LANGUAGE_CUDA ? compile_cuda(file, &ptx, &log)
								 : compile_cl(arena, file, &ptx, &log, diagnostic);
	const char *reason = log && !strncmp(log, "lockstep: ", 10) ? log + 10 : log;
	if (outcome == COMPILE_UNAVAILABLE && log)
		diagnose(diagnostic, place, "%.*s, or give PTX", (int)strcspn(reason, "\n"), reason);
	else if (log)
		fputs(log, stderr);
	if (outcome != COMPILE_DONE)
		diagnose(diagnostic, place, "clang could not compile it, its messages are above");
	if (ptx)
		result = arena_copy(arena, ptx, strlen(ptx));
	free(ptx);
	free(log);
	return result;
}

/* The text of a file that must not hold NUL, as PTX cannot. */
static const char *read_text(struct arena *arena, const char *file, struct diagnostic *diagnostic)
{
	size_t length = 0;
	const char *text = text_read_file(arena, file, &length, diagnostic);
	if (text && strlen(text) != length) {
		diagnose(diagnostic, (struct place){.file = file}, "is not a text file, expected PTX");
		return NULL;
	}
	return text;
}

const char *compile_or_read(struct arena *arena, const char *file, const char **name, struct diagnostic *diagnostic)
{
	enum language language = language_of(file);
	*name = file;
	if (language == LANGUAGE_PTX)
		return read_text(arena, file, diagnostic);
	*name = arena_printf(arena, "%s.ptx", file);
	return compile(arena, file, language, diagnostic);
}
