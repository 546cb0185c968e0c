/* The rate of atomics on a slice: so many a cycle, and those of one word one after another. */
#include "memory/atomic_unit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static struct atomic_unit unit;

static int make(void **state)
{
	(void)state;
	unit = (struct atomic_unit){.interval = 9, .rate = 2};
	return 0;
}

/* `count` operations on addresses `stride` bytes apart. */
static uint64_t serve(uint64_t address, uint32_t count, uint32_t stride, uint64_t start)
{
	struct atomic_entry entries[32];
	for (uint32_t k = 0; k < count; k++)
		entries[k] = (struct atomic_entry){.address = address + k * stride};
	return atomic_unit_serve(&unit, entries, count, start);
}

/* Two a cycle: five begin at 100, 100, 101, 101 and 102. */
static void so_many_begin_in_a_cycle(void **state)
{
	(void)state;
	assert_int_equal(serve(0, 5, 4, 100), 102 + 9);
	assert_int_equal(serve(100, 1, 0, 100), 102 + 9); /* the other place of that cycle */
	assert_int_equal(serve(200, 1, 0, 100), 103 + 9);
	assert_int_equal(serve(300, 3, 4, 200), 201 + 9); /* a new cycle has all its places */
	assert_int_equal(unit.operations, 10);
	assert_int_equal(unit.conflicts, 0);
	assert_int_equal(unit.conflict_cycles, 0);
	assert_int_equal(atomic_unit_serve(&unit, NULL, 0, 300), 300);
}

/* Begin 100, 109 and 118, where they could have begun at 100, 100 and 101. */
static void a_word_is_busy_for_the_interval(void **state)
{
	(void)state;
	assert_int_equal(serve(8, 3, 0, 100), 118 + 9);
	assert_int_equal(unit.conflicts, 2);
	assert_int_equal(unit.conflict_cycles, 9 + 17);
	assert_int_equal(serve(8, 1, 0, 127), 127 + 9); /* just free */
	assert_int_equal(unit.conflicts, 2);
	assert_int_equal(serve(11, 1, 0, 130), 136 + 9); /* a byte of it */
	assert_int_equal(unit.conflicts, 3);
	assert_int_equal(unit.conflict_cycles, 9 + 17 + 6);
	assert_int_equal(serve(12, 1, 0, 131), 131 + 9); /* its neighbour */
	assert_int_equal(serve(7, 1, 0, 132), 132 + 9);
	assert_int_equal(unit.conflicts, 3);
}

/* The answer is that of the last to be done, not of the last in order. */
static void the_last_that_is_done_counts(void **state)
{
	struct atomic_entry entries[] = {{.address = 8}, {.address = 8}, {.address = 80}};
	(void)state;
	assert_int_equal(atomic_unit_serve(&unit, entries, 3, 100), 109 + 9);
}

/* The next word behind `word` that has the same places of the table: atomic_unit.c finds them by these bits. */
static uint64_t next_alike(uint64_t word)
{
	uint64_t wanted = word * 0x9e3779b97f4a7c15ull >> 56;
	do
		word++;
	while (word * 0x9e3779b97f4a7c15ull >> 56 != wanted);
	return word;
}

/* Sixteen words have taken all places that a seventeenth could have, and are busy: it waits for the one that is free
 * first, which is the second, as the first has been used again. */
static void a_word_without_place_waits_for_the_first_that_is_free(void **state)
{
	uint64_t word[17] = {1};
	(void)state;
	unit.interval = 1000;
	unit.rate = 1;
	for (uint32_t k = 1; k < 17; k++)
		word[k] = next_alike(word[k - 1]);
	for (uint32_t k = 0; k < 16; k++)
		assert_int_equal(serve(word[k] * 4, 1, 0, k), k + 1000);
	assert_int_equal(unit.conflicts, 0);
	assert_int_equal(serve(word[0] * 4, 1, 0, 16), 2000);
	assert_int_equal(serve(word[16] * 4, 1, 0, 17), 1001 + 1000);
	assert_int_equal(unit.conflicts, 2);
	assert_int_equal(unit.conflict_cycles, 1000 - 16 + 1001 - 17);
	assert_int_equal(serve(word[3] * 4, 1, 0, 1010), 2010); /* it kept its own place */
	assert_int_equal(unit.conflicts, 2);
}

/* What was busy is free, what was counted is not. */
static void a_restart_forgets(void **state)
{
	(void)state;
	serve(8, 3, 0, 100);
	atomic_unit_restart(&unit);
	assert_int_equal(unit.operations + unit.conflicts + unit.conflict_cycles, 0);
	assert_int_equal(serve(8, 1, 0, 0), 9);
	assert_int_equal(serve(80, 1, 0, 0), 9);
	assert_int_equal(serve(160, 1, 0, 0), 1 + 9);
	assert_int_equal(unit.conflicts, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(so_many_begin_in_a_cycle, make),
		cmocka_unit_test_setup(a_word_is_busy_for_the_interval, make),
		cmocka_unit_test_setup(the_last_that_is_done_counts, make),
		cmocka_unit_test_setup(a_word_without_place_waits_for_the_first_that_is_free, make),
		cmocka_unit_test_setup(a_restart_forgets, make),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
