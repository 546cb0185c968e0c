/* Tags of an L2 slice: victims, sectors of every size, bytes that are known, sectors on their way. */
#include "memory/l2.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static struct arena arena;
static struct l2 l2;

static int drop(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

static void make_lines(uint32_t line_bytes, uint32_t sector_bytes)
{
	l2_create(&l2, &arena,
		&(struct l2_shape){.sets = 2, .ways = 3, .line_bytes = line_bytes, .sector_bytes = sector_bytes});
}

static void make(uint32_t sector_bytes)
{
	make_lines(128, sector_bytes);
}

/* Bytes [from, from + count) of the line. */
static const uint64_t *bytes_of(uint32_t from, uint32_t count)
{
	static uint64_t mask[2];
	mask[0] = mask[1] = 0;
	for (uint32_t k = from; k < from + count; k++)
		mask[k / 64] |= 1ull << k % 64;
	return mask;
}

static void sectors_of_bytes(void **state)
{
	(void)state;
	for (uint32_t size = 32; size <= 128; size *= 2) {
		make(size);
		assert_int_equal(l2.sectors, 128 / size);
		assert_int_equal(l2_sectors_of(&l2, bytes_of(0, 0)), 0);
		assert_int_equal(l2_sectors_of(&l2, bytes_of(0, 128)), (1u << l2.sectors) - 1);
		for (uint32_t k = 0; k < 128; k++)
			assert_int_equal(l2_sectors_of(&l2, bytes_of(k, 1)), 1u << k / size);
		for (uint32_t k = 0; k + 32 < 128; k++) /* two neighbours, or one */
			assert_int_equal(l2_sectors_of(&l2, bytes_of(k, 33)), 1u << k / size | 1u << (k + 32) / size);
	}
}

/* Of 64 bytes: half of the sectors, and none behind them; a line is known when its 64 bytes are. */
static void short_lines(void **state)
{
	(void)state;
	for (uint32_t size = 32; size <= 64; size *= 2) {
		make_lines(64, size);
		assert_int_equal(l2.sectors, 64 / size);
		for (uint32_t k = 0; k < 64; k++)
			assert_int_equal(l2_sectors_of(&l2, bytes_of(k, 1)), 1u << k / size);
		l2_take(&l2, 0, 64);
		l2_take(&l2, 1, 128);
		assert_int_equal(l2_find(&l2, 0, 64), 0);
		assert_int_equal(l2_find(&l2, 0, 128), 1);
		l2_write(&l2, 0, bytes_of(0, 64));
		assert_int_equal(l2.lines[0].valid, (1u << l2.sectors) - 1);
		assert_int_equal(l2.lines[1].valid, 0);
	}
}

/* A line is found in its own set only; an empty place is taken before any other, then that which was used longest
 * ago. */
static void victims(void **state)
{
	(void)state;
	make(32);
	for (uint32_t k = 0; k < 3; k++) {
		assert_int_equal(l2_find(&l2, 1, 128 + 128 * k), L2_NONE);
		assert_int_equal(l2_victim(&l2, 1), 3 + k);
		l2_take(&l2, 3 + k, 128 + 128 * k);
		assert_int_equal(l2_find(&l2, 1, 128 + 128 * k), 3 + k);
		assert_int_equal(l2_find(&l2, 0, 128 + 128 * k), L2_NONE);
	}
	assert_int_equal(l2_victim(&l2, 0), 0);
	assert_int_equal(l2_victim(&l2, 1), 3);
	l2_use(&l2, 3);
	assert_int_equal(l2_victim(&l2, 1), 4);
	l2_use(&l2, 5);
	l2_use(&l2, 4);
	assert_int_equal(l2_victim(&l2, 1), 3);
	l2.lines[3].valid = l2.lines[3].dirty = 15;
	l2_take(&l2, 3, 1024);
	assert_int_equal(l2.lines[3].valid | l2.lines[3].dirty, 0);
	assert_int_equal(l2_find(&l2, 1, 128), L2_NONE);
	assert_int_equal(l2_victim(&l2, 1), 5);
}

/* A line with sectors on their way stays, however long ago it was used, until the last of them has come. */
static void sectors_on_their_way(void **state)
{
	(void)state;
	make(32);
	for (uint32_t k = 0; k < 3; k++)
		l2_take(&l2, k, 128 + 128 * k);
	l2_ask(&l2, 0, 3);
	assert_int_equal(l2_victim(&l2, 0), 1);
	l2_ask(&l2, 1, 1);
	l2_ask(&l2, 1, 8);
	l2_ask(&l2, 2, 1);
	assert_int_equal(l2_victim(&l2, 0), L2_NONE);
	l2_use(&l2, 2);
	l2_fill(&l2, 0, 1);
	assert_int_equal(l2.lines[0].valid, 1);
	assert_int_equal(l2.lines[0].pending, 2);
	assert_int_equal(l2_victim(&l2, 0), L2_NONE);
	l2_fill(&l2, 0, 2);
	assert_int_equal(l2.lines[0].valid, 3);
	assert_int_equal(l2_victim(&l2, 0), 0);
	l2_use(&l2, 0);
	assert_int_equal(l2.lines[1].pending, 9);
	l2_fill(&l2, 1, 9);
	l2_fill(&l2, 2, 1);
	assert_int_equal(l2.lines[1].pending | l2.lines[2].pending, 0);
	assert_int_equal(l2_victim(&l2, 0), 1);
	l2_use(&l2, 1);
	assert_int_equal(l2_victim(&l2, 0), 2);
}

/* A sector is valid when each of its bytes has been written, in however many stores, unless the rest of it is on its
 * way. */
static void written_bytes(void **state)
{
	(void)state;
	for (uint32_t size = 32; size <= 128; size *= 2) {
		make(size);
		for (uint32_t s = 0; s < l2.sectors; s++) {
			const struct l2_line *line = &l2.lines[0];
			l2_take(&l2, 0, 128);
			l2_write(&l2, 0, bytes_of(s * size, size - 1));
			assert_int_equal(line->dirty, 1u << s);
			assert_int_equal(line->valid, 0);
			l2_write(&l2, 0, bytes_of(s * size + size - 1, 1));
			assert_int_equal(line->dirty, 1u << s);
			assert_int_equal(line->valid, 1u << s);
			l2_take(&l2, 0, 128);
			l2_write(&l2, 0, bytes_of(s * size + 1, size - 1));
			assert_int_equal(line->valid, 0);
			l2_write(&l2, 0, bytes_of(s * size, 1));
			assert_int_equal(line->valid, 1u << s);
			l2_take(&l2, 0, 128);
			l2_ask(&l2, 0, (uint8_t)(1u << s));
			l2_write(&l2, 0, bytes_of(0, 128));
			assert_int_equal(line->dirty, (1u << l2.sectors) - 1);
			assert_int_equal(line->valid, line->dirty & ~(1u << s));
			l2_fill(&l2, 0, (uint8_t)(1u << s));
			assert_int_equal(line->valid, line->dirty);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(sectors_of_bytes, drop),
		cmocka_unit_test_teardown(short_lines, drop),
		cmocka_unit_test_teardown(victims, drop),
		cmocka_unit_test_teardown(sectors_on_their_way, drop),
		cmocka_unit_test_teardown(written_bytes, drop),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
