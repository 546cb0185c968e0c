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

/* As long for each work-group that is left as for those that have ended; minutes from 120 seconds on. */
static void a_line(void **state)
{
	static const struct {
		struct progress_state state;
		const char *line;
	} rows[] = {
		{{"k", 2, 100, 5000000, 1, 4},
			"k: 100 cycles, 5000000 warp instructions, 2.50 million/s, 1 of 4 work-groups, about 6 s left"},
		{{NULL, 0, 0, 7, 0, 4}, "0 cycles, 7 warp instructions, 0.00 million/s, 0 of 4 work-groups"},
		{{NULL, 0.5, 9, 10000, 4, 4}, "9 cycles, 10000 warp instructions, 0.02 million/s, 4 of 4 work-groups"},
		{{NULL, 0.5, 9, 10000, 5, 4}, "9 cycles, 10000 warp instructions, 0.02 million/s, 5 of 4 work-groups"},
		{{NULL, 10, 9, 0, 2, 25},
			"9 cycles, 0 warp instructions, 0.00 million/s, 2 of 25 work-groups, about 115 s left"},
		{{NULL, 10, 9, 0, 2, 26},
			"9 cycles, 0 warp instructions, 0.00 million/s, 2 of 26 work-groups, about 2 min left"},
		{{NULL, 60, 9, 0, 1, 61},
			"9 cycles, 0 warp instructions, 0.00 million/s, 1 of 61 work-groups, about 60 min left"},
	};
	char expected[256];
	(void)state;
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		struct progress_state now = rows[k].state;
		snprintf(expected, sizeof expected, "\r\033[K%s", rows[k].line);
		assert_string_equal(said(show, &now), expected);
	}
}

static void it_is_taken_away_once(void **state)
{
	struct progress_state now = {.groups = 1};
	(void)state;
	progress = (struct progress){0};
	assert_string_equal(said(end, NULL), "");
	said(show, &now);
	assert_string_equal(said(end, NULL), "\r\033[K");
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
		cmocka_unit_test(it_is_taken_away_once),
		cmocka_unit_test(only_on_a_terminal),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
