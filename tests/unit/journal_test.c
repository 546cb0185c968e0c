/* What is kept of memory that is written while somebody watches: whether all is as it was, and never that it is when it is not. */
#include "memory/journal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static uint8_t memory[256];

/* Writes bytes of `value` there, and tells. */
static void put(struct journal *j, uint32_t at, uint8_t value, uint32_t bytes)
{
	uint8_t before[JOURNAL_BYTES];

	memcpy(before, memory + at, bytes);
	memset(memory + at, value, bytes);
	journal_wrote(j, memory + at, before, bytes);
}

static struct journal opened(bool keeps)
{
	struct journal j = {.changed = true, .full = true, .count = 7};

	memset(memory, 0, sizeof memory);
	journal_open(&j, keeps);
	return j;
}

static void a_change_is_seen(void **state)
{
	struct journal j = opened(false);

	(void)state;
	assert_false(j.changed);
	put(&j, 8, 0, 8); /* the value that is there */
	assert_false(j.changed);
	put(&j, 9, 1, 1);
	assert_true(j.changed);
	put(&j, 9, 0, 1);
	assert_true(j.changed);
	journal_open(&j, false);
	assert_false(j.changed);
}

static void what_is_as_it_was_is_told(void **state)
{
	struct journal j = opened(true);

	(void)state;
	assert_true(journal_is_restored(&j));
	put(&j, 0, 1, 4);
	put(&j, 4, 1, 4);
	put(&j, 0, 2, 4);
	assert_false(journal_is_restored(&j));
	put(&j, 0, 0, 4);
	assert_false(journal_is_restored(&j));
	put(&j, 4, 0, 4);
	assert_true(journal_is_restored(&j));
	assert_false(j.changed);
	assert_int_equal(j.count, 2);
	put(&j, 4, 1, 4);
	journal_clear(&j); /* from now on it is to be 1 */
	assert_true(journal_is_restored(&j));
	put(&j, 4, 0, 4);
	assert_false(journal_is_restored(&j));
	put(&j, 4, 1, 4);
	assert_true(journal_is_restored(&j));
}

/* One byte first, then eight from the same address: the others must be kept, too. And less than what is kept needs no entry. */
static void a_place_may_grow(void **state)
{
	struct journal j = opened(true);

	(void)state;
	put(&j, 16, 1, 1);
	put(&j, 16, 2, 8);
	put(&j, 16, 0, 1);
	assert_false(journal_is_restored(&j));
	put(&j, 17, 0, 7);
	assert_false(journal_is_restored(&j)); /* the eight bytes began with a 1 */
	put(&j, 16, 1, 1);
	assert_false(journal_is_restored(&j)); /* and the one with a 0 */
	j = opened(true);
	put(&j, 16, 2, 8);
	put(&j, 16, 1, 1);
	assert_int_equal(j.count, 1);
	put(&j, 16, 0, 8);
	assert_true(journal_is_restored(&j));
}

/* With more places than there is room for it is never told that all is as it was; until it begins anew. */
static void what_has_no_room_is_not_forgotten(void **state)
{
	struct journal j = opened(true);

	(void)state;
	for (uint32_t k = 0; k < JOURNAL_ENTRIES; k++)
		put(&j, 4 * k, 1, 4);
	for (uint32_t k = 0; k < JOURNAL_ENTRIES; k++)
		put(&j, 4 * k, 0, 4);
	assert_true(journal_is_restored(&j));
	put(&j, 4 * JOURNAL_ENTRIES, 1, 4);
	assert_false(journal_is_restored(&j));
	put(&j, 4 * JOURNAL_ENTRIES, 0, 4);
	assert_false(journal_is_restored(&j));
	journal_clear(&j);
	assert_true(journal_is_restored(&j));
	put(&j, 128, 1, JOURNAL_BYTES); /* a line is the most */
	assert_false(journal_is_restored(&j));
	put(&j, 128, 0, JOURNAL_BYTES - 1);
	assert_false(journal_is_restored(&j));
	put(&j, 128, 0, JOURNAL_BYTES);
	assert_true(journal_is_restored(&j));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_change_is_seen),
		cmocka_unit_test(what_is_as_it_was_is_told),
		cmocka_unit_test(a_place_may_grow),
		cmocka_unit_test(what_has_no_room_is_not_forgotten),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
