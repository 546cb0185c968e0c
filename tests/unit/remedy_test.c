/* What to do about a hang: each cause that docs/hangs.md lists has its advice, and another where part of it is so already. */
#include "check/remedy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* Words of docs/hangs.md, "The causes", that the advice must have. */
static void each_cause_has_its_advice(void **state)
{
	static const struct {
		const char *cause, *words;
	} cases[] = {
		{"simt", "same turn of the loop in which it is taken"},
		{"simt-cross", "take all locks or none in one turn"},
		{"lock-order", "Take the locks in one order everywhere"},
		{"lost-release", "Release the lock on every way out"},
		{"occupancy", "no more work-groups than are resident"},
		{"passed-rejoin", "Lock on both sides of the branch or on none"},
		{"barrier", "every thread of the work-group come to the same barrier"},
		{"stale-cache", "with volatile, an atomic, or ld.relaxed or ld.acquire"},
		{"progress", "take numbers from an atomic counter"},
		{"livelock", "test before the exchange"},
		{"endless-loop", "Let the loop end"},
		{"missing-signal", "Check who should write it"},
	};

	(void)state;
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
		assert_non_null(strstr(remedy_of(cases[k].cause), cases[k].words));
	assert_string_equal(remedy_of("unknown"), "");
	assert_string_equal(remedy_of("sim"), "");
}

/* Where threads are independent already it does not help to make them so; where volatile did not help, as with fences within the loop that
 * empty no L1, it is the fence that is missing. */
static void advice_that_is_followed_is_not_given(void **state)
{
	static const char *const causes[] = {"simt", "passed-rejoin"};

	(void)state;
	for (size_t k = 0; k < sizeof causes / sizeof *causes; k++) {
		assert_non_null(strstr(remedy_for(causes[k], false), "--divergence independent"));
		assert_null(strstr(remedy_for(causes[k], true), "--divergence independent"));
		assert_memory_equal(
			remedy_for(causes[k], false), remedy_for(causes[k], true), strlen(remedy_for(causes[k], true)));
	}
	assert_non_null(strstr(remedy_for("stale-cache", true), "Put a fence"));
	assert_string_equal(remedy_for("stale-cache", false), remedy_of("stale-cache"));
	assert_string_equal(remedy_for("barrier", true), remedy_of("barrier"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_cause_has_its_advice),
		cmocka_unit_test(advice_that_is_followed_is_not_given),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
