/* compile/spellings, compile/search: names in all the forms that a preprocessor takes, what is not understood, clang's
 * list of folders. */
#include "compile/search.h"
#include "compile/spellings.h"
#include "util/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static struct arena arena;

/* "name" <name> ... of a text; behind it, with a !, why that is not all. */
static const char *names_in(const char *text, size_t length)
{
	struct spellings spellings = {.arena = &arena};
	struct text out = {.arena = &arena};
	spellings_add(&spellings, text, length);
	text_append(&out, "", 0);
	for (uint32_t k = 0; k < spellings.list.count; k++)
		text_print(&out, spellings.list.at[k].is_quoted ? "\"%s\" " : "<%s> ", spellings.list.at[k].name);
	if (spellings_unknown(&spellings))
		text_print(&out, "!%s", spellings_unknown(&spellings));
	return out.at;
}

#define NO_NAME "!an #include without a name"
#define NO_HAS "!a __has_include without a name"
#define TIME "!the time of the compilation"
#define PIECES "!a name made of pieces"

static void test_names(void **state)
{
	static const struct {
		const char *text, *names;
	} table[] = {
		{"", ""},
		{"int include = 4; // include \"x\"\n", ""},
		{"#include \"x.h\"\n", "\"x.h\" "},
		{"#include <x.h>\n#include \"x.h\"\n#include <x.h>\n", "<x.h> \"x.h\" "},
		{" \t# \t include\t<a b/c.h>", "<a b/c.h> "},
		{"/* a\n */ #/* b */include/* c\n d */<x>\n", "<x> "},
		{"#inc\\\nlude \"x\\\r\n.h\"\n#inc\\ \t\nlude <y>\n#\\\rinclude <z>", "\"x.h\" <y> <z> "},
		{"\r#include <x>\r#include <y>", "<x> <y> "},
		{"%:include <x>\n%: include_next <y>\n", "<x> <y> "},
		{"#import <x>\n#include_next \"y\"\n#embed <z> limit(4)\n#__include_macros <w>\n",
			"<x> \"y\" <z> <w> "},
		{"#includes <x>\n#define include <y>\nx #include <z>\n", ""},
		{"/*\n#include directives\n * __has_include */ // __TIME__\n", ""},
		{"x = \"/*\";\n#include <x>\n", "<x> "},
		{"x = '\"'; /* __TIME__ */ y = '\\''; // __TIME__", ""},
		{"it's /*\n#include <x>\n", "<x> "},
		{"\"\\\" /*\n#include <x>\n", "<x> "},
		{"R\"(/*)\"\n#include <x>\n", "<x> "},
		{"#include <a/*b>\n#include <x>\n", "<a/*b> <x> "},
		{"#include <a//b>\n#include <x>\n", "<a//b> <x> "},
		{"#if a < b // NAME\n#endif // __TIME__\n", TIME},
		{"#include <x> /* #include\n#include NAME\n", "<x> "},
		{"a < b /* __TIME__ */", ""},
		{"#include NAME\n", NO_NAME},
		{"#include\n<x>\n", NO_NAME},
		{"#include \"x\n\"", NO_NAME},
		{"#include <x", NO_NAME},
		{"#include // no\n", NO_NAME},
		{"#if __has_include(<x>) || __has_include_next ( \"y\" ) || __has_embed(/**/<z>)\n", "<x> \"y\" <z> "},
		{"#if defined(__has_include) && __has_include(\"x\")\n", "\"x\" "},
		{"#ifdef __has_include\n#if defined __has_include /* */\n#ifndef __has_embed\n", ""},
		{"#if __has_include(NAME)\n", NO_HAS},
		{"#define HAS __has_include\n", NO_HAS},
		{"#define F(ifdef) ifdef __has_include (NAME)\n", NO_HAS},
		{"x = __has_includes(NAME);", ""},
		{"__TIME__", TIME},
		{"\"__DATE__\"", TIME},
		{"a __TIMESTAMP__ b", TIME},
		{"__TIMES__", ""},
		{"#pragma GCC dependency \"x\"\n", "!the times of files"},
		{"_Pragma(\"clang /**/ dependency\")", "!the times of files"},
		{"a dependency of GCC", ""},
		{"a ?\?/\n", "!a trigraph"},
		{"?\?=include <x>\n", "!a trigraph"},
		{"a##b __has_ include", PIECES},
		{"a%:%:b __ has _ include", PIECES},
		{"a##b __has_ includes _", ""},
		{"__has_ include", ""},
		{"a##b __TI ME__", PIECES},
	};
	static const char with_nul[] = "#\0include\0<x>\n\0#include <y>";
	(void)state;
	for (size_t k = 0; k < sizeof table / sizeof *table; k++)
		assert_string_equal(names_in(table[k].text, strlen(table[k].text)), table[k].names);
	assert_string_equal(names_in(with_nul, sizeof with_nul - 1), "<x> <y> ");
}

