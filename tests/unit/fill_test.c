/* Fills of memory: patterns of every size that the host's calls have, lengths around the block that is copied, and what
 * lies behind stays. */
#include "memory/address_space.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define BLOCK 4096
#define LARGE (1u << 18) /* bytes: clearing tells whole pages from their ends */
#define GUARD 0xa5

static struct arena arena;
static struct address_space space;
static uint8_t plain[3 * BLOCK + 256];

static int make(void **state)
{
	(void)state;
	space_create(&space, &arena, 1 << 21, LINE_BYTES, true);
	return 0;
}

static int drop(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

static void check(const uint8_t *at, size_t bytes, const uint8_t *pattern, size_t pattern_bytes)
{
	for (size_t k = 0; k < bytes; k++)
		assert_int_equal(at[k], pattern[k % pattern_bytes]);
	for (size_t k = bytes; k < bytes + 64; k++)
		assert_int_equal(at[k], GUARD);
}

static void fill_and_check(uint8_t *at, size_t bytes, const uint8_t *pattern, size_t pattern_bytes)
{
	memset(at, GUARD, bytes + 64);
	space_fill(&space, at, bytes, pattern, pattern_bytes);
	check(at, bytes, pattern, pattern_bytes);
}

/* OpenCL's patterns have up to 128 bytes; CUDA's rows of elements up to 4. */
static void every_size_of_pattern(void **state)
{
	(void)state;
	for (size_t size = 1; size <= 128; size *= 2) {
		const size_t lengths[] = {
			size, 2 * size, BLOCK - size, BLOCK, BLOCK + size, 2 * BLOCK, 3 * BLOCK - size};
		uint8_t pattern[128];
		for (size_t k = 0; k < size; k++)
			pattern[k] = (uint8_t)(k + 1);
		for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++)
			fill_and_check(plain, lengths[k], pattern, size);
	}
}

/* A pattern is zero only if all of its bytes are. */
static void one_byte_that_is_not_zero(void **state)
{
	(void)state;
	for (size_t k = 0; k <= 4; k++) {
		uint8_t pattern[4] = {0};
		if (k < 4)
			pattern[k] = 7;
		fill_and_check(plain, 2 * BLOCK + 4, pattern, 4);
		fill_and_check(plain, 4, pattern, 4);
	}
}

/* In memory of the space whole pages are cleared otherwise than their ends; and only what was asked for. */
static void zeros_in_an_allocation(void **state)
{
	(void)state;
	const uint8_t zero[4] = {0};
	uint8_t *at = space_host(&space, space_allocate(&space, LARGE + BLOCK, "buffer"));
	for (size_t lead = 0; lead < 16; lead += 4) {
		memset(at, GUARD, LARGE + BLOCK);
		space_fill(&space, at + lead, LARGE, zero, 4);
		for (size_t k = 0; k < lead; k++)
			assert_int_equal(at[k], GUARD);
		check(at + lead, LARGE, zero, 4);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(every_size_of_pattern, make, drop),
		cmocka_unit_test_setup_teardown(one_byte_that_is_not_zero, make, drop),
		cmocka_unit_test_setup_teardown(zeros_in_an_allocation, make, drop),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
