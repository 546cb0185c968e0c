/* PTX from a file: .ptx as it is, .cl and .cu through the newest clang on PATH, in a temporary folder that is gone
 * afterwards.
 *
 * -O1, because from -O2 on clang turns a correct lock into one that deadlocks inside a warp.  Always sm_70: its PTX has
 * the .sync instructions and scoped atomics, and every model runs it. */
#include "cli/compile.h"

#include "cli/device_files.h"
#include "util/text.h"
#include "util/vector.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum language { LANGUAGE_PTX, LANGUAGE_OPENCL, LANGUAGE_CUDA };

/* One compilation. */
struct compilation {
	struct arena *arena;
	struct report *report;
	const char *file;   /* as the user gave it */
	const char *clang;  /* its path */
	const char *folder; /* temporary */
	VECTOR(const char *) words;
};

static void add(struct compilation *c, const char *word)
{
	*vector_push(c->arena, &c->words) = word;
}

static void add_all(struct compilation *c, const char *const *words)
{
	for (; *words; words++)
		add(c, *words);
}

static const char *inside(struct compilation *c, const char *name)
{
	return arena_printf(c->arena, "%s/%s", c->folder, name);
}

/* ---- Tools ---- */

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

/* Newest first; the plain name last, whatever version it is. */
static const char *find_clang(struct arena *arena)
{
	for (int version = 22; version >= 14; version--) {
		const char *program = find_program(arena, arena_printf(arena, "clang-%d", version));
		if (program)
			return program;
	}
	return find_program(arena, "clang");
}

/* libclc: OpenCL's built-in functions as bitcode. */
static const char *find_libclc(void)
{
	static const char *const places[] = {
		"/usr/lib/clc/nvptx64--nvidiacl.bc",
		"/usr/share/clc/nvptx64--nvidiacl.bc",
		"/usr/local/lib/clc/nvptx64--nvidiacl.bc",
		"/usr/local/share/clc/nvptx64--nvidiacl.bc",
	};
	for (size_t k = 0; k < sizeof places / sizeof *places; k++)
		if (!access(places[k], R_OK))
			return places[k];
	return NULL;
}

/* Runs the words; the child's stdout goes to our stderr, since stdout is for results. */
static bool run_words(struct compilation *c)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
	sigset_t defaults;
	pid_t child;
	int status = 0;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
	posix_spawnattr_init(&attributes);
	sigemptyset(&defaults);
	sigaddset(&defaults, SIGINT);
	posix_spawnattr_setsigdefault(&attributes, &defaults);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
	add(c, NULL);
	/* An interrupt stops the compiler; we then remove the folder and end with its failure. */
	sigaction(SIGINT, &ignore, &before);
	int why = posix_spawn(&child, c->clang, &actions, &attributes, (char *const *)(uintptr_t)c->words.at, environ);
	while (!why && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	sigaction(SIGINT, &before, NULL);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
	if (why)
		report_error(c->report, (struct place){.file = c->clang}, "cannot run: %s", strerror(why));
	else if (status)
		report_error(c->report, (struct place){.file = c->file},
			"%s could not compile it, its messages are above", c->clang);
	return !c->report->failed;
}

/* ---- The temporary folder ---- */

static bool make_folder(struct compilation *c)
{
	const char *base = getenv("TMPDIR");
	char *folder = arena_printf(c->arena, "%s/lockstep-XXXXXX", base && *base ? base : "/tmp");
	if (!mkdtemp(folder)) {
		report_error(c->report, (struct place){.file = folder}, "cannot create: %s", strerror(errno));
		return false;
	}
	c->folder = folder;
	for (size_t k = 0; k < device_file_count && !c->report->failed; k++) {
		const char *text = device_files[k].text;
		text_write_file(inside(c, device_files[k].name), text, strlen(text), c->report);
	}
	return !c->report->failed;
}

/* It has no folders inside. */
static void remove_folder(struct compilation *c)
{
	DIR *folder = opendir(c->folder);
	struct dirent *entry;
	while (folder && (entry = readdir(folder)))
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
			unlink(inside(c, entry->d_name));
	if (folder)
		closedir(folder);
	rmdir(c->folder);
}

/* ---- Languages ---- */

static enum language language_of(const char *file)
{
	const char *dot = strrchr(file, '.');
	if (dot && !strcmp(dot, ".cl"))
		return LANGUAGE_OPENCL;
	return dot && !strcmp(dot, ".cu") ? LANGUAGE_CUDA : LANGUAGE_PTX;
}

