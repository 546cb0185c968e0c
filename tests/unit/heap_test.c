/* The heap of device malloc: blocks do not overlap, come back when they are freed, and all of it can be had again in
 * the end. */
#include "memory/heap.h"
#include "util/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define HEAP_BYTES 65536u
#define BLOCKS 200

struct block {
	uint64_t address, bytes;
};

static struct heap heap;
static struct address_space space;
static struct arena arena;

static int open_heap(void **state)
{
	(void)state;
	arena = (struct arena){0};
	heap = (struct heap){.bytes = HEAP_BYTES};
	space_create(&space, &arena, 1 << 20, LINE_BYTES, true);
	heap_open(&heap, &space);
	return 0;
}

static int close_heap(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

static uint32_t next(uint32_t *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return *seed >> 8;
}

static void assert_apart(const struct block *blocks, uint32_t which)
{
	for (uint32_t k = 0; k < BLOCKS; k++)
		if (k != which && blocks[k].address)
			assert_true(blocks[k].address + blocks[k].bytes <= blocks[which].address ||
				    blocks[which].address + blocks[which].bytes <= blocks[k].address);
}

static void blocks_are_apart_and_come_back(void **state)
{
	struct block blocks[BLOCKS] = {0};
	uint32_t seed = 1, taken = 0;
	(void)state;
	for (uint32_t round = 0; round < 20000; round++) {
		uint32_t k = next(&seed) % BLOCKS;
		if (blocks[k].address) {
			assert_true(heap_free(&heap, blocks[k].address));
			blocks[k].address = 0;
			continue;
		}
		blocks[k].bytes = 1 + next(&seed) % (round % 7 ? 200 : 3000);
		blocks[k].address = heap_allocate(&heap, blocks[k].bytes);
		if (!blocks[k].address)
			continue;
		taken++;
		assert_int_equal(blocks[k].address % 16, 0);
		assert_true(blocks[k].address >= heap.address &&
			    blocks[k].address + blocks[k].bytes <= heap.address + HEAP_BYTES);
		assert_apart(blocks, k);
	}
	assert_true(taken > 5000);
	for (uint32_t k = 0; k < BLOCKS; k++)
		if (blocks[k].address)
			assert_true(heap_free(&heap, blocks[k].address));
	assert_int_equal(heap_allocate(&heap, HEAP_BYTES), heap.address);
}

static void what_malloc_did_not_give_is_refused(void **state)
{
	uint64_t address = heap_allocate(&heap, 100);
	(void)state;
	assert_false(heap_free(&heap, address + 16));
	assert_false(heap_free(&heap, address + 1));
	assert_false(heap_free(&heap, heap.address + HEAP_BYTES));
	assert_false(heap_free(&heap, heap.address - 16));
	assert_true(heap_free(&heap, address));
	assert_false(heap_free(&heap, address));
}

/* Three blocks side by side, freed in each order: a second time each is refused, whatever it has become a part of. */
static void none_is_freed_twice(void **state)
{
	static const uint32_t orders[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
	(void)state;
	for (uint32_t k = 0; k < 6; k++) {
		uint64_t address[3];
		for (uint32_t n = 0; n < 3; n++)
			address[n] = heap_allocate(&heap, 32);
		assert_int_equal(address[2], address[0] + 64);
		for (uint32_t n = 0; n < 3; n++) {
			assert_true(heap_free(&heap, address[orders[k][n]]));
			for (uint32_t m = 0; m <= n; m++)
				assert_false(heap_free(&heap, address[orders[k][m]]));
		}
		assert_int_equal(heap_allocate(&heap, HEAP_BYTES), heap.address);
		assert_true(heap_free(&heap, heap.address));
	}
}

static void there_is_no_more_than_there_is(void **state)
{
	(void)state;
	assert_int_equal(heap_allocate(&heap, 0), 0);
	assert_int_equal(heap_allocate(&heap, HEAP_BYTES + 1), 0);
	assert_int_equal(heap_allocate(&heap, UINT64_MAX), 0);
	assert_int_not_equal(heap_allocate(&heap, HEAP_BYTES - 16), 0);
	assert_int_equal(heap_allocate(&heap, 17), 0);
	assert_int_not_equal(heap_allocate(&heap, 16), 0);
	assert_int_equal(heap_allocate(&heap, 1), 0);
}

/* Some blocks come and go; which addresses they got. */
static uint64_t play(uint64_t held[BLOCKS], uint32_t seed)
{
	uint64_t sum = 0;
	for (uint32_t round = 0; round < 3000; round++) {
		uint32_t k = next(&seed) % BLOCKS;
		if (held[k])
			assert_true(heap_free(&heap, held[k]));
		held[k] = held[k] ? 0 : heap_allocate(&heap, 1 + next(&seed) % 500);
		sum = sum * 31 + held[k];
	}
	return sum;
}

static void what_was_saved_is_restored(void **state)
{
	uint64_t first[BLOCKS] = {0}, now[BLOCKS], again[BLOCKS], sum, later;
	(void)state;
	struct heap_state *empty = heap_save(&heap, &arena);
	play(first, 5);
	memcpy(now, first, sizeof now);
	struct heap_state *saved = heap_save(&heap, &arena);
	sum = play(now, 6);
	struct heap_state *present = heap_save(&heap, &arena);
	for (int round = 0; round < 3; round++) {
		heap_restore(&heap, saved);
		memcpy(again, first, sizeof again);
		assert_int_equal(play(again, 6), sum);
		play(again, 7 + (uint32_t)round);
	}
	heap_restore(&heap, present);
	memcpy(again, now, sizeof again);
	later = play(again, 9);
	heap_restore(&heap, empty);
	assert_int_equal(heap_allocate(&heap, HEAP_BYTES), heap.address);
	heap_restore(&heap, present);
	memcpy(again, now, sizeof again);
	assert_int_equal(play(again, 9), later);
}

static void a_heap_of_nothing_gives_nothing(void **state)
{
	struct heap none = {0};
	(void)state;
	heap_open(&none, &space);
	assert_int_equal(heap_allocate(&none, 1), 0);
	assert_false(heap_free(&none, GLOBAL_BASE));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(blocks_are_apart_and_come_back, open_heap, close_heap),
		cmocka_unit_test_setup_teardown(what_malloc_did_not_give_is_refused, open_heap, close_heap),
		cmocka_unit_test_setup_teardown(none_is_freed_twice, open_heap, close_heap),
		cmocka_unit_test_setup_teardown(there_is_no_more_than_there_is, open_heap, close_heap),
		cmocka_unit_test_setup_teardown(what_was_saved_is_restored, open_heap, close_heap),
		cmocka_unit_test_setup_teardown(a_heap_of_nothing_gives_nothing, open_heap, close_heap),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