/* Pieces of one text and of another; what one does not say, several do not. */
static void test_join(void **state)
{
	struct spellings one = {.arena = &arena}, two = {.arena = &arena}, three = {.arena = &arena};
	(void)state;
	spellings_add(&one, "a##b", 4);
	spellings_add(&two, "#include <x>\n__has_ include", 28);
	spellings_join(&one, &two);
	assert_int_equal(one.list.count, 1);
	assert_string_equal(spellings_unknown(&one), &PIECES[1]);
	assert_null(spellings_unknown(&two));
	spellings_add(&three, "__TIME__", 8);
	spellings_join(&two, &three);
	assert_string_equal(spellings_unknown(&two), &TIME[1]);
}

static const char *folders_in(const char *search)
{
	struct search_folders folders = {0};
	struct text out = {.arena = &arena};
	if (!search_read(&arena, &folders, search))
		return NULL;
	text_append(&out, "", 0);
	for (uint32_t k = 0; k < folders.list.count; k++)
		text_print(&out, "%s;", folders.list.at[k]);
	return out.at;
}

#define BEGIN "clang -cc1 version 14.0.6 based upon LLVM\n"
#define STARTS "#include \"...\" search starts here:\n#include <...> search starts here:\n"
#define END "End of search list.\n"

static void test_search(void **state)
{
	struct text log = {.arena = &arena};
	(void)state;
	assert_null(search_take(&log, 0));
	text_print(&log, "before\n");
	assert_null(search_take(&log, log.length));
	text_print(&log, "a driver's warning\n" BEGIN STARTS " a\n" END "t.cu:1: error: End of search list.\n");
	const char *search = search_take(&log, strlen("before\n"));
	assert_string_equal(search, BEGIN STARTS " a\n" END);
	assert_string_equal(log.at, "before\na driver's warning\nt.cu:1: error: End of search list.\n");
	assert_int_equal(log.length, strlen(log.at));
	assert_null(search_take(&log, 0));
	text_print(&log, BEGIN " a\n"); /* and then it was killed */
	assert_null(search_take(&log, 0));
	assert_string_equal(folders_in(search), "a;");
	assert_string_equal(
		folders_in(BEGIN "ignoring nonexistent directory \"b c\"\nignoring duplicate directory \"d\"\n"
				 "  as it is a non-system directory that duplicates a system directory\n"
				 "#include \"...\" search starts here:\n e\n"
				 "#include <...> search starts here:\n /f g\n" END),
		"b c;d;e;/f g;");
	assert_null(folders_in(BEGIN STARTS " a (headermap)\n" END));
	assert_null(folders_in(BEGIN STARTS " a (framework directory)\n" END));
	assert_null(folders_in(BEGIN STARTS " a\nb\n" END));
	assert_null(folders_in(BEGIN "ignoring something\n" STARTS END));
	assert_null(folders_in(BEGIN "ignoring directory \"\n" STARTS END));
}

static int end(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_join),
		cmocka_unit_test(test_search),
	};
	return cmocka_run_group_tests(tests, NULL, end);
}
