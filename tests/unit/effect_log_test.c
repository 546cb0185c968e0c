/* Logs of atomics: which compare-and-swaps of a message have stored, of words and of 16 bytes. */
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
	struct effect_log log = {.arena = &arena};
	uint64_t failed;

	effect_log_add(&log, &swaps->message, old);
	assert_int_equal(log.effects.count, 1);
	failed = log.effects.at[0].failed;
	assert_int_equal(log.effects.at[0].token, 9);
	assert_int_equal(log.effects.at[0].source, 3);
	arena_free(&arena);
	return 7 & ~failed;
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

/* No other atomic fails, whatever it finds. */
static void others(void **state)
{
	const struct swaps adds = {.message = {.token = 9, .source = 3, .kind = MESSAGE_ATOMIC},
		.head = {.op = ATOMIC_ADD, .bytes = 8, .count = 3},
		.entry = {{.a = 1}, {.a = 2}, {.a = 3}}};

	(void)state;
	assert_int_equal(stored(&adds, (const uint64_t[]){3, 2, 1}), 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(words), cmocka_unit_test(pairs), cmocka_unit_test(others)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
