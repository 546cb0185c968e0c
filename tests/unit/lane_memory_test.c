/* Memory accesses of a whole warp, in every variant that this processor can run, against the plain way to do it. */
#include "util/text.h"
#include "warp/memory.h"
#include "warp/variants.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define ROUNDS 2000
#define WORDS 256

static uint64_t seed = 1;

static const lane_mask masks[] = {
	~UINT64_C(0), 0xffffffff, 1, 0x80000000, 0xfffffffe, UINT64_C(0x8000000000000001), 0x0f0f0f0f};

static lane_mask any_mask(uint32_t lanes)
{
	uint32_t which = (uint32_t)(splitmix64(&seed) % (sizeof masks / sizeof *masks + 1));
	lane_mask mask = which < sizeof masks / sizeof *masks ? masks[which] : splitmix64(&seed);
	return lanes == 64 ? mask : mask & UINT32_MAX;
}

/* Neighbours, all the same, or anywhere. */
static void any_addresses(uint64_t *address, uint32_t lanes)
{
	uint64_t kind = splitmix64(&seed) % 4, first = splitmix64(&seed) % (WORDS - 64);
	for (uint32_t l = 0; l < lanes; l++)
		address[l] = 4 * (kind == 0 ? first + l : kind == 1 ? first : splitmix64(&seed) % WORDS);
	if (kind == 3)
		address[splitmix64(&seed) % lanes] ^= 4;
}

static bool fits(const uint64_t *address, lane_mask lanes, uint64_t first, uint64_t room, uint64_t odd)
{
	for (; lanes; lanes &= lanes - 1) {
		uint64_t at = address[__builtin_ctzll(lanes)];
		if (at < first || at > first + room || at & odd)
			return false;
	}
	return true;
}

static void check_fit(const struct lane_memory *memory, uint32_t lanes)
{
	uint64_t address[64], first = UINT64_C(0x10000000), room = 4 * WORDS - 4;
	for (uint32_t k = 0; k < ROUNDS; k++) {
		lane_mask mask = any_mask(lanes);
		any_addresses(address, lanes);
		for (uint32_t l = 0; l < lanes; l++)
			address[l] += first;
		static const int64_t shifts[] = {0, 1, 2, 4, -4, -8, INT64_MIN, -0x10000000};
		address[splitmix64(&seed) % lanes] += (uint64_t)shifts[splitmix64(&seed) % 8];
		if (mask)
			assert_int_equal(
				memory->fit(address, mask, first, room, 3), fits(address, mask, first, room, 3));
	}
}

static void check_words(const struct lane_memory *memory, uint32_t lanes)
{
	uint64_t address[64];
	uint32_t bytes[WORDS], expected[WORDS], to[64], wanted[64];
	for (uint32_t k = 0; k < ROUNDS; k++) {
		lane_mask mask = any_mask(lanes);
		any_addresses(address, lanes);
		for (uint32_t w = 0; w < WORDS; w++)
			bytes[w] = expected[w] = (uint32_t)splitmix64(&seed);
		for (uint32_t l = 0; l < lanes; l++)
			to[l] = wanted[l] = l;
		for (lane_mask m = mask; m; m &= m - 1)
			wanted[__builtin_ctzll(m)] = bytes[address[__builtin_ctzll(m)] / 4];
		memory->load_words(to, (memory_base)bytes, address, mask);
		assert_memory_equal(to, wanted, lanes * sizeof *to);
		for (uint32_t l = 0; l < lanes; l++)
			to[l] = (uint32_t)splitmix64(&seed);
		for (lane_mask m = mask; m; m &= m - 1)
			expected[address[__builtin_ctzll(m)] / 4] = to[__builtin_ctzll(m)];
		memory->store_words((memory_base)bytes, address, to, mask);
		assert_memory_equal(bytes, expected, sizeof bytes);
	}
}

