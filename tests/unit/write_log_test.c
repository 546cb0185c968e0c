/* Logs of writes to a few words: what is told of stores and atomics. */
#include "memory/write_log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define LINE 0x10000080u

static const struct logged_word words[] = {{LINE + 8, 4}, {LINE + 16, 8}, {LINE + LINE_BYTES, 4}, {0, 0}};

static struct write_log log_in(struct arena *arena)
{
	return (struct write_log){.arena = arena, .words = words, .count = 4};
}

/* A store of part of a word, and of the same bytes again; other words of the line, and other lines, are not told. */
static void stores(void **state)
{
	struct arena arena = {0};
	struct write_log log = log_in(&arena);
	uint8_t before[LINE_BYTES] = {0}, after[LINE_BYTES] = {0};
	struct store_payload store = {.mask = {UINT64_C(1) << 9}};
	struct logged_request request = {.payload = &store,
		.line = LINE,
		.line_bytes = LINE_BYTES,
		.time = 7,
		.source = 3,
		.pc = 11,
		.group = 2,
		.kind = MESSAGE_STORE};

	(void)state;
	after[9] = 1;
	write_log_add(&log, &request, before, after, NULL);
	assert_int_equal(log.writes.count, 1);
	assert_int_equal(log.writes.at[0].word, 0);
	assert_int_equal(log.writes.at[0].before, 0);
	assert_int_equal(log.writes.at[0].after, 256);
	assert_int_equal(log.writes.at[0].time, 7);
	assert_true(log.writes.at[0].is_first && log.writes.at[0].is_store);
	assert_true(log.writes.at[0].source == 3 && log.writes.at[0].pc == 11 && log.writes.at[0].group == 2);
	write_log_add(&log, &request, after, after, NULL);
	assert_int_equal(log.writes.count, 2);
	assert_int_equal(log.writes.at[1].before, 256);
	store.mask[0] = UINT64_C(0xf) << 12;
	write_log_add(&log, &request, before, after, NULL);
	request.line = LINE + 2 * LINE_BYTES;
	store.mask[0] = UINT64_MAX;
	write_log_add(&log, &request, before, after, NULL);
	assert_int_equal(log.writes.count, 2);
	arena_free(&arena);
}

struct request_of_three {
	struct atomic_payload atomic;
	struct atomic_entry entry[3];
};

/* Each entry of an atomic is told, with what it found and what it left; also one that changes nothing. */
static void atomics(void **state)
{
	struct arena arena = {0};
	struct write_log log = log_in(&arena);
	uint8_t before[LINE_BYTES] = {0}, after[LINE_BYTES] = {0};
	const uint64_t old[] = {4, 9, 5};
	struct request_of_three three = {.atomic = {.op = ATOMIC_ADD, .bytes = 4, .count = 3},
		.entry = {{1, 0, LINE + 8}, {1, 0, LINE + 24}, {0, 0, LINE + 8}}};
	struct logged_request request = {
		.payload = &three, .line = LINE, .line_bytes = LINE_BYTES, .kind = MESSAGE_ATOMIC};

	(void)state;
	before[8] = 4;
	after[8] = 5;
	write_log_add(&log, &request, before, after, old);
	assert_int_equal(log.writes.count, 2);
	assert_true(log.writes.at[0].is_first && !log.writes.at[1].is_first);
	assert_int_equal(log.writes.at[0].before, 4);
	assert_int_equal(log.writes.at[0].after, 5);
	assert_int_equal(log.writes.at[1].before, 5);
	assert_int_equal(log.writes.at[1].after, 5);
	assert_false(log.writes.at[0].is_store);
	arena_free(&arena);
}

/* Of atomics on halves of a word, one write is told. */
static void parts(void **state)
{
	struct arena arena = {0};
	struct write_log log = log_in(&arena);
	uint8_t before[LINE_BYTES] = {0}, after[LINE_BYTES] = {0};
	const uint64_t old[] = {0, 0, 0};
	struct request_of_three three = {.atomic = {.op = ATOMIC_ADD, .bytes = 4, .count = 3},
		.entry = {{1, 0, LINE + 16}, {1, 0, LINE + 20}, {1, 0, LINE + 64}}};
	struct logged_request request = {
		.payload = &three, .line = LINE, .line_bytes = LINE_BYTES, .kind = MESSAGE_ATOMIC};

	(void)state;
	after[16] = after[20] = 1;
	write_log_add(&log, &request, before, after, old);
	assert_int_equal(log.writes.count, 1);
	assert_int_equal(log.writes.at[0].word, 1);
	assert_true(log.writes.at[0].after == UINT64_C(0x100000001));
	arena_free(&arena);
}

/* Values between lanes have all bits of a word of 64, and 32 of one of 32 whatever lies above. */
static void values_between(void **state)
{
	static const struct {
		uint32_t bytes, at;
		uint64_t between;
	} rows[] = {{8, 16, UINT64_C(0x500000003)}, {4, 8, 3}};
	const uint64_t old[] = {2, UINT64_C(0x500000003), 0};

	(void)state;
	for (size_t k = 0; k < 2; k++) {
		struct arena arena = {0};
		struct write_log log = log_in(&arena);
		uint8_t before[LINE_BYTES] = {0}, after[LINE_BYTES] = {0};
		struct request_of_three three = {
			.atomic = {.op = ATOMIC_ADD, .bytes = (uint8_t)rows[k].bytes, .count = 2},
			.entry = {{1, 0, LINE + rows[k].at}, {1, 0, LINE + rows[k].at}}};
		struct logged_request request = {
			.payload = &three, .line = LINE, .line_bytes = LINE_BYTES, .kind = MESSAGE_ATOMIC};

		before[rows[k].at] = 2;
		after[rows[k].at] = 4;
		write_log_add(&log, &request, before, after, old);
		assert_int_equal(log.writes.count, 2);
		assert_true(log.writes.at[0].after == rows[k].between);
		assert_true(log.writes.at[1].before == rows[k].between);
		arena_free(&arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(stores), cmocka_unit_test(atomics), cmocka_unit_test(parts),
		cmocka_unit_test(values_between)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
