/* By cycle, core and index, whatever the order in which they are given: all pairs of a list that is in order. */
#include "machine/runtime/turn.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void turns_have_an_order(void **state)
{
	static const struct turn turns[] = {{0, 0, 0}, {0, 0, 1}, {0, 1, 0}, {0, UINT32_MAX, 0},
		{0, UINT32_MAX, UINT32_MAX}, {1, 0, 0}, {1, 0, UINT32_MAX}, {1, 2, 1}, {UINT32_MAX, 1, 0},
		{UINT32_MAX + 1ull, 0, 0}, {UINT64_MAX, 0, 0}};
	int count = sizeof turns / sizeof *turns;

	(void)state;
	for (int a = 0; a < count; a++)
		for (int b = 0; b < count; b++) {
			int order = turn_order(&turns[a], &turns[b]);

			assert_int_equal((order > 0) - (order < 0), (a > b) - (a < b));
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(turns_have_an_order)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