/* What both languages have in common, and the files. */
static void add_common(struct compilation *c)
{
	static const char *const words[] = {"-O1", "-gline-tables-only", "-S", NULL};
	add_all(c, words);
	add(c, "-o");
	add(c, inside(c, "out.ptx"));
	add(c, *c->file == '-' ? arena_printf(c->arena, "./%s", c->file) : c->file);
}

static void add_cuda(struct compilation *c, const char *libclc)
{
	static const char *const words[] = {
		"-x",
		"cuda",
		"--cuda-device-only",
		"-nocudainc",
		"-nocudalib",
		"--cuda-gpu-arch=sm_70",
		"-Xclang",
		"-target-feature",
		"-Xclang",
		"+ptx63",
		"-Xclang",
		"-fno-cuda-host-device-constexpr",
		"-Wno-unknown-cuda-version",
		"-Wno-linker-warnings",
		NULL,
	};
	static const char *const link[] = {"-Xclang", "-mlink-builtin-bitcode", "-Xclang", NULL};
	add_all(c, words);
	if (libclc) { /* sin, exp and so on; without it they stay undefined, which the loader tells */
		add_all(c, link);
		add(c, libclc);
	}
	add(c, "-isystem");
	add(c, c->folder);
	add(c, "-include");
	add(c, inside(c, "cuda_kernel.h"));
	add_common(c);
}

static void add_opencl(struct compilation *c, const char *libclc)
{
	static const char *const words[] = {
		"-x",
		"cl",
		"-cl-std=CL3.0",
		"-target",
		"nvptx64--nvidiacl",
		"-Xclang",
		"-target-cpu",
		"-Xclang",
		"sm_70",
		"-Xclang",
		"-target-feature",
		"-Xclang",
		"+ptx63",
		"-Xclang",
		"-cl-ext=+__opencl_c_atomic_order_acq_rel,+__opencl_c_atomic_order_seq_cst,+__opencl_c_atomic_scope_"
		"device,"
		"+__opencl_c_generic_address_space,+__opencl_c_subgroups,+__opencl_c_int64,+__opencl_c_fp64,+cl_khr_"
		"fp64,"
		"+cl_khr_int64_base_atomics,+cl_khr_subgroups",
		"-D__opencl_c_atomic_scope_all_devices=1",
		"-Xclang",
		"-mlink-builtin-bitcode",
		"-Xclang",
		NULL,
	};
	add_all(c, words);
	add(c, libclc);
	add_common(c);
}

static bool compile(struct compilation *c, enum language language)
{
	struct place place = {.file = c->file};
	const char *libclc = find_libclc();
	if (access(c->file, R_OK)) {
		report_error(c->report, place, "cannot open: %s", strerror(errno));
		return false;
	}
	c->clang = find_clang(c->arena);
	if (!c->clang) {
		report_error(c->report, place,
			"needs clang 14 or later on PATH (Debian: apt-get install clang-14), or give PTX");
		return false;
	}
	if (language == LANGUAGE_OPENCL && !libclc) {
		report_error(c->report, place,
			"needs libclc's nvptx64--nvidiacl.bc (Debian: apt-get install libclc-14), or give PTX");
		return false;
	}
	add(c, c->clang);
	if (!make_folder(c))
		return false;
	if (language == LANGUAGE_CUDA)
		add_cuda(c, libclc);
	else
		add_opencl(c, libclc);
	return run_words(c);
}

/* The text of a file that must not hold NUL, as PTX cannot. */
static const char *read_text(struct arena *arena, const char *file, struct report *report)
{
	size_t length = 0;
	const char *text = text_read_file(arena, file, &length, report);
	if (text && strlen(text) != length) {
		report_error(report, (struct place){.file = file}, "is not a text file, expected PTX");
		return NULL;
	}
	return text;
}

const char *compile_or_read(struct arena *arena, const char *file, const char **name, struct report *report)
{
	enum language language = language_of(file);
	struct compilation c = {.arena = arena, .report = report, .file = file};
	const char *ptx = NULL;
	*name = file;
	if (language == LANGUAGE_PTX)
		return read_text(arena, file, report);
	*name = arena_printf(arena, "%s.ptx", file);
	if (compile(&c, language))
		ptx = read_text(arena, inside(&c, "out.ptx"), report);
	if (c.folder)
		remove_folder(&c);
	return ptx;
}
