/* Which findings the entries of a file of suppressions match: docs/checks.md, "Suppressions". */
#include "report/suppressions.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static struct arena arena;

static int free_memory(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

static bool read_entries(struct suppressions *to, const char *text, struct diagnostic *diagnostic)
{
	char path[] = "/tmp/suppressions_XXXXXX";
	int file = mkstemp(path);
	FILE *stream = fdopen(file, "w");
	bool good;

	assert_non_null(stream);
	fputs(text, stream);
	fclose(stream);
	good = suppressions_read(to, &arena, path, diagnostic);
	unlink(path);
	return good;
}

/* A race of two lines in a kernel that C++ calls `void add<int>(int*)`. */
static const char race[] =
	"[{\"kind\": \"race\", \"cause\": \"missing-fence\", \"kernel\": \"_Z3addIiEvPT_\", \"count\": 7, \"lines\": ["
	"{\"file\": \"/home/a/sum.cu\", \"line\": 117}, {\"file\": \"/home/a/sum_tail.cu\", \"line\": 192, "
	"\"inlined\": ["
	"{\"file\": \"/home/a/wait.h\", \"line\": 12}, {\"file\": \"/home/a/peek.h\", \"line\": 5}]}], "
	"\"addresses\": [\"0x10000100 ('sums' + 0x0)\", \"0x10000200 ('flag' + 0x0)\"]}]";

/* Whether an entry of these lines suppresses the race. */
static bool suppresses(const char *lines)
{
	struct suppressions s = {0};
	struct diagnostic diagnostic = {0};
	json_object *findings = json_tokener_parse(race);
	bool marked;

	assert_true(read_entries(&s, arena_printf(&arena, "{\n%s\n}\n", lines), &diagnostic));
	suppressions_mark(&s, findings);
	marked = suppressions_is_marked(findings, 0);
	assert_int_equal(suppressions_count_left(findings), !marked);
	assert_int_equal(s.list.at[0].findings, marked);
	assert_int_equal(s.list.at[0].count, marked ? 7 : 0);
	json_object_put(findings);
	return marked;
}

static void kind_and_cause(void **state)
{
	(void)state;
	assert_true(suppresses("kind: race"));
	assert_false(suppresses("kind: hang"));
	assert_true(suppresses("cause: missing-fence"));
	assert_false(suppresses("cause: missing-barrier"));
	assert_true(suppresses("cause: missing-*"));
	assert_true(suppresses("cause: m*-*e"));
	assert_false(suppresses("cause: m*-*r"));
	assert_true(suppresses("kind: r?ce"));
	assert_false(suppresses("kind: ra?"));
	assert_false(suppresses("kind: race\ncause: no-order")); /* all lines must match */
}

static void lines(void **state)
{
	(void)state;
	assert_true(suppresses("line: sum.cu:117"));
	assert_true(suppresses("line: a/sum.cu:117"));
	assert_true(suppresses("line: /home/a/sum.cu:117"));
	assert_false(suppresses("line: um.cu:117")); /* behind a slash only */
	assert_false(suppresses("line: sum.cu:192"));
	assert_false(suppresses("line: sum.cu:116")); /* that line, and none behind it */
	assert_false(suppresses("line: sum.cu:1"));
	assert_false(suppresses("line: sum.cu:118"));
	assert_true(suppresses("line: sum.cu:117-117"));
	assert_true(suppresses("line: sum.cu:117-118"));
	assert_true(suppresses("line: sum.cu:1-117"));
	assert_true(suppresses("line: sum_tail.cu:190-192"));
	assert_false(suppresses("line: sum_tail.cu:193-199"));
	assert_true(suppresses("line: *.cu:*"));
	/* within the functions that were inlined there; which is no further side */
	assert_true(suppresses("line: wait.h:12"));
	assert_true(suppresses("line: peek.h:1-5"));
	assert_false(suppresses("line: peek.h:12"));
	assert_true(suppresses("line: peek.h:5\nline: sum.cu:117"));
	assert_false(suppresses("line: peek.h:5\nline: sum_tail.cu:192"));
	/* the two sides, in any order, and not one for both */
	assert_true(suppresses("line: sum.cu:117\nline: sum_tail.cu:192"));
	assert_true(suppresses("line: sum_tail.cu:192\nline: sum.cu:117"));
	assert_true(suppresses("line: *.cu:*\nline: sum.cu:117"));
	assert_false(suppresses("line: sum.cu:117\nline: sum.cu:117"));
	assert_false(suppresses("line: sum.cu:117\nline: sum.cu:192"));
}

/* What is no line or range of lines is refused. */
static void no_lines(void **state)
{
	static const char *const bad[] = {
		"0", "0-5", "118-117", "117-", "-117", "a", "117-b", "1-4294967296", "4294967296", ""};

	(void)state;
	for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
		struct suppressions s = {0};
		struct diagnostic diagnostic = {0};

		assert_false(read_entries(&s, arena_printf(&arena, "{\nline: sum.cu:%s\n}\n", bad[k]), &diagnostic));
		assert_non_null(strstr(diagnostic.message,
			arena_printf(&arena, "'sum.cu:%s': expected FILE:LINE, FILE:FIRST-LAST or FILE:*", bad[k])));
	}
	assert_true(suppresses("line: sum.cu:1-4294967295"));
}

