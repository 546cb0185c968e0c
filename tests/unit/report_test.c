/* Reports: the forms of a place, the sticky first error, lines that are too long. */
#include "util/diagnostic.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void places_leave_out_what_is_unknown(void **state)
{
	(void)state;
	static const struct {
		struct place place;
		const char *line;
	} rows[] = {
		{{NULL, 0, 0}, "bad type '.b128'"},
		{{NULL, 3, 4}, "bad type '.b128'"},
		{{"a.ptx", 0, 0}, "a.ptx: bad type '.b128'"},
		{{"a.ptx", 12, 0}, "a.ptx:12: bad type '.b128'"},
		{{"a.ptx", 12, 7}, "a.ptx:12:7: bad type '.b128'"},
		{{"a.ptx", 0, 7}, "a.ptx: bad type '.b128'"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct diagnostic diagnostic = {0};
		diagnose(&diagnostic, rows[i].place, "bad type '%s'", ".b128");
		assert_true(diagnostic.failed);
		assert_string_equal(diagnostic.message, rows[i].line);
	}
}

static void the_first_error_stays(void **state)
{
	(void)state;
	struct diagnostic diagnostic = {0};
	assert_string_equal(diagnostic.message, "");
	diagnose(&diagnostic, (struct place){"a.ptx", 1, 1}, "first");
	diagnose(&diagnostic, (struct place){"a.ptx", 2, 1}, "second");
	assert_string_equal(diagnostic.message, "a.ptx:1:1: first");
}

static void long_lines_are_cut_visibly(void **state)
{
	(void)state;
	char file[3000];
	memset(file, 'f', sizeof file - 1);
	file[sizeof file - 1] = '\0';
	for (size_t length = 1000; length < 1030; length++) {
		struct diagnostic diagnostic = {0};
		diagnose(&diagnostic, (struct place){0}, "%.*s", (int)length, file);
		bool cut = length >= sizeof diagnostic.message;
		assert_int_equal(strlen(diagnostic.message), cut ? sizeof diagnostic.message - 1 : length);
		assert_int_equal(!strcmp(diagnostic.message + strlen(diagnostic.message) - 3, "..."), cut);
	}
	struct diagnostic diagnostic = {0};
	diagnose(&diagnostic, (struct place){file, 1, 1}, "what"); /* of a name the end, and what is wrong is there */
	assert_int_equal(strspn(diagnostic.message, "."), 3);
	assert_int_equal(strspn(diagnostic.message + 3, "f"), 600);
	assert_string_equal(diagnostic.message + 603, ":1:1: what");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(places_leave_out_what_is_unknown),
		cmocka_unit_test(the_first_error_stays),
		cmocka_unit_test(long_lines_are_cut_visibly),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
