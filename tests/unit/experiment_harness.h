/* For tests of experiments: a folder with a plan, and a command and a program to run it with. */
#ifndef LOCKSTEP_TESTS_EXPERIMENT_HARNESS_H
#define LOCKSTEP_TESTS_EXPERIMENT_HARNESS_H

#include "experiment/points.h"
#include "util/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* A plan that is right, a line each. */
static const char plain[] =
	"title = \"t\";\n"
	"programs = ( { name = \"p\"; file = \"p\"; sources = \"k.cl\"; arguments = \"--seed {seed}\"; } );\n"
	"benchmarks = ( { name = \"B\"; program = \"p\"; } );\n"
	"policies = ( { name = \"a\"; options = \"--scheduler lrr\"; }, { name = \"b\"; options = \"--set x='y z'\"; } "
	");\n"
	"sets = ( { name = \"s\"; programs = \"p\"; gpus = \"gtx480\"; policies = [\"a\", \"b\"]; seeds = [1, 2]; } "
	");\n"
	"claims = ( { id = \"C\"; metric = \"m\"; kind = \"ratio\"; role = \"confirmed\"; paper = 2; sets = \"s\"; "
	"value = \"SELECT 2\"; } "
	");\n";

struct folder {
	struct arena arena;
	char *path;
};

static inline void write_file(struct folder *f, const char *name, const char *text)
{
	struct diagnostic diagnostic = {0};
	assert_true(text_write_file(arena_printf(&f->arena, "%s/%s", f->path, name), text, strlen(text), &diagnostic));
}

/* An experiment, and a command and a program to run it with, all of which are only text. */
static inline struct folder make_folder(const char *plan)
{
	struct folder f = {0};
	f.path = arena_printf(&f.arena, "%s/lockstep-experiment-XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
	assert_non_null(mkdtemp(f.path));
	assert_int_equal(mkdir(arena_printf(&f.arena, "%s/workloads", f.path), 0777), 0);
	write_file(&f, "experiment.cfg", plan);
	write_file(&f, "lockstep", "the simulator");
	write_file(&f, "workloads/p", "the program");
	write_file(&f, "k.cl", "the kernel");
	assert_int_equal(chmod(arena_printf(&f.arena, "%s/workloads/p", f.path), 0777), 0);
	return f;
}

static inline void remove_folder(struct folder *f)
{
	assert_int_equal(system(arena_printf(&f->arena, "rm -r '%s'", f->path)), 0);
	arena_free(&f->arena);
}

/* `text` with the first `from` replaced. */
static inline const char *changed(struct arena *arena, const char *text, const char *from, const char *to)
{
	const char *at = strstr(text, from);
	assert_non_null(at);
	return arena_printf(arena, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
}

/* Of the small size. */
static inline struct points points_of(struct folder *f)
{
	struct diagnostic diagnostic = {0};
	struct points points;
	struct plan *plan = plan_read(&f->arena, f->path, &diagnostic);
	assert_non_null(plan);
	assert_true(points_make(&f->arena, plan, SIZE_SMALL, &(struct names){0}, f->path, &points, &diagnostic));
	return points;
}

#endif
