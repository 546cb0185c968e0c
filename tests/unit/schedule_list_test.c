/* Schedules as text. */
#include "machine/progress/schedule_list.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void texts_come_back(void **state)
{
	(void)state;
	static const char *const texts[] = {"0", "(0)", "1,0*3,(2,1)", "7*1000000000", "4294967293", "0,1,0*2",
		"3,(0*2)", "0.0", "0.12*3,(1.0,1)", "2.c0,2.c1*2,(2.1)", "0.2/1*3,(1.63/63)", "L0", "L3*8,L0,L12*2"};
	struct arena arena = {0};
	for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
		struct diagnostic diagnostic = {0};
		struct schedule_list list;
		assert_true(schedule_list_read(&arena, texts[k], &list, &diagnostic));
		assert_string_equal(schedule_list_text(&arena, &list), texts[k]);
	}
	arena_free(&arena);
}

static void runs_and_loop(void **state)
{
	(void)state;
	struct arena arena = {0};
	struct diagnostic diagnostic = {0};
	struct schedule_list list;
	assert_true(schedule_list_read(&arena, "5*1,2*4,(6)", &list, &diagnostic));
	assert_int_equal(list.count, 3);
	assert_int_equal(list.loop, 2);
	assert_int_equal(list.runs[1].group, 2);
	assert_int_equal(list.runs[1].count, 4);
	assert_int_equal(list.runs[1].part, PART_TURN);
	assert_true(schedule_list_read(&arena, "7.3*2,1.c5", &list, &diagnostic));
	assert_int_equal(list.runs[0].group, 7);
	assert_int_equal(list.runs[0].part, PART_WARP(3));
	assert_int_equal(list.runs[0].count, 2);
	assert_int_equal(list.runs[1].part, PART_COPY + 5);
	assert_false(part_is_path(list.runs[0].part) || part_is_path(list.runs[1].part));
	assert_true(schedule_list_read(&arena, "0.5/2", &list, &diagnostic));
	assert_true(part_is_path(list.runs[0].part));
	assert_int_equal(part_path_warp(list.runs[0].part), 5);
	assert_int_equal(part_path(list.runs[0].part), 2);
	assert_true(schedule_list_read(&arena, "1,2", &list, &diagnostic));
	assert_int_equal(list.loop, 2);
	assert_false(schedule_list_is_placement(&list));
	assert_true(schedule_list_read(&arena, "L1*2,L0", &list, &diagnostic));
	assert_true(schedule_list_is_placement(&list));
	assert_int_equal(list.runs[0].group, 1);
	assert_int_equal(list.runs[0].count, 2);
	assert_int_equal(list.runs[0].part, PART_LAUNCH);
	assert_int_equal(list.runs[1].part, PART_LAUNCH);
	arena_free(&arena);
}

static void nonsense_is_refused(void **state)
{
	(void)state;
	static const char *const texts[] = {"", ",", "1,", "a", "1,(2", "1)", "(1),2", "((1))", "1,()", "1*0", "1*",
		"*3", "-1", " 1", "1 ", "4294967295", "1*1000000001", "99999999999999999999999", "1,(2)x", "1;2", "1.",
		"1.c", "1.1.1", ".1", "1.x2", "1*2.0", "1.c*2", "1.1000001", "L", "L1.0", "L1,0", "0,L1", "(L1)",
		"L0,(L1)", "l1", "LL1", "0/1", "0.1/", "0.1/0", "0.1/64", "0.64/1", "0.c1/1", "L1/1", "0.1/x"};
	struct arena arena = {0};
	for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
		struct diagnostic diagnostic = {0};
		struct schedule_list list;
		assert_false(schedule_list_read(&arena, texts[k], &list, &diagnostic));
		assert_non_null(strstr(diagnostic.message, "expected work-groups such as"));
	}
	arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts_come_back),
		cmocka_unit_test(runs_and_loop),
		cmocka_unit_test(nonsense_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
