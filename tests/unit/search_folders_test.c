/* Where clang looks for headers, by what it says with -v (compile/search.h): the list is taken out of the messages, and
 * read folder by folder.  The texts are as clang's InitHeaderSearch.cpp writes them. */
#include "compile/search.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define FIRST "clang -cc1 version 14.0.6 based upon LLVM 14.0.6 default target x86_64-pc-linux-gnu\n"
#define LAST "End of search list.\n"
#define STARTS "#include \"...\" search starts here:\n"
#define SYSTEM "#include <...> search starts here:\n"

static struct arena arena;

/* What is said before and behind stays, and so does what was there before `from`, a list too. */
static void a_list_is_taken_out(void **state)
{
	static const struct {
		const char *before, *log, *list, *left;
	} rows[] = {
		{"", FIRST STARTS LAST, FIRST STARTS LAST, ""},
		{"", "a.c:1: warning\n" FIRST SYSTEM " /b\n" LAST "1 warning\n", FIRST SYSTEM " /b\n" LAST,
			"a.c:1: warning\n1 warning\n"},
		{FIRST LAST, "x\n" FIRST " /b\n" LAST "y", FIRST " /b\n" LAST, FIRST LAST "x\ny"},
		{FIRST LAST, "x\n", NULL, FIRST LAST "x\n"},
		{"", "not " FIRST LAST, NULL, "not " FIRST LAST},
		{"", FIRST SYSTEM "not " LAST, NULL, FIRST SYSTEM "not " LAST},
		{"", "not " FIRST "is not: " LAST FIRST " /a\n" LAST, FIRST " /a\n" LAST, "not " FIRST "is not: " LAST},
		{FIRST LAST, "", NULL, FIRST LAST},
	};
	(void)state;
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		struct text log = {.arena = &arena};
		text_print(&log, "%s%s", rows[k].before, rows[k].log);
		const char *list = search_take(&log, strlen(rows[k].before));
		assert_int_equal(!list, !rows[k].list);
		if (list)
			assert_string_equal(list, rows[k].list);
		assert_string_equal(log.at, rows[k].left);
		assert_int_equal(log.length, strlen(rows[k].left));
	}
	assert_null(search_take(&(struct text){.arena = &arena}, 0)); /* nothing was said at all */
}

/* Folders that are not there may come to be; one that is named twice is looked at once more.  What is no folder is not
 * known. */
static void its_folders_are_read(void **state)
{
	static const struct {
		const char *list, *folders[6]; /* none: it cannot be read */
	} rows[] = {
		{FIRST STARTS " /q\n" SYSTEM " /a b\n /usr/include\n" LAST, {"/q", "/a b", "/usr/include"}},
		{FIRST "ignoring nonexistent directory \"/none\"\nignoring duplicate directory \"/c\"\n"
		       "  as it is a non-system directory that duplicates a system directory\n" STARTS SYSTEM
		       " /c\n" LAST,
			{"/none", "/c", "/c"}},
		{FIRST "ignoring nonexistent directory \"x\"\n" SYSTEM " y\n" LAST, {"x", "y"}},
		{FIRST SYSTEM " /f (framework directory)\n" LAST, {NULL}},
		{FIRST SYSTEM " /h (headermap)\n" LAST, {NULL}},
		{FIRST "ignoring nonexistent directory \"\n" LAST, {NULL}},
		{FIRST "ignoring nonexistent directory \"/a\n" LAST, {NULL}},
		{FIRST "ignoring nonexistent directory /a\"\n" LAST, {NULL}},
		{FIRST SYSTEM " \n" LAST, {NULL}},
		{FIRST "something else\n" LAST, {NULL}},
	};
	(void)state;
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		struct search_folders folders = {0};
		uint32_t count = 0;
		assert_int_equal(search_read(&arena, &folders, rows[k].list), rows[k].folders[0] != NULL);
		for (; rows[k].folders[count]; count++) {
			assert_true(count < folders.list.count);
			assert_string_equal(folders.list.at[count], rows[k].folders[count]);
		}
		if (count)
			assert_int_equal(folders.list.count, count);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_list_is_taken_out),
		cmocka_unit_test(its_folders_are_read),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	arena_free(&arena);
	return failed;
}
