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

/* Points: 0 p under a, 1 p under b (of two sets), 2 q under b. */
static const char two_sets[] =
	"title = \"a < b\"; fixed_starts = true; paper = \"The paper & more\"; text = \"Some text.\";\n"
	"programs = ( { name = \"p\"; file = \"p\"; seconds = 2.5; }, { name = \"q\"; file = \"q\"; } );\n"
	"benchmarks = ( { name = \"B\"; program = \"p\"; }, { name = \"K\"; program = \"p\"; kernels = [\"k2\", "
	"\"k3\"]; }, { name = \"Q\"; program = \"q\"; } );\n"
	"policies = ( { name = \"a\"; options = \"\"; }, { name = \"b\"; options = \"--x\"; } );\n"
	"variations = ( { name = \"v\"; arguments = \"-v\"; value = 3; } );\n"
	"sets = ( { name = \"s\"; programs = \"p\"; gpus = \"g\"; policies = [\"a\", \"b\"]; seeds = [7]; },\n"
	"         { name = \"t\"; programs = [\"p\", \"q\"]; gpus = \"g\"; policies = \"b\"; seeds = [7]; } );\n"
	"claims = ( { id = \"s\"; metric = \"of s\"; kind = \"exact\"; role = \"confirmed\"; paper = 1; sets = \"s\"; "
	"value = \"SELECT 1\"; "
	"},\n"
	"  { id = \"t\"; metric = \"of t\"; kind = \"exact\"; role = \"confirmed\"; paper = 1; sets = \"t\"; value = "
	"\"SELECT 1\"; },\n"
	"  { id = \"st\"; metric = \"of both\"; kind = \"exact\"; role = \"confirmed\"; paper = 1; sets = [\"s\", "
	"\"t\"]; value = \"SELECT "
	"1\"; },\n"
	"  { id = \"tp\"; metric = \"of t's p\"; kind = \"exact\"; role = \"confirmed\"; paper = 1; sets = \"t\"; "
	"programs = \"p\"; value = "
	"\"SELECT 1\"; },\n"
	"  { id = \"sta\"; metric = \"of both under a\"; kind = \"exact\"; role = \"confirmed\"; paper = 1; sets = "
	"[\"s\", \"t\"]; policies "
	"= \"a\"; value = \"SELECT 1\"; } );\n"
	"figures = ( { id = \"f\"; title = \"F\"; caption = \"C < D\"; paper = \"so & so\"; shape = \"table\"; sets = "
	"\"s\"; rows = \"SELECT benchmark, cycles FROM runs ORDER BY 1, 2\"; } );\n";

/* two_sets with two of each program, GPU, policy, variation and seed in the set s: 32 points, and 2 of the other set.
 */
static inline const char *five_axes(struct arena *arena)
{
	const char *plan = changed(arena, two_sets,
		"{ name = \"s\"; programs = \"p\"; gpus = \"g\"; policies = [\"a\", \"b\"]; seeds = [7]; }",
		"{ name = \"s\"; programs = [\"p\", \"q\"]; gpus = [\"g\", \"h\"]; policies = [\"a\", \"b\"]; "
		"variations = [\"u\", \"v\"]; seeds = [7, 8]; }");
	return changed(
		arena, plan, "variations = ( ", "variations = ( { name = \"u\"; arguments = \"-u\"; value = 2; }, ");
}

static inline struct folder make_two_sets(const char *plan)
{
	struct folder f = make_folder(plan);
	write_file(&f, "workloads/q", "another program");
	assert_int_equal(chmod(arena_printf(&f.arena, "%s/workloads/q", f.path), 0777), 0);
	return f;
}

static inline struct plan *plan_of(struct folder *f)
{
	struct diagnostic diagnostic = {0};
	struct plan *plan = plan_read(&f->arena, f->path, &diagnostic);
	assert_non_null(plan);
	return plan;
}

static inline void write_result(struct folder *f, const struct point *p, const char *ending, const char *text)
{
	write_file(f, arena_printf(&f->arena, "%s.%s", p->name, ending), text);
}

static inline void write_program(struct folder *f, const char *name, const char *text)
{
	write_file(f, name, text);
	assert_int_equal(chmod(arena_printf(&f->arena, "%s/%s", f->path, name), 0777), 0);
}

#endif
