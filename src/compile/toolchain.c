/* Search for the compiler and its library. */
#include "compile/toolchain.h"

#include "util/folder.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OLDEST = 14, NEWEST = 22 };

/* ---- Programs ---- */

/* The first executable of this name on PATH; null when there is none. */
static const char *find_program(struct arena *arena, const char *name)
{
	const char *path = getenv("PATH");
	for (const char *at = path ? path : "/usr/bin:/bin"; *at;) {
		size_t length = strcspn(at, ":");
		const char *program = arena_printf(arena, "%.*s/%s", (int)length, at, name);
		if (length && !access(program, X_OK))
			return program;
		at += length + (at[length] == ':');
	}
	return NULL;
}

/* A path as it is, a bare name through PATH. */
static const char *resolve(struct arena *arena, const char *name)
{
	if (!strchr(name, '/'))
		return find_program(arena, name);
	return access(name, X_OK) ? NULL : name;
}

static const char *find_clang_of(struct arena *arena, int version)
{
	return find_program(arena, arena_printf(arena, "clang-%d", version));
}

static const char *find_default_clang(struct arena *arena)
{
	const char *program = find_program(arena, TOOLCHAIN_CLANG);
	for (int version = NEWEST; !program && version >= OLDEST; version--)
		program = find_clang_of(arena, version);
	return program ? program : find_program(arena, "clang");
}

/* The environment's value; null also where it is empty. */
static const char *wanted(const char *variable)
{
	const char *value = getenv(variable);
	return value && *value ? value : NULL;
}

/* ---- Versions of LLVM ---- */

/* By what Debian and LLVM name the program, or the folder in which it truly is; 0: that does not say it. */
static int version_of_clang(const char *clang)
{
	static const char *const names[] = {"/clang-", "/llvm-"};
	char path[PATH_MAX];
	if (!realpath(clang, path))
		return 0;
	for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
		const char *at = strstr(path, names[k]);
		if (at)
			return (int)strtol(at + strlen(names[k]), NULL, 10);
	}
	return 0;
}

/* LLVM's bitcode begins with a block that names its producer, "LLVM14.0.6", six bits for each character, at no byte's
 * border (LLVM Bitcode File Format, "char6 Value" and "IDENTIFICATION_BLOCK"). */
static char read_char6(const unsigned char *bytes, size_t bit)
{
	static const char alphabet[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._";
	return alphabet[(bytes[bit / 8] | bytes[bit / 8 + 1] << 8) >> bit % 8 & 63];
}

/* 0: it does not say. */
static int version_of_bitcode(const char *path)
{
	enum { NAME = 10 }; /* characters: "LLVM14.0.6" */
	unsigned char bytes[64];
	char name[NAME + 1] = "";
	FILE *file = fopen(path, "re");
	size_t got = file ? fread(bytes, 1, sizeof bytes, file) : 0;
	if (file)
		fclose(file);
	for (size_t bit = 0; bit + 6 * NAME + 8 <= got * 8; bit++) {
		for (size_t k = 0; k < NAME; k++)
			name[k] = read_char6(bytes, bit + 6 * k);
		if (!strncmp(name, "LLVM", 4))
			return (int)strtol(name + 4, NULL, 10);
	}
	return 0;
}

/* ---- libclc ---- */

#define LIBCLC "nvptx64--nvidiacl.bc"

/* The folder of the program or library that this code is in; null: it is not known. */
static const char *folder_of_code(struct arena *arena)
{
	static const char here;
	Dl_info about;
	const char *path = dladdr(&here, &about) ? about.dli_fname : NULL, *slash = path ? strrchr(path, '/') : NULL;
	return slash ? arena_copy(arena, path, (size_t)(slash - path)) : NULL;
}

struct places {
	VECTOR(const char *) folders;
};

/* In the order in which they are looked at. */
static struct places places_of_libclc(struct arena *arena, const char *clang)
{
	static const char *const below[] = {"clc", "lockstep/clc", "../lib/lockstep/clc"};
	static const char *const system[] = {
		"/usr/lib/clc", "/usr/share/clc", "/usr/local/lib/clc", "/usr/local/share/clc"};
	const char *ours[] = {folder_of_code(arena), folder_own(arena)}, *slash = strrchr(clang, '/');
	struct places places = {{0}};
	for (size_t k = 0; k < sizeof ours / sizeof *ours; k++)
		for (size_t n = 0; ours[k] && n < sizeof below / sizeof *below; n++)
			*vector_push(arena, &places.folders) = arena_printf(arena, "%s/%s", ours[k], below[n]);
	if (slash)
		*vector_push(arena, &places.folders) =
			arena_printf(arena, "%.*s/../lib/clc", (int)(slash - clang), clang);
	for (size_t k = 0; k < sizeof system / sizeof *system; k++)
		*vector_push(arena, &places.folders) = system[k];
	return places;
}

/* The first that the clang can read, else the first. */
static const char *find_libclc(struct arena *arena, const char *clang)
{
	int own = version_of_clang(clang);
	const char *given = wanted("LOCKSTEP_LIBCLC"), *first = NULL;
	if (given)
		return access(given, R_OK) ? NULL : given;
	const struct places places = places_of_libclc(arena, clang);
	for (uint32_t k = 0; k < places.folders.count; k++) {
		const char *path = arena_printf(arena, "%s/" LIBCLC, places.folders.at[k]);
		if (access(path, R_OK))
			continue;
		if (!own || version_of_bitcode(path) <= own)
			return path;
		first = first ? first : path;
	}
	return first;
}

/* Makes both fit, by another clang if nobody asked for this one, or goes on without libclc. */
static void fit(struct arena *arena, struct toolchain *found, bool is_chosen)
{
	int own = version_of_clang(found->clang), library = found->library = version_of_bitcode(found->libclc);
	const char *other = NULL;
	if (!own || own >= library)
		return;
	if (!is_chosen)
		other = find_clang_of(arena, library);
	if (other) {
		found->clang = other;
		return;
	}
	found->lacks = arena_printf(arena,
		"%s is of LLVM %d, and %s reads none newer than its own: install libclc-%d, or choose clang-%d by "
		"--clang or LOCKSTEP_CLANG",
		found->libclc, library, found->clang, own, library);
	found->libclc = NULL;
}

const char *toolchain_chosen(const char *given)
{
	const char *clang = wanted("LOCKSTEP_CLANG");
	return clang ? clang : given ? given : wanted("LOCKSTEP_LIBCLC");
}

void toolchain_find(struct arena *arena, const char *given, struct toolchain *found)
{
	const char *chosen = wanted("LOCKSTEP_CLANG");
	if (!chosen)
		chosen = given;
	*found = (struct toolchain){.clang = chosen ? resolve(arena, chosen) : find_default_clang(arena)};
	if (!found->clang)
		found->lacks =
			chosen ? arena_printf(arena, "there is no program %s (--clang or LOCKSTEP_CLANG)", chosen)
			       : "there is no clang 14 or later on PATH (Debian: apt-get install " TOOLCHAIN_CLANG ")";
	if (!found->clang)
		return;
	found->libclc = find_libclc(arena, found->clang);
	if (found->libclc)
		fit(arena, found, chosen);
	else
		found->lacks = arena_printf(arena, "libclc's " LIBCLC " is missing (Debian: apt-get install libclc-%d)",
			version_of_clang(found->clang) ? version_of_clang(found->clang) : OLDEST);
}
