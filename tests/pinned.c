/* The pinned PTX of workloads/ptx is that of today's sources.
 *
 *     pinned_ptx sources     by digests, without a compiler
 *     pinned_ptx compiler    as the compiler that made it makes it again; status 77: it is not here */
#include "compile/pinned.h"
#include "compile/compile.h"
#include "compile/toolchain.h"
#include "compile/tools.h"
#include "util/diagnostic.h"
#include "util/text.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PINNED LOCKSTEP_SOURCE_DIR "/workloads/ptx"
#define SKIPPED 77

/* One file. */
struct pin {
	struct arena arena;
	const char *program, *name, *text; /* its folder, its name there, its contents */
};

static const char *const folders[] = {LOCKSTEP_SOURCE_DIR "/device", LOCKSTEP_SOURCE_DIR "/workloads"};

static char *read_file(struct arena *arena, const char *path)
{
	struct diagnostic diagnostic = {0};
	size_t length;
	char *text = text_read_file(arena, path, &length, &diagnostic);
	if (!text) {
		fprintf(stderr, "%s\n", diagnostic.message);
		exit(2);
	}
	return text;
}

/* What is behind "// KEY " in the lines in front of the PTX. */
static const char *line_of(struct pin *pin, const char *key)
{
	const char *start = arena_printf(&pin->arena, "\n// %s ", key), *at = strstr(pin->text, start);
	return at ? arena_copy(&pin->arena, at + strlen(start), strcspn(at + strlen(start), "\n")) : "";
}

/* With the folders in their places. */
static const char *options_of(struct pin *pin)
{
	struct text options = {.arena = &pin->arena};
	for (const char *at = line_of(pin, "options"); *at; at++) {
		if (at[0] == '<' && at[2] == '>' && (at[1] == '0' || at[1] == '1')) {
			text_print(&options, "%s", folders[at[1] - '0']);
			at += 2;
		} else
			text_append(&options, at, 1);
	}
	return options.at;
}

/* The PTX, from the pins or by the compiler; null, and why, when there is none or it is not pinned. */
static const char *compile(struct pin *pin, bool from_pins)
{
	struct compile_unpinned unpinned = {0};
	const char *path = arena_printf(&pin->arena, LOCKSTEP_SOURCE_DIR "/workloads/%s.cl", pin->program);
	const char *source = read_file(&pin->arena, path), *name = line_of(pin, "source");
	char *ptx, *log;
	struct compile_request request = {.name = arena_copy(&pin->arena, name, strcspn(name, " ")),
		.is_no_file = true,
		.text = source,
		.length = strlen(source),
		.options = options_of(pin),
		.unpinned = &unpinned};
	setenv("LOCKSTEP_PINNED", from_pins ? arena_printf(&pin->arena, PINNED "/%s", pin->program) : "", 1);
	bool good = compile_opencl(&request, &ptx, &log) == COMPILE_DONE && !*unpinned.why;
	const char *result = good ? arena_copy(&pin->arena, ptx, strlen(ptx)) : NULL;
	if (!good)
		fprintf(stderr, "%s%s\n", unpinned.why, log);
	free(ptx);
	free(log);
	return result;
}

static bool is_right(struct pin *pin, bool compiles)
{
	const char *pinned = compile(pin, true), *made = compiles ? compile(pin, false) : NULL;
	struct text shorn = {.arena = &pin->arena};
	if (made)
		pinned_shear(&shorn, made);
	bool good = pinned && (!compiles || (made && !strcmp(shorn.at, pinned)));
	if (!good)
		fprintf(stderr, "%s/%s is not what is made of today's sources: scripts/pin-ptx makes it anew\n",
			pin->program, pin->name);
	return good;
}

/* Whether the clang that is here is the one that made it. */
static bool has_compiler(struct pin *pin)
{
	struct toolchain tools;
	toolchain_find(&pin->arena, NULL, &tools);
	const char *here = tools.lacks ? tools.lacks : tool_version(&pin->arena, tools.clang);
	if (!strcmp(here, line_of(pin, "compiler")))
		return true;
	printf("skipped: the pinned PTX is of %s, here is %s\n", line_of(pin, "compiler"), here);
	return false;
}

static uint32_t checked, bad;

/* False: the compiler is not here. */
static bool check(const char *program, const char *name, bool compiles)
{
	struct pin pin = {.program = program, .name = name};
	pin.text = read_file(&pin.arena, arena_printf(&pin.arena, PINNED "/%s/%s", program, name));
	bool can = !compiles || has_compiler(&pin);
	checked += can;
	bad += can && !is_right(&pin, compiles);
	arena_free(&pin.arena);
	return can;
}

static bool check_folder(const char *program, bool compiles)
{
	char path[4096];
	bool can = true;
	snprintf(path, sizeof path, PINNED "/%s", program);
	DIR *files = opendir(path);
	for (struct dirent *file; files && can && (file = readdir(files));)
		if (*file->d_name != '.')
			can = check(program, file->d_name, compiles);
	if (files)
		closedir(files);
	return can;
}

int main(int count, char **words)
{
	bool compiles = count == 2 && !strcmp(words[1], "compiler"), can = true;
	DIR *programs = opendir(PINNED);
	unsetenv("LOCKSTEP_CLANG"); /* none is chosen */
	unsetenv("LOCKSTEP_LIBCLC");
	unsetenv("LOCKSTEP_PIN_TO");
	if (!compiles)
		setenv("PATH", "/nonexistent", 1);
	for (struct dirent *program; programs && can && (program = readdir(programs));)
		if (*program->d_name != '.')
			can = check_folder(program->d_name, compiles);
	if (programs)
		closedir(programs);
	if (!can)
		return SKIPPED;
	printf("%u files, %u of them wrong\n", checked, bad);
	return bad || !checked;
}
