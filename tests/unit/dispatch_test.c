/* Work-group dispatchers: in-order serves the cores in turn and waits when none has room. */
#include "policy/policy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static void in_order_goes_round_the_cores(void **state)
{
	(void)state;
	struct report report = {0};
	const struct group_dispatcher *d = dispatch_find("in-order", &report);
	assert_non_null(d);
	uint64_t memory[8] = {0};
	uint32_t room[4] = {2, 0, 1, 3};
	static const int expected[] = {0, 2, 3, 0, 3, 3, -1, -1};
	for (uint64_t group = 0; group < 8; group++) {
		struct dispatch_view view = {.room = room, .core_count = 4, .next = group, .total = 100};
		int core = d->next(memory, &view);
		assert_int_equal(core, expected[group]);
		if (core >= 0)
			room[core]--;
	}
	room[1] = room[2] = 1; /* the turn goes on behind core 3 */
	struct dispatch_view view = {.room = room, .core_count = 4, .next = 8, .total = 100};
	assert_int_equal(d->next(memory, &view), 1);
}

/* Every dispatcher places a group where there is room, and some group when there is room everywhere. */
static void placements_fit(void **state)
{
	(void)state;
	for (size_t i = 0; group_dispatchers[i]; i++) {
		const struct group_dispatcher *d = group_dispatchers[i];
		void *memory = calloc(1, d->state_size + 8);
		uint32_t room[15];
		for (uint32_t c = 0; c < 15; c++)
			room[c] = c % 4;
		for (uint64_t group = 0; group < 21; group++) {
			struct dispatch_view view = {.room = room, .core_count = 15, .next = group, .total = 21};
			int core = d->next(memory, &view);
			assert_in_range(core, 0, 14);
			assert_true(room[core]-- > 0);
		}
		free(memory);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(in_order_goes_round_the_cores),
		cmocka_unit_test(placements_fit),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
