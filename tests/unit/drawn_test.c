/* Turns that a seed draws: they depend on the seed alone, and nobody waits for ever. */
#include "machine/gpu/drawn.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define ROUNDS 40000u
#define CORES 8u

static const struct insn load = {.kind = INSN_LOAD}, atomic = {.kind = INSN_ATOMIC};

/* When the core comes. */
static uint64_t comes(const struct drawn *drawn, uint32_t core)
{
	return drawn->one_by_one ? drawn_rank(drawn, core) : 2u * drawn_pause(drawn, core) + drawn_early(drawn, core);
}

/* Which of the cores takes all turns. */
static uint32_t first_core(const struct drawn *drawn)
{
	uint32_t first = 0;

	for (uint32_t c = 1; c < CORES; c++)
		first = drawn_rank(drawn, c) < drawn_rank(drawn, first) ? c : first;
	return first;
}

/* What a run of some rounds draws, as one number. */
static uint64_t run(uint64_t seed)
{
	struct drawn drawn;
	uint64_t sum = 0;

	drawn_begin(&drawn, seed, true);
	for (uint32_t k = 0; k < 100; k++) {
		drawn_begin_round(&drawn);
		for (uint32_t c = 0; c < CORES; c++)
			sum = sum * 31 + drawn_choose_from(&drawn, c, 0xff) + comes(&drawn, c);
		sum = sum * 31 + drawn_length(&drawn) + drawn_end_before(&drawn, &load);
	}
	return sum;
}

static void depends_on_the_seed(void **state)
{
	(void)state;
	assert_true(run(1) == run(1));
	assert_true(run(1) != run(2));
}

/* Whatever a spell favours or pauses, another one does not. */
static void each_has_turns(void **state)
{
	struct drawn drawn;
	uint64_t chosen = 0;
	uint32_t runs = 0, alone = 0;

	(void)state;
	drawn_begin(&drawn, 7, true);
	for (uint32_t k = 0; k < ROUNDS; k++) {
		uint64_t from;

		drawn_begin_round(&drawn);
		from = drawn_choose_from(&drawn, 3, 0xf0f);
		assert_true(from && !(from & ~0xf0full));
		chosen |= from & (from - 1) ? 0 : from; /* it alone came first */
		if (!drawn.one_by_one)
			runs |= drawn_pause(&drawn, k % CORES) ? 0 : 1u << k % CORES;
		else
			alone |= 1u << first_core(&drawn);
	}
	assert_true(chosen == 0xf0f);
	assert_int_equal(runs, 0xff);
	assert_int_equal(alone, 0xff);
}

static void turns_are_short_and_long(void **state)
{
	struct drawn drawn;
	uint32_t shortest = UINT32_MAX, longest = 0, ends[2] = {0};

	(void)state;
	drawn_begin(&drawn, 5, true);
	for (uint32_t k = 0; k < ROUNDS; k++) {
		uint32_t length;

		drawn_begin_round(&drawn);
		length = drawn_length(&drawn);
		shortest = length < shortest ? length : shortest;
		longest = length > longest ? length : longest;
		ends[0] += drawn_end_before(&drawn, &load);
		ends[1] += drawn_end_before(&drawn, &atomic);
	}
	assert_int_equal(shortest, 1);
	assert_in_range(longest, 256, 512);
	assert_true(ends[0] > ROUNDS / 16);
	assert_true(ends[1] > ends[0]);
}

static void paths_are_of_the_warp(void **state)
{
	struct drawn drawn;
	uint32_t seen = 0;

	(void)state;
	drawn_begin(&drawn, 3, true);
	assert_int_equal(drawn_path(&drawn, 0), 0);
	for (uint32_t k = 0; k < 200; k++)
		seen |= 1u << drawn_path(&drawn, 3);
	assert_int_equal(seen, 0xf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(depends_on_the_seed),
		cmocka_unit_test(each_has_turns),
		cmocka_unit_test(turns_are_short_and_long),
		cmocka_unit_test(paths_are_of_the_warp),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
