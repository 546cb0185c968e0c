/* compile/tools: what a program run by it is given and gives back. */
#include "compile/tools.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static struct arena arena;
static char folder[] = "/tmp/lockstep-tools-XXXXXX";

static const char *path_of(const char *name)
{
	return arena_printf(&arena, "%s/%s", folder, name);
}

static const char *script(const char *name, const char *text, mode_t mode)
{
	const char *path = path_of(name);
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
	assert_int_equal(chmod(path, mode), 0);
	return path;
}

/* Runs a shell script; its words are $1 and so on. */
static bool runs(
	const char *text, const char *word, const char *input, const char **output, struct text *log, bool *cannot)
{
	struct tool tool = {.arena = &arena};
	size_t length;
	tool_add(&tool, script("script", arena_printf(&arena, "#!/bin/sh\n%s\n", text), 0755));
	if (word)
		tool_add(&tool, word);
	*log = (struct text){.arena = &arena};
	text_print(log, "before;");
	bool good = tool_run(&tool, input, strlen(input), output, &length, log);
	assert_int_equal(length, strlen(*output));
	*cannot = tool.cannot_run;
	tool_end(&tool);
	return good;
}

static void test_run(void **state)
{
	const char *output;
	struct text log;
	bool cannot;
	(void)state;
	setenv("PATH", "/usr/bin:/bin", 1);
	assert_true(runs("cat; echo \"$1\"; echo said >&2", "a b", "from here;", &output, &log, &cannot));
	assert_string_equal(output, "from here;a b\n");
	assert_string_equal(log.at, "before;said\n");
	assert_false(runs("echo out; echo why >&2; exit 3", NULL, "", &output, &log, &cannot));
	assert_string_equal(output, "out\n");
	assert_string_equal(log.at, "before;why\n");
	assert_false(cannot);
	struct tool none = {.arena = &arena};
	size_t length;
	tool_add(&none, path_of("missing"));
	log = (struct text){.arena = &arena};
	assert_false(tool_run(&none, "", 0, &output, &length, &log));
	assert_string_equal(output, "");
	assert_true(none.cannot_run);
	assert_string_equal(
		log.at, arena_printf(&arena, "lockstep: cannot run %s: %s\n", path_of("missing"), strerror(ENOENT)));
	tool_end(&none);
}

/* It is started with its signals as usual, whatever this process does with them: kill would do nothing otherwise. */
static void test_signals(void **state)
{
	const char *output;
	struct text log;
	bool cannot;
	sigset_t all;
	(void)state;
	signal(SIGUSR1, SIG_IGN);
	assert_false(runs("kill -USR1 $$; echo alive", NULL, "", &output, &log, &cannot));
	assert_string_equal(output, "");
	signal(SIGUSR1, SIG_DFL);
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	assert_false(runs("kill -USR2 $$; echo alive", NULL, "", &output, &log, &cannot));
	sigprocmask(SIG_UNBLOCK, &all, NULL);
	assert_string_equal(output, "");
}

static void test_files(void **state)
{
	struct tool tool = {.arena = &arena};
	struct text log = {.arena = &arena};
	const char *output;
	size_t length;
	(void)state;
	const char *one = tool_file(&tool, "first", 5), *two = tool_file(&tool, "", 0);
	assert_non_null(one);
	assert_string_not_equal(one, two);
	tool_add(&tool, script("copy", "#!/bin/sh\ncat \"$1\"\necho written > \"$2\"\n", 0755));
	tool_add(&tool, one);
	tool_add(&tool, two);
	assert_true(tool_run(&tool, "", 0, &output, &length, &log));
	assert_string_equal(output, "first");
	assert_string_equal(tool_file_text(&tool, two, &length), "written\n");
	assert_int_equal(length, 8);
	assert_null(tool_file_text(&tool, "/proc/self/fd/9999", &length)); /* not the empty text */
	tool_end(&tool);
}

static int begin(void **state)
{
	(void)state;
	return mkdtemp(folder) ? 0 : -1;
}

static int end(void **state)
{
	(void)state;
	int left = system(arena_printf(&arena, "rm -r '%s'", folder));
	arena_free(&arena);
	return left;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_run),
		cmocka_unit_test(test_signals),
		cmocka_unit_test(test_files),
	};
	return cmocka_run_group_tests(tests, begin, end);
}
