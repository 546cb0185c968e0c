/* Tables from numbers to numbers, against an array, at random: what is added, found, removed and forgotten. */
#include "util/lookup.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include <cmocka.h>

#define KEYS 300

static struct arena arena;

static uint32_t draw(uint64_t *seed, uint32_t below)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*seed >> 33) % below;
}

/* Far apart, or one behind another, or such that all begin at the same slot. */
static uint64_t key_of(uint32_t pattern, uint32_t k)
{
	return pattern == 0 ? k : pattern == 1 ? (uint64_t)k << 56 | k << 7 : (uint64_t)k * 0xf1de83e19937733dull << 10;
}

static void a_table_is_an_array(void **state)
{
	(void)state;
	for (uint32_t pattern = 0; pattern < 3; pattern++) {
		struct lookup table = {0};
		uint64_t expected[KEYS] = {0}, seed = pattern;
		uint32_t count = 0;

		for (uint32_t step = 0; step < 6000; step++) {
			uint32_t k = draw(&seed, step / 3000 ? KEYS : 20);

			if (expected[k])
				lookup_remove(&table, key_of(pattern, k));
			else
				*lookup_at(&arena, &table, key_of(pattern, k)) = step + 1;
			count += expected[k] ? -1u : 1u;
			expected[k] = expected[k] ? 0 : step + 1;
			if (expected[k])
				assert_int_equal(*lookup_at(&arena, &table, key_of(pattern, k)), step + 1);
			assert_int_equal(table.count, count);
			for (uint32_t n = 0; n < KEYS; n += step % 10 ? 37 : 1)
				assert_int_equal(lookup_get(&table, key_of(pattern, n)), expected[n]);
		}
		lookup_clear(&table);
		assert_int_equal(table.count, 0);
		for (uint32_t n = 0; n < KEYS; n++)
			assert_int_equal(lookup_get(&table, key_of(pattern, n)), 0);
	}
}

/* A slot is always free to stop at, and what is forgotten keeps its room. */
static void at_most_half_is_used(void **state)
{
	struct lookup table = {0};
	struct lookup_slot *at;

	(void)state;
	assert_int_equal(lookup_get(&table, 5), 0);
	lookup_clear(&table);
	for (uint32_t k = 0; k < 100; k++) {
		*lookup_at(&arena, &table, k) = (uintptr_t)&table;
		assert_true(table.count * 2 <= table.size);
		assert_ptr_equal(lookup_get_pointer(&table, k), &table);
	}
	at = table.at;
	lookup_clear(&table);
	for (uint32_t k = 0; k < 100; k++)
		*lookup_at(&arena, &table, k + 7) = 1;
	assert_ptr_equal(table.at, at);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_table_is_an_array),
		cmocka_unit_test(at_most_half_is_used),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	arena_free(&arena);
	return failed;
}
