/* The states that warps have come back to: what is new, what has been there, and that nothing is lost as the set
 * grows. */
#include "machine/observe/watch_parts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void tells_new_from_old(void **unused)
{
	(void)unused;
	static const uint8_t state[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 0};
	struct arena arena = {0};
	struct lookup returns = {0};

	assert_true(returns_add(&arena, &returns, 0, state, 9));
	assert_true(!returns_add(&arena, &returns, 0, state, 9));
	assert_true(returns_add(&arena, &returns, 1, state, 9));     /* another warp */
	assert_true(returns_add(&arena, &returns, 0, state, 10));    /* longer by a zero */
	assert_true(returns_add(&arena, &returns, 0, state, 8));     /* all full words */
	assert_true(returns_add(&arena, &returns, 0, state + 1, 9)); /* other bytes */
	assert_true(!returns_add(&arena, &returns, 1, state, 9));
	assert_int_equal(returns.count, 5u);
	lookup_clear(&returns);
	assert_int_equal(returns.count, 0u);
	assert_true(returns_add(&arena, &returns, 0, state, 9));
	arena_free(&arena);
}

static void keeps_all_as_it_grows(void **unused)
{
	(void)unused;
	struct arena arena = {0};
	struct lookup returns = {0};

	for (uint32_t k = 0; k < 5000; k++)
		assert_true(returns_add(&arena, &returns, k % 7, (const uint8_t *)&k, sizeof k));
	for (uint32_t k = 0; k < 5000; k++)
		assert_true(!returns_add(&arena, &returns, k % 7, (const uint8_t *)&k, sizeof k));
	assert_true(returns.size >= 2 * returns.count);
	arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tells_new_from_old),
		cmocka_unit_test(keeps_all_as_it_grows),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