/* Rows of 16 as work-groups of 16 x 16 have them: neighbours or all the same; else as any_addresses. */
static void any_rows(uint64_t *address, uint32_t lanes)
{
	any_addresses(address, lanes);
	for (uint32_t l = 0; splitmix64(&seed) % 2 && l < lanes; l += 16) {
		uint64_t first = splitmix64(&seed) % (WORDS - 16), step = splitmix64(&seed) % 2;
		for (uint32_t k = 0; k < 16; k++)
			address[l + k] = 4 * (first + step * k);
	}
	if (splitmix64(&seed) % 4 == 0) /* but for one lane */
		address[splitmix64(&seed) % lanes] ^= 4;
}

/* In an allocation, and in a window: some lanes may give addresses in it, others offsets. */
static void check_all(const struct lane_memory *memory, uint32_t lanes)
{
	uint64_t base[64];
	uint32_t words[WORDS], expected[WORDS], to[64], wanted[64], refused = 0;
	for (uint32_t k = 0; k < ROUNDS; k++) {
		bool windowed = k % 2;
		uint64_t origin = windowed ? 0 : UINT64_C(0x10000000), offset = splitmix64(&seed) % 64;
		struct memory_span span = {.first = origin + 16, .room = 4 * WORDS - 20};
		if (windowed)
			span.window = 0x01000000, span.window_bytes = 0x01000000;
		memory_base bytes = (memory_base)words - origin;
		any_rows(base, lanes);
		for (uint32_t w = 0; w < WORDS; w++)
			words[w] = expected[w] = (uint32_t)splitmix64(&seed);
		if (k % 3 == 0) /* misaligned, or before or behind */
			base[splitmix64(&seed) % lanes] += (uint64_t[]){1, 4 * WORDS, UINT64_C(1) << 63}[k / 3 % 3];
		bool fit = true;
		for (uint32_t l = 0; l < lanes; l++) {
			fit &= !(base[l] & 3) && base[l] >= 16 && base[l] <= 4 * WORDS - 4;
			wanted[l] = fit ? words[base[l] / 4] : l;
		}
		for (uint32_t l = 0; l < lanes; l++) {
			to[l] = l;
			wanted[l] = fit ? wanted[l] : l;
			base[l] += origin - offset + (windowed && splitmix64(&seed) % 2 ? span.window : 0);
		}
		refused += !fit;
		assert_int_equal(memory->load_all(to, bytes, base, offset, &span), fit);
		assert_memory_equal(to, wanted, lanes * sizeof *to);
		for (uint32_t l = 0; l < lanes; l++) {
			to[l] = (uint32_t)splitmix64(&seed);
			if (fit)
				expected[(base[l] + offset - origin) % 0x01000000 / 4] = to[l];
		}
		assert_int_equal(memory->store_all(bytes, base, offset, to, &span), fit);
		assert_memory_equal(words, expected, sizeof words);
	}
	assert_in_range(refused, ROUNDS / 4, ROUNDS * 9 / 10);
}

/* Whether two lanes go to different units of a bank, by comparing each pair. */
static bool conflict(const uint64_t *address, lane_mask lanes, uint32_t shift, uint32_t banks)
{
	for (lane_mask a = lanes; a; a &= a - 1)
		for (lane_mask b = a & (a - 1); b; b &= b - 1) {
			uint64_t one = address[__builtin_ctzll(a)] >> shift,
				 other = address[__builtin_ctzll(b)] >> shift;
			if (one != other && one % banks == other % banks)
				return true;
		}
	return false;
}

static void check_conflicts(const struct lane_memory *memory, uint32_t lanes)
{
	uint64_t address[64];
	uint32_t conflicts = 0;
	for (uint32_t k = 0; k < ROUNDS; k++) {
		lane_mask mask = any_mask(lanes);
		uint32_t shift = 2 + (uint32_t)(splitmix64(&seed) % 3), banks = 1U << splitmix64(&seed) % 7;
		any_addresses(address, lanes);
		if (k % 4 == 0) /* a lane in the bank of lane 0, but at another unit */
			address[splitmix64(&seed) % lanes] = (address[0] + ((uint64_t)banks << shift)) % (4 * WORDS);
		bool expected = conflict(address, mask, shift, banks);
		conflicts += expected;
		if (mask)
			assert_int_equal(memory->is_conflict_free(address, mask, shift, banks), !expected);
	}
	assert_in_range(conflicts, ROUNDS / 10, ROUNDS * 9 / 10);
}

