/* Logs of compare-and-swaps: which entries of a message have stored, of words and of 16 bytes. */
#include "memory/write_log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* A message of three, as lanes send it; of 16 bytes the high halves are behind the entries. */
struct swaps {
	struct message message;
	struct atomic_payload head;
	struct atomic_entry entry[3];
	uint64_t high[6];
};

static uint64_t stored(const struct swaps *swaps, const uint64_t *old)
{
	struct arena arena = {0};
	struct swap_log log = {.arena = &arena};
	uint64_t entries = 0;

	swap_log_add(&log, &swaps->message, old);
	assert_in_range(log.swaps.count, 0, 1);
	if (log.swaps.count) {
		entries = log.swaps.at[0].stored;
		assert_int_equal(log.swaps.at[0].token, 9);
		assert_int_equal(log.swaps.at[0].source, 3);
	}
	arena_free(&arena);
	return entries;
}

static void words(void **state)
{
	const struct swaps swaps = {.message = {.token = 9, .source = 3, .kind = MESSAGE_ATOMIC},
		.head = {.op = ATOMIC_CAS, .bytes = 8, .count = 3},
		.entry = {{.a = 1}, {.a = 2}, {.a = 3}}};

	(void)state;
	assert_int_equal(stored(&swaps, (const uint64_t[]){1, 2, 3}), 7);
	assert_int_equal(stored(&swaps, (const uint64_t[]){1, 0, 3}), 5);
	assert_int_equal(stored(&swaps, (const uint64_t[]){3, 1, 2}), 0);
}

/* Both halves of an entry are compared, and with its own old value. */
static void pairs(void **state)
{
	const struct swaps swaps = {.message = {.token = 9, .source = 3, .kind = MESSAGE_ATOMIC},
		.head = {.op = ATOMIC_CAS, .bytes = 16, .count = 3},
		.entry = {{.a = 1}, {.a = 2}, {.a = 3}},
		.high = {11, 0, 12, 0, 13, 0}};

	(void)state;
	assert_int_equal(stored(&swaps, (const uint64_t[]){1, 11, 2, 12, 3, 13}), 7);
	assert_int_equal(stored(&swaps, (const uint64_t[]){1, 0, 0, 12, 3, 13}), 4);
	assert_int_equal(stored(&swaps, (const uint64_t[]){0, 11, 2, 12, 3, 0}), 2);
	assert_int_equal(stored(&swaps, (const uint64_t[]){0, 1, 2, 3, 12, 13}), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(words), cmocka_unit_test(pairs)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
