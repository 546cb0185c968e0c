/* The journal of what memory held: which writes it keeps, and when memory is as it was. */
#include "memory/journal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint8_t memory[8 * (JOURNAL_ENTRIES + 1)];
static struct journal journal;

static int open_journal(void **state)
{
	(void)state;
	memset(memory, 0, sizeof memory);
	journal_open(&journal, true);
	return 0;
}

/* `bytes` bytes from `at` on become `value`. */
static void write_to(uint32_t at, uint32_t bytes, uint8_t value)
{
	uint8_t before[JOURNAL_BYTES];

	memcpy(before, memory + at, bytes);
	memset(memory + at, value, bytes);
	journal_wrote(&journal, memory + at, before, bytes);
}

static void what_is_written_back_is_restored(void **state)
{
	(void)state;
	assert_true(journal_is_restored(&journal));
	write_to(8, 8, 1);
	assert_false(journal_is_restored(&journal));
	write_to(8, 8, 2);
	assert_int_equal(journal.count, 1); /* what it held first counts */
	write_to(8, 8, 0);
	assert_true(journal_is_restored(&journal));
}

static void a_write_that_changes_nothing_is_none(void **state)
{
	(void)state;
	write_to(8, 8, 0);
	assert_int_equal(journal.count, 0);
	assert_true(journal_is_restored(&journal));
}

/* One address by 1 byte and then by 8: the seven others are a place of their own. */
static void the_same_address_by_more_bytes(void **state)
{
	(void)state;
	write_to(8, 1, 1);
	write_to(8, 8, 2);
	assert_int_equal(journal.count, 2);
	write_to(8, 1, 0);
	assert_false(journal_is_restored(&journal));
	write_to(8, 8, 0);
	assert_false(journal_is_restored(&journal)); /* the second entry saw the 1: it can only deny */
}

static void the_same_address_by_fewer_bytes(void **state)
{
	(void)state;
	write_to(8, 8, 1);
	write_to(8, 1, 2);
	assert_int_equal(journal.count, 1);
	write_to(8, 8, 0);
	assert_true(journal_is_restored(&journal));
	write_to(15, 1, 3);
	assert_false(journal_is_restored(&journal)); /* the last byte of the first entry */
}

static void more_places_than_it_holds(void **state)
{
	(void)state;
	for (uint32_t k = 0; k < JOURNAL_ENTRIES; k++)
		write_to(8 * k, 8, 1);
	assert_int_equal(journal.count, JOURNAL_ENTRIES);
	for (uint32_t k = 0; k < JOURNAL_ENTRIES; k++)
		write_to(8 * k, 8, 0);
	assert_true(journal_is_restored(&journal)); /* exactly as many fit */
	write_to(8 * JOURNAL_ENTRIES, 8, 1);
	write_to(8 * JOURNAL_ENTRIES, 8, 0);
	assert_false(journal_is_restored(&journal)); /* of the last it knows nothing, and says so */
	journal_clear(&journal);
	assert_true(journal_is_restored(&journal));
	write_to(0, 8, 1);
	assert_false(journal_is_restored(&journal));
}

/* Without keeping it only notes that something changed. */
static void one_that_keeps_nothing(void **state)
{
	(void)state;
	journal_open(&journal, false);
	write_to(0, 8, 0);
	assert_false(journal.changed);
	write_to(0, 8, 1);
	assert_true(journal.changed);
	assert_int_equal(journal.count, 0);
	journal_open(&journal, true);
	assert_false(journal.changed);
	write_to(0, 8, 2);
	assert_false(journal.changed);
	assert_int_equal(journal.count, 1);
}

#define TEST(name) cmocka_unit_test_setup(name, open_journal)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_is_written_back_is_restored),
		TEST(a_write_that_changes_nothing_is_none),
		TEST(the_same_address_by_more_bytes),
		TEST(the_same_address_by_fewer_bytes),
		TEST(more_places_than_it_holds),
		TEST(one_that_keeps_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
