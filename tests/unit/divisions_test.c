/* What of a core's memory is the L1's: the text of l1.divisions, and the ways that shared memory leaves. */
#include "model/divisions.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

/* 256 KB in 4 sets of lines of 128 bytes: a way is 512 bytes. */
static struct gpu_model model_of(const char *divisions)
{
	return (struct gpu_model){.l1_sets = 4, .l1_ways = 512, .line_bytes = 128, .l1_divisions = divisions};
}

static void texts(void **state)
{
	static const struct {
		const char *text;
		bool good;
		uint32_t count;
	} cases[] = {{"none", true, 0}, {NULL, true, 0}, {"0", true, 1}, {"0 8 16", true, 3}, {"0  8 ", true, 2},
		{"255", true, 1}, {"256", false, 0}, {"8 8", false, 0}, {"16 8", false, 0}, {"8,16", false, 0},
		{"-8", false, 0}, {"+8", false, 0}, {"8k", false, 0}, {" ", false, 0}, {"", false, 0},
		{"99999999999999999999", false, 0}, {"1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16", true, 16},
		{"1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17", false, 0}};
	(void)state;
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		struct gpu_model model = model_of(cases[k].text);
		struct divisions d;
		bool good = divisions_read(&model, &d);
		if (good != cases[k].good || (good && d.count != cases[k].count))
			fail_msg("'%s': %d, %u sizes", cases[k].text ? cases[k].text : "null", good, d.count);
	}
}

/* A size that is half of a way. */
static void a_division_is_of_whole_ways(void **state)
{
	struct gpu_model model = model_of("1 2");
	struct divisions d;
	(void)state;
	model.l1_sets = 16;
	assert_false(divisions_read(&model, &d));
	model.l1_sets = 8;
	assert_true(divisions_read(&model, &d));
}

/* Measured on an H200, whose L1 hits up to these sizes less 8 KB where nothing is shared (docs/silicon.md): 256 KB less
 * the least division that holds as many work-groups as fit, a KB more for each. */
static void the_rest_is_the_l1s(void **state)
{
	static const struct {
		uint32_t group_kb, groups, l1_kb;
	} cases[] = {{0, 32, 224}, {32, 6, 28}, {64, 3, 60}, {96, 2, 60}, {128, 1, 124}, {160, 1, 92}, {200, 1, 28},
		{300, 1, 28}};
	struct gpu_model model = model_of("0 8 16 32 64 100 132 164 196 228");
	struct divisions d, none = {0};
	(void)state;
	assert_true(divisions_read(&model, &d));
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
		assert_int_equal(
			divisions_ways(&d, (uint64_t)cases[k].groups * (cases[k].group_kb + 1) << 10, 512) * 512,
			cases[k].l1_kb << 10);
	assert_int_equal(divisions_ways(&d, 0, 512), 512);
	assert_int_equal(divisions_ways(&none, 64 << 10, 4), 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts),
		cmocka_unit_test(a_division_is_of_whole_ways),
		cmocka_unit_test(the_rest_is_the_l1s),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
