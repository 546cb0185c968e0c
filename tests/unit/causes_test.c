/* The rows of causes.def: each has a name of its own and its advice, and another where part of that is so already. */
#include "check/causes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void each_cause_is_found_by_its_name(void **state)
{
	(void)state;
	for (enum hang_cause cause = 0; cause < HANG_CAUSES; cause++)
		assert_int_equal(cause_of_name(cause_name(cause)), cause);
	assert_int_equal(cause_of_name("sim"), HANG_CAUSES);
	assert_int_equal(cause_of_name("address"), HANG_CAUSES);
}

/* A sentence that a message ends with a full stop of its own. */
static void each_cause_but_the_unknown_one_has_its_advice(void **state)
{
	(void)state;
	for (enum hang_cause cause = 0; cause < HANG_CAUSES; cause++) {
		const char *remedy = cause_remedy(cause, false, false);

		if (cause == CAUSE_UNKNOWN) {
			assert_string_equal(remedy, "");
			continue;
		}
		assert_true(*remedy >= 'A' && *remedy <= 'Z');
		assert_int_not_equal(remedy[strlen(remedy) - 1], '.');
	}
	assert_non_null(strstr(cause_remedy(CAUSE_LOST_RELEASE, false, false), "Release the lock on every path out"));
	assert_non_null(strstr(cause_remedy(CAUSE_PROGRESS, false, false), "Number them with an atomic counter"));
}

/* Where threads are independent already it does not help to make them so; where volatile did not help, as with fences
 * within the loop that empty no L1, it is the fence that is missing. */
static void advice_that_is_followed_is_not_given(void **state)
{
	static const enum hang_cause causes[] = {CAUSE_SIMT, CAUSE_PASSED_REJOIN};

	(void)state;
	for (size_t k = 0; k < sizeof causes / sizeof *causes; k++) {
		const char *all = cause_remedy(causes[k], false, true), *rest = cause_remedy(causes[k], true, false);

		assert_non_null(strstr(all, "--divergence independent"));
		assert_null(strstr(rest, "--divergence independent"));
		assert_memory_equal(all, rest, strlen(rest));
	}
	assert_non_null(strstr(cause_remedy(CAUSE_STALE_CACHE, false, true), "Put a fence"));
	assert_non_null(strstr(cause_remedy(CAUSE_STALE_CACHE, true, false), "with volatile, an atomic"));
	assert_ptr_equal(cause_remedy(CAUSE_BARRIER, true, true), cause_remedy(CAUSE_BARRIER, false, false));
}

static void what_a_hang_shows_at_its_end_is_no_root(void **state)
{
	(void)state;
	assert_true(cause_is_symptom(CAUSE_UNKNOWN) && cause_is_symptom(CAUSE_MISSING_SIGNAL));
	assert_true(cause_is_symptom(CAUSE_LIVELOCK) && cause_is_symptom(CAUSE_BARRIER));
	assert_false(cause_is_symptom(CAUSE_SIMT) || cause_is_symptom(CAUSE_LOST_RELEASE));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_cause_is_found_by_its_name),
		cmocka_unit_test(each_cause_but_the_unknown_one_has_its_advice),
		cmocka_unit_test(advice_that_is_followed_is_not_given),
		cmocka_unit_test(what_a_hang_shows_at_its_end_is_no_root),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
