/* Kernels' names for people. */
#include "util/demangle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void test_names(void **state)
{
	struct arena arena = {0};
	(void)state;
	assert_string_equal(demangle_short(&arena, "_Z3addPKfPfi"), "add");
	assert_string_equal(demangle(&arena, "_Z3addPKfPfi", true), "add(float const*, float*, int)");
	assert_string_equal(demangle_short(&arena, "_Z7reduce6IiLj256ELb1EEvPT_S1_j"), "reduce6<int, 256u, true>");
	assert_string_equal(demangle(&arena, "_Z7reduce6IiLj256ELb1EEvPT_S1_j", true),
		"void reduce6<int, 256u, true>(int*, int*, unsigned int)");
	arena_free(&arena);
}

static void test_others(void **state)
{
	static const char *const names[] = {"add", "", "_Z", "_Z3ad", "_Z9999999999x", "main"};
	struct arena arena = {0};
	(void)state;
	for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
		assert_string_equal(demangle_short(&arena, names[k]), names[k]);
		assert_null(demangle(&arena, names[k], true));
	}
	arena_free(&arena);
}

static void test_calls(void **state)
{
	(void)state;
	assert_true(demangle_is("add", "add"));
	assert_true(demangle_is("_Z3addPKfPfi", "_Z3addPKfPfi"));
	assert_true(demangle_is("_Z3addPKfPfi", "add"));
	assert_true(demangle_is("_Z7reduce6IiLj256ELb1EEvPT_S1_j", "reduce6"));
	assert_true(demangle_is("_ZN4deep3addEPf", "deep::add"));
	assert_false(demangle_is("_ZN4deep3addEPf", "add"));
	assert_false(demangle_is("add", "ad"));
	assert_false(demangle_is("_Z3addPKfPfi", "ad"));
	assert_false(demangle_is("_Z3addPKfPfi", "addP"));
	assert_false(demangle_is("add", ""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names), cmocka_unit_test(test_others), cmocka_unit_test(test_calls)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
