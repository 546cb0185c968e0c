/* compile/witness: what its lines say of a tree, what makes them false, and when they do not say all. */
#include "compile/witness.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static struct arena arena;
static char folder[] = "/tmp/lockstep-witness-XXXXXX";

static void write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static const char *library;

/* The lines of a compilation that began now, read the files of the makefile and looked for these paths. */
static const char *lines_of(const char *makefile, const char *const *lookups, const char **why)
{
	struct text text = {.arena = &arena};
	struct timespec begun;
	clock_gettime(CLOCK_REALTIME, &begun);
	for (; *lookups; lookups++) {
		text_append(&text, access(*lookups, F_OK) ? "-" : "+", 1);
		text_append(&text, *lookups, strlen(*lookups) + 1);
	}
	return witness_lines(&arena, begun, makefile, &text, library, why);
}

#define PATHS(...)                                                                                                     \
	(const char *const[])                                                                                          \
	{                                                                                                              \
		__VA_ARGS__, NULL                                                                                      \
	}

static bool has(const char *lines, const char *line)
{
	const char *found = strstr(lines, line);
	return found && (found == lines || found[-1] == '\n') && found[strlen(line)] == '\n';
}

static void test_lines(void **state)
{
	const char *why, *lines = lines_of("-: /lockstep/device/x.h b/v.h\n",
				 PATHS(".", "./v.h", "/x", "a", "b", "b/./v.h", "/proc/self/fd/9", "a", "b/"), &why);
	(void)state;
	assert_non_null(lines);
	static const char *const expected[] = {"/0 .", "- ./v.h", "- /x", "- a", "/4 b", "+5 b/./v.h", "/4 b/"};
	for (size_t k = 0; k < sizeof expected / sizeof *expected; k++)
		assert_true(has(lines, expected[k]));
	assert_null(strstr(lines, "/proc")); /* files of the compilation itself */
	library = "b/../b/v.h";
	assert_null(strstr(lines_of("-:\n", PATHS("b", "b/v.h"), &why), "v.h"));
	library = NULL;
	const char *content = strchr(lines, '=');
	assert_non_null(content);
	assert_int_equal(strcspn(content, " "), 33);
	assert_string_equal(content + 33, " b/v.h\n");
	assert_true(witness_holds(&arena, lines));
}

/* Each change by itself, and back. */
static void test_changes(void **state)
{
	const char *why, *lines = lines_of("-: b/v.h\n", PATHS("a", "b", "b/v.h", "b/w.h", "w.h"), &why);
	(void)state;
	assert_true(witness_holds(&arena, lines));
	write_file("w.h", "");
	assert_false(witness_holds(&arena, lines));
	unlink("w.h");
	assert_true(witness_holds(&arena, lines));
	mkdir("a", 0700);
	assert_false(witness_holds(&arena, lines));
	rmdir("a");
	write_file("b/v.h", "#include <w.h>\n");
	assert_false(witness_holds(&arena, lines));
	write_file("b/v.h", "#include \"w.h\"\n");
	assert_true(witness_holds(&arena, lines));
	assert_int_equal(rename("b/v.h", "kept"), 0);
	assert_false(witness_holds(&arena, lines));
	assert_int_equal(mkfifo("b/v.h", 0600), 0);
	assert_false(witness_holds(&arena, lines)); /* a pipe is not waited for */
	unlink("b/v.h");
	assert_int_equal(symlink("../kept", "b/v.h"), 0);
	assert_true(witness_holds(&arena, lines)); /* the same content */
	unlink("b/v.h");
	assert_int_equal(rename("kept", "b/v.h"), 0);
	/* Lines that are none. */
	assert_false(witness_holds(&arena, "nothing"));
	assert_false(witness_holds(&arena, "- x"));
	assert_false(witness_holds(&arena, "-\n"));
	assert_true(witness_holds(&arena, ""));
}

/* Two files or one under two names. */
static void test_same(void **state)
{
	const char *why;
	(void)state;
	write_file("b/u.h", "#include \"w.h\"\n");
	const char *lines = lines_of("-: b/v.h b/u.h\n", PATHS("b/v.h", "b/u.h"), &why);
	assert_true(witness_holds(&arena, lines));
	unlink("b/u.h");
	assert_int_equal(link("b/v.h", "b/u.h"), 0);
	assert_false(witness_holds(&arena, lines));
	unlink("b/u.h");
}

static void test_unknown(void **state)
{
	static const char silent[] = "a compiler that does not say what it looks for";
	const char *why;
	(void)state;
	assert_null(lines_of("-:\n", (const char *const[]){NULL}, &why));
	assert_string_equal(why, silent);
	assert_null(lines_of("-: b/v.h\n", PATHS("a", "b"), &why));
	assert_string_equal(why, silent);
	assert_non_null(lines_of("-: b/v.h\n", PATHS("b/../b/v.h"), &why)); /* by another name */
	assert_null(lines_of("-: missing\n", PATHS("missing"), &why));
	assert_string_equal(why, "a file that is gone");
	assert_null(lines_of("-:\n", PATHS("b", "\n"), &why));
	assert_string_equal(why, "the time of the compilation");
	assert_null(lines_of("-:\n", PATHS("b\nb"), &why));
	assert_string_equal(why, "a path of two lines");
	write_file("t.h", "#pragma GCC dependency \"v.h\"\n");
	assert_null(lines_of("-: t.h\n", PATHS("t.h"), &why));
	assert_string_equal(why, "the times of files");
	unlink("t.h");
}

static void test_times(void **state)
{
	static const char *const yes[] = {"#pragma GCC dependency \"x\"\n", "_Pragma(\"clang \t dependency\")"},
				 *const no[] = {
					 "", "a dependency of GCC", "dependency", " dependency", "GCCdependency"};
	(void)state;
	for (size_t k = 0; k < sizeof yes / sizeof *yes; k++)
		assert_true(witness_compares_times(yes[k]));
	for (size_t k = 0; k < sizeof no / sizeof *no; k++)
		assert_false(witness_compares_times(no[k]));
}

/* What is there is not what clang saw: it came, went or was written later than the compilation began. */
static void test_later(void **state)
{
	static const struct {
		const char *lookup;
		time_t begun;
		bool holds;
	} rows[] = {{"+b", 1, true}, {"-b", 1, false}, {"-none", 1, true}, {"+none", 1, false}, {"+b/v.h", 1, false},
		{"+b/v.h", 1ll << 40, true}, {"-b/v.h", 1ll << 40, false}};
	(void)state;
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		struct text lookups = {.arena = &arena};
		const char *why;
		text_append(&lookups, rows[k].lookup, strlen(rows[k].lookup) + 1);
		const char *lines =
			witness_lines(&arena, (struct timespec){.tv_sec = rows[k].begun}, "-:\n", &lookups, NULL, &why);
		assert_int_equal(lines != NULL, rows[k].holds);
		if (!lines)
			assert_string_equal(why, "a file that changed meanwhile");
	}
}

static int begin(void **state)
{
	(void)state;
	if (!mkdtemp(folder) || chdir(folder) || mkdir("b", 0700))
		return -1;
	write_file("b/v.h", "#include \"w.h\"\n");
	return 0;
}

static int end(void **state)
{
	(void)state;
	arena_free(&arena);
	unlink("b/v.h");
	rmdir("b");
	return chdir("/") || rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_changes),
		cmocka_unit_test(test_same),
		cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_times),
		cmocka_unit_test(test_later),
	};
	return cmocka_run_group_tests(tests, begin, end);
}
