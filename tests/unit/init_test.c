/* Which bytes nothing has written: against an array, at random. */
#include "init/init.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define BYTES 1000
#define BASE 0x1000

static struct arena arena;
static uint64_t seed = 1;

static uint32_t draw(uint32_t below)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(seed >> 33) % below;
}

static void compare(const struct init_bits *bits, const uint8_t *expected, uint32_t at, uint32_t bytes)
{
	uint64_t first = 0, count = 0, found_first = 0;
	uint32_t mask = 0;

	for (uint32_t k = bytes; k--;)
		if (expected[at + k]) {
			first = bits->base + at + k;
			count++;
			mask |= k < INIT_MOST_BYTES ? 1u << k : 0;
		}
	assert_int_equal(init_bits_count(bits, bits->base + at, bytes, &found_first), count);
	if (count)
		assert_int_equal(found_first, first);
	if (bytes && bytes <= INIT_MOST_BYTES)
		assert_int_equal(init_bits_at(bits, bits->base + at, bytes), mask);
}

/* A bit for each byte, and a word behind that of the last byte, as reads may straddle two; and hardly more. */
static void there_is_room_for_all_bits(void **state)
{
	static const uint64_t sizes[] = {64, 100, 4096, 64 * 511 + 10, 1 << 20, 1 << 30};

	(void)state;
	for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
		struct arena own = {0};

		struct found_list list = {.arena = &own};

		(void)inits_create(&list, BASE, sizes[k]);

		uint64_t words = ((sizes[k] - 1) / 64 + 2) * sizeof(uint64_t);
		uint64_t room = own.used - sizeof(struct inits);

		assert_in_range(room, words, words + 64 + 2 * sizeof(uint64_t));
		arena_free(&own);
	}
}

static void bits_are_those_of_an_array(void **state)
{
	struct found_list list = {.arena = &arena};
	struct inits *inits = inits_create(&list, BASE, BYTES);
	struct init_bits *bits = &inits->global;
	uint8_t expected[BYTES] = {0};

	(void)state;
	assert_false(init_bits_any(bits));
	for (uint32_t k = 0; k < 5000; k++) {
		uint32_t at = draw(BYTES), bytes = draw(draw(2) ? BYTES - at + 1 : 33), set = draw(2);
		uint64_t left = 0;

		bytes = bytes > BYTES - at ? BYTES - at : bytes;
		(set ? init_bits_undefine : init_bits_define)(bits, BASE + at, bytes);
		memset(expected + at, (int)set, bytes);
		for (uint32_t b = 0; b < BYTES; b++)
			left += expected[b];
		assert_int_equal(bits->left, left);
		at = draw(BYTES);
		bytes = draw(INIT_MOST_BYTES + 1);
		compare(bits, expected, at, bytes > BYTES - at ? BYTES - at : bytes);
		compare(bits, expected, 0, BYTES);
	}
}

static void all_of_new_memory_is_set(void **state)
{
	struct init_bits bits = {0};

	(void)state;
	for (uint32_t bytes = 200; bytes; bytes -= 25) {
		uint64_t first;

		bits.base = BASE; /* of what had the array before */
		init_bits_begin(&bits, &arena, bytes);
		assert_int_equal(bits.left, bytes);
		assert_int_equal(init_bits_count(&bits, 0, bytes, &first), bytes);
		init_bits_define(&bits, 0, bytes);
		assert_false(init_bits_any(&bits));
	}
}

/* What begins again and is no larger has the same array. */
static void an_array_is_kept(void **state)
{
	struct arena own = {0};
	struct init_bits bits = {0};
	const uint64_t *words;

	(void)state;
	init_bits_begin(&bits, &own, 1000);
	words = bits.words;
	init_bits_begin(&bits, &own, 1000);
	assert_ptr_equal(bits.words, words);
	init_bits_begin(&bits, &own, 10);
	assert_ptr_equal(bits.words, words);
	init_bits_begin(&bits, &own, 1000);
	assert_ptr_equal(bits.words, words);
	init_bits_begin(&bits, &own, 2000);
	assert_ptr_not_equal(bits.words, words);
	arena_free(&own);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(there_is_room_for_all_bits),
		cmocka_unit_test(bits_are_those_of_an_array),
		cmocka_unit_test(all_of_new_memory_is_set),
		cmocka_unit_test(an_array_is_kept),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	arena_free(&arena);
	return failed;
}
