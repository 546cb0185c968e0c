/* The calendar against a sorted list: order, ties, the far future, and items sooner than all that was there. */
#include "util/calendar.h"
#include "util/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

struct entry {
	struct calendar_item item;
	uint64_t order; /* in which it was put in */
};

static void an_empty_calendar_has_nothing(void **state)
{
	struct calendar *c = calloc(1, sizeof *c);

	(void)state;
	assert_null(calendar_first(c));
	free(c);
}

/* The entry that must come out next. */
static struct entry *expected_first(struct entry *entries, const char *in, uint32_t count)
{
	struct entry *best = NULL;

	for (uint32_t k = 0; k < count; k++)
		if (in[k] && (!best || entries[k].item.time < best->item.time ||
				     (entries[k].item.time == best->item.time && entries[k].order < best->order)))
			best = &entries[k];
	return best;
}

#define ENTRIES 300
static struct entry entries[ENTRIES];
static char in[ENTRIES];

/* Puts in and takes out at random, times from `now` on within `span` cycles. */
static void random_run(uint64_t seed, uint64_t span, uint64_t start)
{
	struct calendar *c = calloc(1, sizeof *c);
	uint64_t order = 0, now = start;

	for (uint32_t round = 0; round < 6000; round++) {
		uint32_t k = (uint32_t)(splitmix64(&seed) % ENTRIES);
		struct entry *first = expected_first(entries, in, ENTRIES);

		assert_ptr_equal(calendar_first(c), first);
		if (!in[k] && splitmix64(&seed) % 8 < (round / 1000 % 2 ? 3 : 7)) {
			entries[k] = (struct entry){.item.time = now + splitmix64(&seed) % span, .order = order++};
			calendar_put(c, &entries[k].item);
			in[k] = 1;
		} else if (first && splitmix64(&seed) % 2) {
			now = first->item.time > now ? first->item.time : now;
			calendar_drop(c);
			in[first - entries] = 0;
		}
	}
	for (struct entry *first; (first = expected_first(entries, in, ENTRIES)); in[first - entries] = 0) {
		assert_ptr_equal(calendar_first(c), first);
		calendar_drop(c);
	}
	assert_null(calendar_first(c));
	free(c);
}

static void items_come_out_by_time_then_in_their_order(void **state)
{
	const uint64_t spans[] = {1, 10, 100, 1000, 20000, 1000000};

	(void)state;
	for (uint64_t k = 0; k < 6; k++) {
		random_run(k, spans[k], 0);
		random_run(k + 10, spans[k], 123456789);
	}
}

static void something_sooner_than_all_the_rest_may_come(void **state)
{
	struct calendar *c = calloc(1, sizeof *c);
	const uint64_t times[] = {100000, 50000, 50, 7000, 50, 0};

	(void)state;
	for (uint32_t k = 0; k < 6; k++) {
		entries[k].item.time = times[k];
		calendar_put(c, &entries[k].item);
		assert_int_equal(calendar_first(c)->time, times[k] < 50 ? 0 : k < 2 ? times[k] : 50);
	}
	const uint32_t order[] = {5, 2, 4, 3, 1, 0};
	for (uint32_t k = 0; k < 6; k++) {
		assert_ptr_equal(calendar_first(c), &entries[order[k]]);
		calendar_drop(c);
	}
	free(c);
}

/* The near ring of a calendar that has become empty lies far ahead of what is put in next. */
static void an_empty_calendar_goes_back_to_what_is_sooner(void **state)
{
	struct calendar *c = calloc(1, sizeof *c);
	const uint64_t far = 1000000, times[] = {4 * CALENDAR_NEAR, 5 * CALENDAR_NEAR, 9 * CALENDAR_NEAR};

	(void)state;
	entries[0].item.time = far + 1;
	entries[1].item.time = far;
	for (uint32_t k = 0; k < 2; k++)
		calendar_put(c, &entries[k].item);
	for (uint32_t k = 0; k < 2; k++) {
		assert_ptr_equal(calendar_first(c), &entries[1 - k]);
		calendar_drop(c);
	}
	for (uint32_t k = 0; k < 3; k++) {
		entries[k].item.time = times[k];
		calendar_put(c, &entries[k].item);
	}
	for (uint32_t k = 0; k < 3; k++) {
		assert_ptr_equal(calendar_first(c), &entries[k]);
		calendar_drop(c);
	}
	assert_true(calendar_is_empty(c));
	free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_calendar_has_nothing),
		cmocka_unit_test(items_come_out_by_time_then_in_their_order),
		cmocka_unit_test(something_sooner_than_all_the_rest_may_come),
		cmocka_unit_test(an_empty_calendar_goes_back_to_what_is_sooner),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
