/* lockstep_compile of include/lockstep.h: PTX from a file, by what its name ends in. */
#include "compile/compile.h"
#include "compile/result.h"
#include "lockstep.h"
#include "util/diagnostic.h"
#include "util/text.h"

#include <stdio.h>
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
static const char *opencl_options(struct arena *arena, const char *file, const char *options)
{
	const char *slash = strrchr(file, '/');
	options = options ? options : "";
	return slash ? arena_printf(arena, "-cl-std=CL3.0 \"-I%.*s\" %s", (int)(slash - file), file, options)
		     : arena_printf(arena, "-cl-std=CL3.0 %s", options);
}

/* Our own line, the first among the compiler's, without the name in front. */
static const char *reason_of(const char *log, int *length)
{
	static const char name[] = "lockstep: ";
	const char *found = strncmp(log, name, strlen(name)) ? strstr(log, "\nlockstep: ") : log;
	found = !found ? log : found + (*found == '\n') + strlen(name);
	*length = (int)strcspn(found, "\n");
	return found;
}

/* What may help where a header is missing: `kernel` has none of NVIDIA's. */
static const char *hint_of(struct arena *arena, const char *log)
{
	const char *end = strstr(log, "' file not found"), *name = end;
	if (!end)
		return "";
	while (name > log && name[-1] != '\'')
		name--;
	return arena_printf(arena,
		"; for '%.*s' give -I FOLDER, or, where it belongs to NVIDIA's toolkit, compile with `nvcc -ptx` and "
		"give the PTX",
		(int)(end - name), name);
}

static char *compile(struct arena *arena, struct compile_request *request, enum language language, char **log,
	struct diagnostic *diagnostic)
{
	struct place place = {.file = request->name};
	char *ptx = NULL;
	struct compile_unpinned unpinned = {0};
	request->unpinned = &unpinned;
	if (language == LANGUAGE_OPENCL)
		request->options = opencl_options(arena, request->name, request->options);
	enum compile_outcome outcome =
		language == LANGUAGE_OPENCL ? compile_opencl(request, &ptx, log) : compile_cuda(request, &ptx, log);
	int length;
	const char *reason = reason_of(*log, &length);
	if (outcome == COMPILE_UNAVAILABLE)
		diagnose(diagnostic, place, "%.*s; PTX needs none", length, reason);
	else if (outcome == COMPILE_BAD_PINNED)
		diagnose(diagnostic, (struct place){0}, "%.*s", length, reason);
	else if (outcome == COMPILE_BAD_OPTIONS)
		diagnose(diagnostic, place, "%.*s", length, reason);
	else if (outcome == COMPILE_FAILED)
		diagnose(diagnostic, place, "clang could not compile it, its messages are above%s",
			hint_of(arena, *log));
	if (*unpinned.compiler)
		*log = result_append(
			*log, arena_printf(arena, "lockstep: note: %s was compiled by %s, not pinned: %s\n",
				      request->name, unpinned.compiler, unpinned.why));
	return ptx;
}

static const char *why_not_source(const char *file, const char *text, size_t length, enum language language)
{
	static const char *const expected[] = {
		[LANGUAGE_PTX] = "is not a text file, expected PTX",
		[LANGUAGE_OPENCL] = "is not a text file, expected OpenCL C",
		[LANGUAGE_CUDA] = "is not a text file, expected CUDA C++",
	};
	if (!strncmp(text, "\177ELF", 4))
		return "is a program, expected PTX; `lockstep run` runs programs";
	if (strlen(text) != length)
		return expected[language];
	const char *dot = strrchr(file, '.');
	if (language == LANGUAGE_PTX && length && !(dot && !strcmp(dot, ".ptx")) && !strstr(text, ".version"))
		return "is not PTX, expected FILE.ptx, FILE.cl or FILE.cu";
	return NULL;
}

static const char *read_file(
	struct arena *arena, const char *file, enum language language, size_t *length, struct diagnostic *diagnostic)
{
	const char *text = text_read_file(arena, file, length, diagnostic);
	const char *why = text ? why_not_source(file, text, *length, language) : NULL;
	if (!why)
		return text;
	diagnose(diagnostic, (struct place){.file = file}, "%s", why);
	return NULL;
}

char *lockstep_compile(
	const char *file, const char *text, const char *options, char **log, struct lockstep_error *error)
{
	struct arena arena = {0};
	struct diagnostic diagnostic = {0};
	enum language language = language_of(file);
	struct compile_request request = {.name = file,
		.is_no_file = text && access(file, F_OK),
		.text = text,
		.length = text ? strlen(text) : 0,
		.options = options};
	char *ptx = NULL;
	*log = NULL;
	if (!text)
		request.text = read_file(&arena, file, language, &request.length, &diagnostic);
	if (language == LANGUAGE_CUDA && !text)
		request.text = NULL; /* clang reads it itself, under its name */
	if (!diagnostic.failed && language == LANGUAGE_PTX)
		ptx = result_copy(request.text, request.length);
	else if (!diagnostic.failed)
		ptx = compile(&arena, &request, language, log, &diagnostic);
	snprintf(error->message, sizeof error->message, "%s", diagnostic.message);
	arena_free(&arena);
	return ptx;
}
