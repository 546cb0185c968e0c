/* Work-group dispatchers: in-order serves the cores in turn and waits when none has room; spread serves the ports in
 * turn. */
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
	struct diagnostic diagnostic = {0};
	const struct group_dispatcher *d = dispatch_find("in-order", &diagnostic);
	assert_non_null(d);
	uint64_t memory[8] = {0};
	uint32_t room[4] = {2, 0, 1, 3};
	static const int expected[] = {0, 2, 3, 0, 3, 3, -1, -1};
	for (uint64_t group = 0; group < 8; group++) {
		struct dispatch_view view = {
			.room = room, .core_count = 4, .port_cores = 1, .next = group, .total = 100};
		int core = d->next(memory, &view);
		assert_int_equal(core, expected[group]);
		if (core >= 0)
			room[core]--;
	}
	room[1] = room[2] = 1; /* the turn goes on behind core 3 */
	struct dispatch_view view = {.room = room, .core_count = 4, .port_cores = 1, .next = 8, .total = 100};
	assert_int_equal(d->next(memory, &view), 1);
}

/* Seven cores, of which 0 to 2, 3 to 5 and 6 share a port each; core 4 has no room. */
static void spread_goes_round_the_ports(void **state)
{
	(void)state;
	struct diagnostic diagnostic = {0};
	const struct group_dispatcher *d = dispatch_find("spread", &diagnostic);
	assert_non_null(d);
	uint64_t memory[8] = {0};
	uint32_t room[7] = {2, 1, 1, 1, 0, 1, 1};
	static const int expected[] = {0, 3, 6, 1, 2, 5, 0, -1};
	for (uint64_t group = 0; group < 8; group++) {
		struct dispatch_view view = {
			.room = room, .core_count = 7, .port_cores = 3, .next = group, .total = 100};
		int core = d->next(memory, &view);
		assert_int_equal(core, expected[group]);
		if (core >= 0)
			room[core]--;
	}
}

/* Every dispatcher places a group where there is room, and some group when there is room everywhere. */
static void placements_fit(void **state)
{
	(void)state;
	for (size_t i = 0; dispatch_at(i); i++) {
		const struct group_dispatcher *d = dispatch_at(i);
		if (!d->next) { /* a progress model, which places nothing */
			assert_non_null(d->guarantees);
			continue;
		}
		void *memory = calloc(1, d->state_size + 8);
		uint32_t room[15];
		for (uint32_t c = 0; c < 15; c++)
			room[c] = c % 4;
		for (uint64_t group = 0; group < 21; group++) {
			struct dispatch_view view = {
				.room = room, .core_count = 15, .port_cores = 4, .next = group, .total = 21};
			int core = d->next(memory, &view);
			assert_in_range(core, 0, 14);
			assert_true(room[core]-- > 0);
		}
		free(memory);
	}
}

/* Four groups: 0 has finished, 2 has started.  To which progress is guaranteed: CONCUR 2018 (Sorensen, Evrard,
 * Donaldson). */
static void models_owe_what_the_paper_says(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		bool guarantees[4];
	} rows[] = {
		{"fair", {false, true, true, true}},
		{"hsa", {false, true, false, false}},
		{"obe", {false, false, true, false}},
		{"hsa-obe", {false, true, true, false}},
		{"lobe", {false, true, true, false}},
		{"unfair", {false, false, false, false}},
	};
	static const bool started[4] = {true, false, true, false};
	struct progress_view view = {.groups = 4, .started = started, .lowest = 1, .started_below = 3};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct diagnostic diagnostic = {0};
		const struct group_dispatcher *d = dispatch_find(rows[i].name, &diagnostic);
		assert_non_null(d);
		for (uint32_t group = 1; group < 4; group++)
			assert_int_equal(d->guarantees(&view, group), rows[i].guarantees[group]);
	}
	view = (struct progress_view){.groups = 4, .started = (const bool[4]){false, false, false, false}};
	struct diagnostic diagnostic = {0};
	assert_true(dispatch_find("hsa-obe", &diagnostic)->guarantees(&view, 0));
	assert_false(dispatch_find("lobe", &diagnostic)->guarantees(&view, 0)); /* nobody has started */
	assert_false(dispatch_find("obe", &diagnostic)->guarantees(&view, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(in_order_goes_round_the_cores),
		cmocka_unit_test(spread_goes_round_the_ports),
		cmocka_unit_test(placements_fit),
		cmocka_unit_test(models_owe_what_the_paper_says),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
