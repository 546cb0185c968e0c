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

/* The lines of a text in memory that was compiled with -Ia -Ib and read these files; null and why. */
static const char *lines_of(const char *text, const char *const *files, const char *source, const char **why)
{
	static const char *const folders[] = {"a", "b"};
	struct spellings names = {.arena = &arena};
	struct witness witness = {.arena = &arena, .names = &names, .source = source};
	clock_gettime(CLOCK_REALTIME, &witness.begun);
	spellings_add(&names, text, strlen(text));
	for (; *files; files++)
		witness_add_file(&witness, *files);
	const char *lines = witness_lines(&witness, folders, 2);
	*why = witness.unknown;
	return lines;
}

#define FILES(...)                                                                                                     \
	(const char *const[])                                                                                          \
	{                                                                                                              \
		__VA_ARGS__, NULL                                                                                      \
	}
#define NONE ((const char *const[]){NULL})

static bool has(const char *lines, const char *line)
{
	const char *found = strstr(lines, line);
	return found && (found == lines || found[-1] == '\n') && found[strlen(line)] == '\n';
}

static void test_lines(void **state)
{
	const char *why, *lines = lines_of("#include \"v.h\"\n#include </x>\n", FILES("b/v.h"), NULL, &why);
	(void)state;
	assert_non_null(lines);
	assert_int_equal(*lines, '=');
	assert_int_equal(strcspn(lines, " "), 33);
	static const char *const expected[] = {
		"/1 .", "- ./v.h", "- /x", "- a", "/6 b", "+7 b/v.h", "- b/w.h", "- ./w.h"};
	for (size_t k = 0; k < sizeof expected / sizeof *expected; k++)
		assert_true(has(lines, expected[k]));
	assert_null(strstr(lines, "a/v.h")); /* there is no folder a */
	assert_true(witness_holds(&arena, lines));
}

/* Each change by itself, and back. */
static void test_changes(void **state)
{
	const char *why, *lines = lines_of("#include \"v.h\"\n", FILES("b/v.h"), NULL, &why);
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
	const char *why, *text = "#include \"b/v.h\"\n#include \"b/u.h\"\n";
	(void)state;
	write_file("b/u.h", "#include \"w.h\"\n");
	const char *lines = lines_of(text, FILES("b/v.h", "b/u.h"), NULL, &why);
	assert_true(witness_holds(&arena, lines));
	unlink("b/u.h");
	assert_int_equal(link("b/v.h", "b/u.h"), 0);
	assert_false(witness_holds(&arena, lines));
	unlink("b/u.h");
}

static void test_unknown(void **state)
{
	const char *why;
	(void)state;
	assert_null(lines_of("", FILES("b/v.h"), NULL, &why));
	assert_string_equal(why, "a file that no name leads to");
	assert_non_null(lines_of("", FILES("b/v.h"), "b/../b/v.h", &why));
	assert_null(lines_of("", FILES("missing"), NULL, &why));
	assert_string_equal(why, "a file that is gone");
	assert_null(lines_of("__TIME__", NONE, NULL, &why));
	assert_string_equal(why, "the time of the compilation");
	write_file("a", "a header map, perhaps");
	assert_null(lines_of("", NONE, NULL, &why));
	assert_string_equal(why, "a folder that is a file");
	unlink("a");
	/* A folder that leads to itself, as deep as links may. */
	assert_int_equal(symlink(".", "l"), 0);
	write_file("l.h", "#include \"l/l.h\"\n");
	const char *lines = lines_of("#include \"l.h\"\n", FILES("l.h"), NULL, &why);
	assert_non_null(lines);
	assert_true(witness_holds(&arena, lines));
	unlink("l.h");
	unlink("l");
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
	};
	return cmocka_run_group_tests(tests, begin, end);
}
