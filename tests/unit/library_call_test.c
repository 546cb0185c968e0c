/* Arguments and results of provided functions: in registers of 4 and 8 bytes, narrow and wide, and in the caller's
 * frame. */
#include "machine/lsu/library_call.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define LANES 32
#define WIDE (1u << 30) /* of a slot_ref: in the file of wide registers */
#define STACK_BASE 16

static uint32_t narrow[2 * LANES];
static uint64_t wide[2 * LANES];
static uint8_t local[64 * LANES];
static struct warp warp;

/* Each byte tells where it is. */
static int make(void **state)
{
	(void)state;
	for (uint32_t k = 0; k < 2 * LANES; k++) {
		narrow[k] = 0xa0000000 + k;
		wide[k] = 0xb0000000c0000000 + k;
	}
	for (uint32_t k = 0; k < sizeof local; k++)
		local[k] = (uint8_t)(k / 4 % LANES ^ (k / 4 / LANES << 5 | k % 4 << 6));
	warp = (struct warp){.bank = {narrow, (uint32_t *)wide},
		.lanes = LANES,
		.local = local,
		.local_bytes = 64,
		.stack_base = STACK_BASE};
	return 0;
}

static uint8_t *byte_of(uint32_t lane, uint32_t offset)
{
	return &local[(offset / 4 * LANES + lane) * 4 + offset % 4];
}

static void arguments(void **state)
{
	(void)state;
	const struct call_copy in_narrow = {.from = LANES, .from_bytes = 4, .bytes = 4},
			       in_wide = {.from = WIDE | 2 * LANES, .from_bytes = 8, .bytes = 8};
	for (uint32_t lane = 0; lane < LANES; lane++) {
		assert_int_equal(library_argument(&warp, &in_narrow, lane), narrow[LANES + lane]);
		assert_int_equal(library_argument(&warp, &in_wide, lane), wide[LANES + lane]);
		for (uint32_t bytes = 1; bytes <= 16; bytes *= 2) { /* of more than 8 the first 8 */
			const struct call_copy in_frame = {.from_stack = 1, .from = 8, .bytes = bytes};
			uint64_t expected = 0;
			for (uint32_t k = 0; k < bytes && k < 8; k++)
				expected |= (uint64_t)*byte_of(lane, STACK_BASE + 8 + k) << 8 * k;
			assert_int_equal(library_argument(&warp, &in_frame, lane), expected);
		}
	}
}

/* The lane gets its result, and nothing else changes. */
static void results(void **state)
{
	const uint64_t value = 0x1122334455667788;
	struct call_copy to_narrow = {.to = LANES, .to_bytes = 4, .bytes = 4},
			 to_wide = {.to = WIDE | 2 * LANES, .to_bytes = 8, .bytes = 8};
	const struct insn_extra narrow_result = {.returns = &to_narrow, .return_count = 1},
				wide_result = {.returns = &to_wide, .return_count = 1};
	for (uint32_t lane = 0; lane < LANES; lane++) {
		make(state);
		library_result(&warp, &narrow_result, lane, value);
		for (uint32_t k = 0; k < 2 * LANES; k++) {
			assert_int_equal(narrow[k], k == LANES + lane ? 0x55667788 : 0xa0000000 + k);
			assert_int_equal(wide[k], 0xb0000000c0000000 + k);
		}
		make(state);
		library_result(&warp, &wide_result, lane, value);
		for (uint32_t k = 0; k < 2 * LANES; k++) {
			assert_int_equal(narrow[k], 0xa0000000 + k);
			assert_int_equal(wide[k], k == LANES + lane ? value : 0xb0000000c0000000 + k);
		}
	}
}

static void results_in_the_frame(void **state)
{
	(void)state;
	const uint64_t value = 0x1122334455667788;
	for (uint32_t bytes = 1; bytes <= 16; bytes *= 2) {
		struct call_copy copy = {.to_stack = 1, .to = 8, .bytes = bytes};
		const struct insn_extra extra = {.returns = &copy, .return_count = 1};
		uint8_t before[sizeof local];
		make(NULL);
		memcpy(before, local, sizeof local);
		library_result(&warp, &extra, 5, value);
		for (uint32_t k = 0; k < bytes && k < 8; k++) {
			uint8_t *at = byte_of(5, STACK_BASE + 8 + k);
			assert_int_equal(*at, value >> 8 * k & 0xff);
			*at = before[at - local];
		}
		assert_memory_equal(local, before, sizeof local);
	}
}

/* A call that takes no result. */
static void no_result(void **state)
{
	(void)state;
	struct call_copy copy = {.to = 0, .to_bytes = 4, .bytes = 4};
	const struct insn_extra extra = {.returns = &copy};
	library_result(&warp, &extra, 0, 7);
	assert_int_equal(narrow[0], 0xa0000000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(arguments, make),
		cmocka_unit_test_setup(results, make),
		cmocka_unit_test_setup(results_in_the_frame, make),
		cmocka_unit_test_setup(no_result, make),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
