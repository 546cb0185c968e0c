/* Kernels' names for people. */
#include "util/demangle.h"
#include "util/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

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

/* A function with so many template arguments. */
static const char *long_name(struct arena *arena, size_t arguments)
{
	struct text text = {.arena = arena};
	text_print(&text, "_Z1fI");
	for (size_t k = 0; k < arguments; k++)
		text_print(&text, "10component_");
	text_print(&text, "Evv");
	return text.at;
}

static void test_long_names(void **state)
{
	(void)state;
	struct arena arena = {0};
	const char *text = demangle_short(&arena, long_name(&arena, 150));
	assert_memory_equal(text, "f<component_, ", 14);
	assert_int_equal(strlen(text), strlen("f<>") + 150 * strlen("component_, ") - 2);
	/* One made to exhaust the stack is left as it is. */
	const char *endless = long_name(&arena, 1000);
	assert_ptr_equal(demangle_short(&arena, endless), endless);
	arena_free(&arena);
}

static void test_brief_names(void **state)
{
	static const struct {
		const char *name, *brief; /* without the number */
	} rows[] = {
		/* As it is, while it fits. */
		{"k", "k"},
		{"_Z3addPKfPfi", "add"},
		{"_ZN37_INTERNAL_6f5bbbc1_4_x_cu_8d2b9d9a_123addEPf", "add"},
		{"_ZN3gem4gemmIfNS_4TileILi1ELi2EEEEEvT_", "gem::gemm<float, gem::Tile<1, 2> >"},
		/* The arguments of arguments go first, then arguments, then namespaces. */
		{"_Z4gemmIf4TileILi128ELi128ELi128ELi128ELi128ELi128ELi128ELi128ELi128EEEvT_",
			"gemm<float, Tile<...>>"},
		{"_Z4gemmIfdfdfdfdfdfdfdfdfdfdfdfdfdfdEvT_", "gemm<float, double, float, double, float, double, ...>"},
		{"_ZN21a_very_long_namespace23another_long_namespace_4gemmIfdfdfdfdfdfdfdfdfdEEvT_",
			"another_long_namespace_::gemm<float, double, ...>"},
		{"_ZN1AI13TileOfWarpsXYILi128ELi128ELi128ELi128ELi128ELi128ELi128ELi128ELi128EEE3runEv", "A<...>::run"},
		{"a_kernel_of_a_name_that_is_longer_than_any_column_of_any_table_is_wide",
			"a_kernel_of_a_name_that_is_longer_than_any_column_of..."},
	};
	struct arena arena = {0};
	(void)state;
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		const char *brief = demangle_brief(&arena, rows[k].name);
		assert_true(strlen(brief) <= DEMANGLE_COLUMNS);
		assert_string_equal(arena_copy(&arena, brief, strcspn(brief, "#")), rows[k].brief);
		assert_true(demangle_is(rows[k].name, brief));
	}
	arena_free(&arena);
}

static void test_distinct_names(void **state)
{
	(void)state;
	struct arena arena = {0};
	const char *one = demangle_brief(&arena, long_name(&arena, 150)),
		   *other = demangle_brief(&arena, long_name(&arena, 151));
	assert_int_equal(strcspn(one, "#"), strcspn(other, "#"));
	assert_string_not_equal(one, other);
	assert_string_equal(one, demangle_brief(&arena, long_name(&arena, 150)));
	arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_long_names), cmocka_unit_test(test_brief_names),
		cmocka_unit_test(test_distinct_names), cmocka_unit_test(test_names), cmocka_unit_test(test_others),
		cmocka_unit_test(test_calls)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
