/* Pinned PTX, of workloads/ptx and of tests/kernel/FOLDER/ptx, is that of today's sources.
 *
 *     pinned_ptx sources     by digests, without a compiler
 *     pinned_ptx compiler    as the compiler that made it makes it again; status 77: it is not here */
#include "compile/pinned.h"
#include "compile/compile.h"
#include "compile/toolchain.h"
#include "compile/tools.h"
#include "lockstep.h"
#include "util/diagnostic.h"
#include "util/text.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SKIPPED 77

/* One file: ROOT/ptx/PROGRAM/NAME. */
struct pin {
	struct arena arena;
	const char *root, *program, *path, *text;
	const char *source; /* of a program: the one that the pins are of, once it is known */
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

/* From this source, as the driver compiles it. */
static bool compile_source(
	struct pin *pin, const char *path, const char *name, struct compile_unpinned *unpinned, char **ptx, char **log)
{
	const char *source = read_file(&pin->arena, path);
	struct compile_request request = {.name = name,
		.is_no_file = true,
		.text = source,
		.length = strlen(source),
		.options = options_of(pin),
		.unpinned = unpinned};
	*unpinned = (struct compile_unpinned){0};
	return compile_opencl(&request, ptx, log) == COMPILE_DONE && !*unpinned->why;
}

/* Of an experiment's program: from PROGRAM.cl, or from one of PROGRAM_*.cl if it has several. */
static bool compile_program(
	struct pin *pin, const char *name, struct compile_unpinned *unpinned, char **ptx, char **log)
{
	const char *path = pin->source ? pin->source : arena_printf(&pin->arena, "%s/%s.cl", pin->root, pin->program);
	bool good = compile_source(pin, path, name, unpinned, ptx, log);
	glob_t others = {0};
	if (!good && !pin->source)
		glob(arena_printf(&pin->arena, "%s/%s_*.cl", pin->root, pin->program), 0, NULL, &others);
	for (size_t k = 0; k < others.gl_pathc && !good; k++) {
		free(*ptx);
		free(*log);
		*ptx = *log = NULL;
		path = arena_copy(&pin->arena, others.gl_pathv[k], strlen(others.gl_pathv[k]));
		good = compile_source(pin, path, name, unpinned, ptx, log);
	}
	globfree(&others);
	pin->source = good ? path : pin->source;
	return good;
}

/* Of a file, as `lockstep kernel` compiles it. */
static bool compile_file(struct pin *pin, const char *name, char **ptx, char **log)
{
	struct lockstep_error error;
	*ptx = lockstep_compile(arena_printf(&pin->arena, "%s/%s", pin->root, name), NULL, NULL, log, &error);
	if (!*ptx)
		fprintf(stderr, "%s\n", error.message);
	return *ptx && !strstr(*log, "not pinned");
}

/* The PTX, from the pins or by `clang`; null, and why, when there is none or it is not pinned. */
static const char *compile(struct pin *pin, const char *clang)
{
	struct compile_unpinned unpinned = {0};
	const char *words = line_of(pin, "source"), *name = arena_copy(&pin->arena, words, strcspn(words, " "));
	char *ptx = NULL, *log = NULL;
	setenv("LOCKSTEP_PINNED", clang ? "" : arena_printf(&pin->arena, "%s/ptx/%s", pin->root, pin->program), 1);
	setenv("LOCKSTEP_CLANG", clang ? clang : "", 1);
	bool is_program = !strcmp(name, "program.cl");
	bool good =
		is_program ? compile_program(pin, name, &unpinned, &ptx, &log) : compile_file(pin, name, &ptx, &log);
	good = good && !*unpinned.why;
	const char *result = good ? arena_copy(&pin->arena, ptx, strlen(ptx)) : NULL;
	if (!good)
		fprintf(stderr, "%s%s\n", unpinned.why, log ? log : "");
	free(ptx);
	free(log);
	return result;
}

static bool is_right(struct pin *pin, const char *clang)
{
	const char *pinned = compile(pin, NULL), *made = clang ? compile(pin, clang) : NULL;
	struct text shorn = {.arena = &pin->arena}, kept = {.arena = &pin->arena};
	if (made && pinned) {
		pinned_shear(&shorn, made);
		pinned_shear(&kept, pinned);
	}
	bool good = pinned && (!clang || (made && !strcmp(shorn.at, kept.at)));
	if (!good)
		fprintf(stderr, "%s is not what is made of today's sources: scripts/pin-ptx makes it anew\n",
			pin->path);
	return good;
}

/* The clang that is here, if it is the one that made the file; else null. */
static const char *find_compiler(struct pin *pin)
{
	struct toolchain tools;
	setenv("LOCKSTEP_CLANG", "", 1);
	toolchain_find(&pin->arena, NULL, &tools);
	const char *here = tools.lacks ? tools.lacks : tool_version(&pin->arena, tools.clang);
	if (!strcmp(here, line_of(pin, "compiler")))
		return tools.clang;
	printf("skipped: the pinned PTX is of %s; here: %s\n", line_of(pin, "compiler"), here);
	return NULL;
}

static uint32_t checked, bad;

/* "ROOT/ptx/PROGRAM/NAME.ptx".  False: the compiler is not here. */
static bool check(const char *path, bool compiles)
{
	struct pin pin = {.path = path};
	char *root = arena_copy(&pin.arena, path, strlen(path));
	pin.text = read_file(&pin.arena, path);
	*strrchr(root, '/') = 0;
	pin.program = strrchr(root, '/') + 1;
	strrchr(root, '/')[0] = 0;
	*strrchr(root, '/') = 0;
	pin.root = root;
	const char *clang = compiles ? find_compiler(&pin) : NULL;
	bool can = !compiles || clang;
	checked += can;
	bad += can && !is_right(&pin, clang);
	arena_free(&pin.arena);
	return can;
}

int main(int count, char **words)
{
	bool compiles = count == 2 && !strcmp(words[1], "compiler"), can = true;
	glob_t found;
	unsetenv("LOCKSTEP_LIBCLC"); /* nothing is chosen */
	unsetenv("LOCKSTEP_PIN_TO");
	if (!compiles)
		setenv("PATH", "/nonexistent", 1);
	if (glob(LOCKSTEP_SOURCE_DIR "/workloads/ptx/*/*.ptx", 0, NULL, &found) ||
		glob(LOCKSTEP_SOURCE_DIR "/tests/kernel/*/ptx/*/*.ptx", GLOB_APPEND, NULL, &found))
		return 2;
	for (size_t k = 0; k < found.gl_pathc && can; k++)
		can = check(found.gl_pathv[k], compiles);
	globfree(&found);
	if (!can)
		return SKIPPED;
	printf("%u files, %u of them wrong\n", checked, bad);
	return bad || !checked;
}