static void object_and_kernel(void **state)
{
	(void)state;
	assert_true(suppresses("object: sums"));
	assert_true(suppresses("object: *'sums' + 0x0)"));
	assert_false(suppresses("object: flag")); /* that is where the thread heard of it, and not what raced */
	assert_false(suppresses("object: sum"));
	assert_true(suppresses("kernel: _Z3addIiEvPT_"));
	assert_true(suppresses("kernel: add<int>"));
	assert_true(suppresses("kernel: void add<int>(int*)"));
	assert_true(suppresses("kernel: add*"));
	assert_false(suppresses("kernel: sub*"));
}

static void the_first_entry_counts(void **state)
{
	struct suppressions s = {0};
	struct diagnostic diagnostic = {0};
	json_object *findings = json_tokener_parse(race);
	struct text out = {.arena = &arena};

	(void)state;
	assert_true(read_entries(&s,
		"# nothing of that\n{\n\tname: hangs\n\tkind: hang\n}\n\n{\n\tname: the sums\n\tkind: race\n}\n"
		"  { \n  cause: *  \n  }",
		&diagnostic));
	assert_int_equal(s.list.count, 3);
	suppressions_mark(&s, findings);
	assert_int_equal(s.list.at[0].findings, 0);
	assert_int_equal(s.list.at[1].findings, 1);
	assert_int_equal(s.list.at[2].findings, 0);
	assert_int_equal(s.list.at[2].place.line, 11);
	assert_int_equal(s.list.at[2].place.column, 3);
	for (uint32_t k = 0; k < 3; k++)
		s.list.at[k].place.file = "known";
	suppressions_text(&out, &s);
	assert_string_equal(out.at, "suppressed by 'hangs' (known:2): nothing\n"
				    "suppressed by 'the sums' (known:7): 1 finding (count 7)\n"
				    "suppressed by known:11: nothing\n");
	json_object_put(findings);
}

/* What is left are the others, in their order; the findings stay as they were. */
static void the_others_are_left(void **state)
{
	struct suppressions s = {0};
	struct diagnostic diagnostic = {0};
	json_object *findings = json_object_new_array(), *left;

	(void)state;
	for (uint32_t k = 0; k < 4; k++)
		json_object_array_add(
			findings, json_tokener_parse(arena_printf(&arena,
					  "{\"kind\": \"%s\", \"count\": %u, \"lines\": [], \"addresses\": []}",
					  k % 2 ? "race" : "hang", k)));
	assert_true(read_entries(&s, "{\nkind: race\n}\n", &diagnostic));
	suppressions_mark(&s, findings);
	assert_int_equal(suppressions_count_left(findings), 2);
	left = suppressions_left(findings);
	assert_int_equal(json_object_array_length(findings), 4);
	assert_int_equal(json_object_array_length(left), 2);
	for (uint32_t k = 0; k < 2; k++) {
		json_object *finding = json_object_array_get_idx(left, k);

		assert_string_equal(json_object_get_string(json_object_object_get(finding, "kind")), "hang");
		assert_int_equal(json_object_get_int64(json_object_object_get(finding, "count")), 2 * k);
	}
	json_object_put(left);
	json_object_put(findings);
}

static void what_is_generated_suppresses(void **state)
{
	char path[] = "/tmp/suppressions_XXXXXX";
	struct suppressions s = {0};
	struct diagnostic diagnostic = {0};
	json_object *findings = json_tokener_parse(race);

	(void)state;
	close(mkstemp(path));
	suppressions_write(path, &arena, findings, &diagnostic);
	assert_true(suppressions_read(&s, &arena, path, &diagnostic));
	unlink(path);
	assert_int_equal(s.list.count, 1);
	assert_string_equal(s.list.at[0].kind, "race");
	assert_string_equal(s.list.at[0].cause, "missing-fence");
	assert_string_equal(s.list.at[0].object, "sums");
	assert_int_equal(s.list.at[0].line_count, 2);
	assert_string_equal(s.list.at[0].lines[1].file, "/home/a/peek.h"); /* innermost */
	assert_int_equal(s.list.at[0].lines[1].first, 5);
	suppressions_mark(&s, findings);
	assert_true(suppressions_is_marked(findings, 0));
	json_object_put(findings);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(kind_and_cause, free_memory),
		cmocka_unit_test_teardown(lines, free_memory),
		cmocka_unit_test_teardown(no_lines, free_memory),
		cmocka_unit_test_teardown(object_and_kernel, free_memory),
		cmocka_unit_test_teardown(the_first_entry_counts, free_memory),
		cmocka_unit_test_teardown(the_others_are_left, free_memory),
		cmocka_unit_test_teardown(what_is_generated_suppresses, free_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
