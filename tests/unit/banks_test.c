/* The cycles that the banks of shared memory need, against the definition, lane by lane. */
#include "machine/lsu/banks.h"

#include "util/text.h"
#include "warp/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define ROUNDS 3000

static uint64_t seed = 1;

/* The most different words of one bank. */
static uint32_t by_definition(uint32_t banks, uint32_t bytes, const uint64_t *address, lane_mask lanes)
{
	static bool asked[1 << 16];
	uint32_t load[64] = {0}, worst = 0;
	memset(asked, 0, sizeof asked);
	for (; lanes; lanes &= lanes - 1)
		for (uint32_t at = 0; at < bytes || at == 0; at += 4) {
			uint64_t word = (address[__builtin_ctzll(lanes)] + at) / 4;
			if (!asked[word] && ++load[word % banks] > worst)
				worst = load[word % banks];
			asked[word] = true;
		}
	return worst;
}

static uint32_t cycles(uint32_t banks, uint32_t bytes, uint32_t width, const uint64_t *address, lane_mask lanes)
{
	struct gpu_model model = {.shared_banks = banks};
	struct insn i = {.access = {.bytes = (uint8_t)(bytes > 8 ? 8 : bytes),
				 .elements = (uint8_t)(bytes > 8 ? bytes / 8 : 1)}};
	return banks_cycles(&model, warp_memory(width), &i, address, lanes);
}

/* By the definition in banks.h. */
static void known_patterns_take_as_many_cycles_as_the_fullest_bank_has_words(void **state)
{
	uint64_t address[64];
	(void)state;
	for (uint32_t l = 0; l < 64; l++)
		address[l] = 4 * l;
	assert_int_equal(cycles(32, 4, 32, address, UINT32_MAX), 1); /* neighbours */
	assert_int_equal(cycles(32, 4, 64, address, UINT64_MAX), 2); /* twice as many lanes as banks */
	assert_int_equal(cycles(16, 4, 32, address, UINT32_MAX), 2);
	for (uint32_t l = 0; l < 64; l++)
		address[l] = 128 * l;
	assert_int_equal(cycles(32, 4, 32, address, UINT32_MAX), 32); /* a column of 32 words */
	assert_int_equal(cycles(32, 4, 32, address, 0x10001), 2);
	for (uint32_t l = 0; l < 64; l++)
		address[l] = 132 * l;
	assert_int_equal(cycles(32, 4, 32, address, UINT32_MAX), 1); /* of 33: padded */
	for (uint32_t l = 0; l < 64; l++)
		address[l] = l;
	assert_int_equal(cycles(32, 1, 32, address, UINT32_MAX), 1); /* bytes of 8 words */
	for (uint32_t l = 0; l < 64; l++)
		address[l] = 16 * l;
	assert_int_equal(cycles(32, 16, 32, address, UINT32_MAX), 4);
	assert_int_equal(cycles(2, 16, 32, address, 1), 2); /* wider than all banks */
}

static void any_pattern_takes_what_the_definition_says(void **state)
{
	uint64_t address[64];
	(void)state;
	for (uint32_t k = 0; k < ROUNDS; k++) {
		uint32_t width = k % 2 ? 64 : 32, bytes = 1U << splitmix64(&seed) % 5,
			 banks = 1U << splitmix64(&seed) % 7;
		uint64_t range = UINT64_C(1) << (2 + splitmix64(&seed) % 10), lanes = splitmix64(&seed) | 1;
		for (uint32_t l = 0; l < width; l++)
			address[l] = splitmix64(&seed) % range * bytes;
		lanes = k % 3 ? lanes : UINT64_MAX;
		lanes &= width == 64 ? UINT64_MAX : UINT32_MAX;
		assert_int_equal(
			cycles(banks, bytes, width, address, lanes), by_definition(banks, bytes, address, lanes));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_patterns_take_as_many_cycles_as_the_fullest_bank_has_words),
		cmocka_unit_test(any_pattern_takes_what_the_definition_says),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