static void check_addresses(const struct lane_memory *memory, uint32_t lanes)
{
	static const uint64_t near[] = {0, 1, 0xfff, 0x1000, 0x1001, UINT64_MAX};
	uint64_t address[64], window = UINT64_C(0x7000000000);
	uint32_t base[64];
	for (uint32_t k = 0; k < ROUNDS; k++) {
		uint32_t offset = (uint32_t)splitmix64(&seed);
		for (uint32_t l = 0; l < lanes; l++)
			base[l] = (uint32_t)splitmix64(&seed);
		memory->addresses_narrow(address, base, offset);
		for (uint32_t l = 0; l < lanes; l++)
			assert_true(address[l] == (uint32_t)(base[l] + offset));
		for (uint32_t l = 0; l < lanes; l++)
			address[l] = window + near[l % 6];
		memory->leave_window(address, window, 0x1000);
		for (uint32_t l = 0; l < lanes; l++)
			assert_true(address[l] == (near[l % 6] < 0x1000 ? near[l % 6] : window + near[l % 6]));
	}
}

static void check_lines(const struct lane_memory *memory, uint32_t lanes)
{
	uint64_t address[64], first = UINT64_C(0x10000000);
	for (uint32_t k = 0; k < ROUNDS; k++) {
		lane_mask mask = any_mask(lanes), in = 0;
		uint32_t words = 0;
		any_addresses(address, lanes);
		for (uint32_t l = 0; l < lanes; l++) {
			address[l] += first + (l == k % lanes ? UINT64_C(1) << 32 : 0);
			in |= (lane_mask)(address[l] / 128 == first / 128) << l;
		}
		assert_true(memory->in_block(address, first, 128) == in);
		for (uint32_t l = 0; l < lanes; l++) {
			address[l] = first + address[l] % 128;
			words |= (uint32_t)(mask >> l & 1) << address[l] % 128 / 4;
		}
		assert_int_equal(memory->words_in(address, mask, first), words);
	}
}

static void check_registers(const struct lane_memory *memory, uint32_t lanes)
{
	uint32_t narrow[64];
	uint64_t wide[64], sums[64];
	for (uint32_t k = 0; k < ROUNDS; k++) {
		lane_mask mask = any_mask(lanes);
		uint64_t value = splitmix64(&seed);
		for (uint32_t l = 0; l < lanes; l++)
			narrow[l] = l, wide[l] = l;
		memory->broadcast(narrow, mask, (uint32_t)value);
		memory->broadcast_wide(wide, mask, value);
		memory->addresses(sums, wide, value);
		for (uint32_t l = 0; l < lanes; l++) {
			assert_int_equal(narrow[l], mask >> l & 1 ? (uint32_t)value : l);
			assert_true(wide[l] == (mask >> l & 1 ? value : l));
			assert_true(sums[l] == wide[l] + value);
		}
		memory->count_up(narrow, (uint32_t)value);
		for (uint32_t l = 0; l < lanes; l++)
			assert_int_equal(narrow[l], (uint32_t)value + l);
	}
}

static void every_variant_does_what_one_lane_at_a_time_does(void **state)
{
	(void)state;
#define CHECK_VARIANT(name, lanes, usable)                                                                             \
	if (usable) {                                                                                                  \
		check_fit(&lane_memory_##name, lanes);                                                                 \
		check_words(&lane_memory_##name, lanes);                                                               \
		check_all(&lane_memory_##name, lanes);                                                                 \
		check_conflicts(&lane_memory_##name, lanes);                                                           \
		check_addresses(&lane_memory_##name, lanes);                                                           \
		check_lines(&lane_memory_##name, lanes);                                                               \
		check_registers(&lane_memory_##name, lanes);                                                           \
	}
	LANE_VARIANTS(CHECK_VARIANT)
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(every_variant_does_what_one_lane_at_a_time_does)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
