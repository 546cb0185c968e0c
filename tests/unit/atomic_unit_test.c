/* The rate of atomics on a slice: so many a cycle, and those of one word one after another. */
#include "memory/atomic_unit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static struct atomic_unit unit;

static void make_of(const struct gpu_model *model)
{
	unit = (struct atomic_unit){0};
	atomic_unit_create(&unit, model);
}

static int make(void **state)
{
	(void)state;
	make_of(&(struct gpu_model){.clock_core = 700000, .atomic_interval = 9, .atomic_rate = 2});
	return 0;
}

/* `count` operations on addresses `stride` bytes apart. */
static uint64_t serve_numbers(
	enum atomic_numbers numbers, uint64_t address, uint32_t count, uint32_t stride, uint64_t start)
{
	struct atomic_entry entries[32];
	for (uint32_t k = 0; k < count; k++)
		entries[k] = (struct atomic_entry){.address = address + k * stride};
	return atomic_unit_serve(&unit, numbers, entries, count, start);
}

static uint64_t serve(uint64_t address, uint32_t count, uint32_t stride, uint64_t start)
{
	return serve_numbers(ATOMIC_INTEGERS, address, count, stride, start);
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
	assert_int_equal(atomic_unit_serve(&unit, ATOMIC_INTEGERS, NULL, 0, 300), 300);
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
	assert_int_equal(atomic_unit_serve(&unit, ATOMIC_INTEGERS, entries, 3, 100), 109 + 9);
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
	make_of(&(struct gpu_model){.clock_core = 700000, .atomic_interval = 1000, .atomic_rate = 1});
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

/* An L2 clock of 1/1.25 of the core's: integers are 1.25 core cycles apart, floats 3 x 1.25, doubles 2.4 x 1.25. */
static void intervals_are_in_its_own_cycles(void **state)
{
	(void)state;
	make_of(&(struct gpu_model){.clock_core = 1000000,
		.atomic_clock = 800000,
		.atomic_interval = 1,
		.atomic_float_interval = 300,
		.atomic_double_interval = 240,
		.atomic_rate = 32});
	assert_int_equal(serve(8, 2, 0, 50), 50 + 3); /* 2.5, as a whole cycle; the second waited 1.25 */
	assert_int_equal(unit.conflict_cycles, 2);
	assert_int_equal(serve(8, 32, 0, 100), 100 + 40);
	assert_int_equal(serve_numbers(ATOMIC_FLOATS, 800, 32, 0, 200), 200 + 120);
	assert_int_equal(serve_numbers(ATOMIC_DOUBLES, 1600, 32, 0, 400), 400 + 96);
	assert_int_equal(serve(8, 1, 0, 500), 502); /* 501.25, as a whole cycle */
	assert_int_equal(serve(8, 2, 0, 500), 504); /* 503.75: the fraction is kept */
}

/* Eight integers a cycle, four floats, one double; a cycle does not mix them. */
static void rates_are_of_what_is_computed_with(void **state)
{
	(void)state;
	make_of(&(struct gpu_model){.clock_core = 1000000,
		.atomic_interval = 1,
		.atomic_rate = 8,
		.atomic_float_rate = 4,
		.atomic_double_rate = 1});
	assert_int_equal(serve(0, 32, 4, 100), 103 + 1);
	assert_int_equal(serve_numbers(ATOMIC_FLOATS, 1024, 32, 4, 200), 207 + 1);
	assert_int_equal(serve_numbers(ATOMIC_DOUBLES, 2048, 32, 8, 300), 331 + 1);
	assert_int_equal(serve(0, 1, 4, 331), 332 + 1);
}

static void types_and_what_they_compute_with(void **state)
{
	static const struct {
		uint8_t type, bytes;
		enum atomic_numbers numbers;
	} rows[] = {{TYPE_U32, 4, ATOMIC_INTEGERS}, {TYPE_B64, 8, ATOMIC_INTEGERS}, {TYPE_S64, 8, ATOMIC_INTEGERS},
		{TYPE_F32, 4, ATOMIC_FLOATS}, {TYPE_F64, 8, ATOMIC_DOUBLES}, {TYPE_F16, 2, ATOMIC_FLOATS},
		{TYPE_F16X2, 4, ATOMIC_FLOATS}};
	(void)state;
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
		assert_int_equal(
			atomic_numbers_of(&(struct atomic_payload){.type = rows[k].type, .bytes = rows[k].bytes}),
			rows[k].numbers);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(so_many_begin_in_a_cycle, make),
		cmocka_unit_test_setup(a_word_is_busy_for_the_interval, make),
		cmocka_unit_test_setup(the_last_that_is_done_counts, make),
		cmocka_unit_test_setup(a_word_without_place_waits_for_the_first_that_is_free, make),
		cmocka_unit_test(intervals_are_in_its_own_cycles),
		cmocka_unit_test(rates_are_of_what_is_computed_with),
		cmocka_unit_test(types_and_what_they_compute_with),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
