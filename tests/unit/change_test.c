/* Changes by which a supposed cause is tried: who gives a lock back, and before what. */
#include "check/change.h"
#include "machine/state/machine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* A thread whose own lock it is gives it back before it takes it again; a thread of that number in another group does
 * not. */
static void a_lock_of_ones_own_is_that_of_the_same_thread_and_group(void **state)
{
	const struct {
		uint32_t group, number;
		bool is_own;
	} owners[] = {{2, 7, true}, {3, 7, false}, {2, 8, false}, {3, 8, false}};
	struct launch launch = {.ordinal = 1};
	struct core_launch on = {.launch = &launch};
	struct warp_slot slot = {.core_launch = &on};

	(void)state;
	for (size_t k = 0; k < sizeof owners / sizeof *owners; k++) {
		const struct link link = {.at = {.r = &slot, .group = 2, .number = 7},
			.wait = {.bit = 1},
			.owner.at = {.r = &slot, .group = owners[k].group, .number = owners[k].number}};
		struct change change = change_give_back(&link);

		assert_int_equal(change.kind, owners[k].is_own ? CHANGE_GIVE_BACK : CHANGE_BIT);
		assert_int_equal(change.is_own, owners[k].is_own);
		assert_int_equal(change.group, 2);
		assert_int_equal(change.thread, 7);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_lock_of_ones_own_is_that_of_the_same_thread_and_group),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
