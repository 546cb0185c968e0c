/* The progress line: what it says, of how much time is left, and when it is taken away. */
#include "cli/progress.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* What the function writes to standard error. */
static const char *said(void (*function)(void *), void *context)
{
	static char text[512];
	FILE *file = tmpfile();
	int before = dup(STDERR_FILENO);
	assert_non_null(file);
	fflush(stderr);
	dup2(fileno(file), STDERR_FILENO);
	function(context);
	fflush(stderr);
	dup2(before, STDERR_FILENO);
	close(before);
	rewind(file);
	text[fread(text, 1, sizeof text - 1, file)] = 0;
	fclose(file);
	return text;
}

static struct progress progress;

static void show(void *context)
{
	progress_show(&progress, context);
}

static void end(void *context)
{
	(void)context;
	progress_end(&progress);
}

/* As long for each work-group that is left as for those that have ended, of whom one in twenty has, and the first in
 * half of the time at most; minutes from 120 seconds on.  The most important comes first; what does not fit is left
 * out, and a long name cut. */
static void a_line(void **state)
{
	static const char name[] = "a_kernel_whose_name_is_longer_than_a_line";
	static const struct {
		uint32_t columns;
		struct progress_state state;
		const char *line;
	} rows[] = {
		{200, {"k", 2, 1000, 5000000, 1, 4, 0, 0, 1},
			"k: running, 1,000 cycles, about 6 s left, 1 of 4 work-groups, 2.50 million instructions/s"},
		{200, {"k", 2, 1000, 5000000, 1, 4, 0, 0, 1.01},
			"k: running, 1,000 cycles, 1 of 4 work-groups, 2.50 million instructions/s, time left not "
			"known "
			"yet"},
		{200, {NULL, 0, 0, 7, 0, 4, 0, 0, 0},
			"running, 7 warp instructions, 0 of 4 work-groups, time left not known yet"},
		{200, {NULL, 0.5, 9, 10000, 4, 4, 0, 0, 0},
			"running, 9 cycles, 4 of 4 work-groups, 0.02 million instructions/s"},
		{200, {NULL, 0.5, 9, 10000, 5, 4, 0, 0, 0},
			"running, 9 cycles, 5 of 4 work-groups, 0.02 million instructions/s"},
		{60, {NULL, 10, 9, 0, 2, 25, 0, 0, 0}, "running, 9 cycles, about 115 s left, 2 of 25 work-groups"},
		{60, {NULL, 10, 9, 0, 2, 26, 0, 0, 0}, "running, 9 cycles, about 2 min left, 2 of 26 work-groups"},
		{60, {NULL, 60, 9, 0, 1, 20, 0, 0, 0}, "running, 9 cycles, about 19 min left, 1 of 20 work-groups"},
		{60, {NULL, 60, 9, 0, 1, 21, 0, 0, 0}, "running, 9 cycles, 1 of 21 work-groups"},
		{59, {NULL, 60, 9, 0, 1, 21, 0, 0, 0}, "running, 9 cycles, 1 of 21 work-groups"},
		{79, {name, 60, 9, 0, 10, 20, 0, 0, 0},
			"a_kernel_whose_name_is_...: running, 9 cycles, about 60 s left"},
		{39, {name, 60, 9, 0, 10, 20, 0, 0, 0}, "a_kernel_w...: running, 9 cycles"},
		{79, {"k", 60, 123456, 0, 10, 20, 2, 4, 0}, "k: a hang, confirming the cause: 2 of 4, 123,456 cycles"},
		{79, {NULL, 60, 0, 0, 10, 20, 2, 4, 0}, "a hang, confirming the cause: 2 of 4"},
		{36, {NULL, 60, 5, 0, 10, 20, 2, 4, 0}, "a hang, confirming the cause: 2 of 4"},
	};
	(void)state;
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		struct arena arena = {0};
		struct text line = {.arena = &arena};
		progress_words(&line, &rows[k].state, rows[k].columns);
		assert_string_equal(line.at, rows[k].line);
		assert_true(line.length <= rows[k].columns);
		arena_free(&arena);
	}
}

/* When a work-group was first seen to have ended; of another kernel, anew. */
static void the_first_end(void **state)
{
	static const struct {
		double seconds;
		uint64_t groups_done;
		double first_end;
	} rows[] = {{1, 0, 0}, {2, 3, 2}, {5, 4, 2}, {3, 1, 3}, {4, 1, 3}, {6, 0, 0}, {7, 1, 7}};
	struct progress seen = {0};
	(void)state;
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		struct progress_state now = {
			.seconds = rows[k].seconds, .groups_done = rows[k].groups_done, .groups = 9};
		progress_note(&seen, &now);
		assert_true(now.first_end == rows[k].first_end);
	}
}

/* Nothing is written into a file. */
static void only_codes_on_a_terminal(void **state)
{
	struct progress_state now = {.groups = 1};
	(void)state;
	progress = (struct progress){0};
	assert_string_equal(said(end, NULL), "");
	assert_string_equal(said(show, &now), "");
	assert_string_equal(said(end, NULL), "");
}

static struct lockstep_options options;

static void start(void *context)
{
	(void)context;
	progress_start(&progress, &options);
}

/* Into a file nothing is reported; a line of an earlier run is no longer there. */
static void only_on_a_terminal(void **state)
{
	(void)state;
	progress.any = true;
	said(start, NULL);
	assert_null(options.progress);
	assert_null(options.progress_context);
	assert_false(progress.any);
	assert_true(progress.start.tv_sec > 0);
	assert_memory_equal(&progress.start, &progress.shown, sizeof progress.start);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line),
		cmocka_unit_test(the_first_end),
		cmocka_unit_test(only_codes_on_a_terminal),
		cmocka_unit_test(only_on_a_terminal),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
