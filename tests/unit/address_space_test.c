/* Global memory's allocations: alignment, guards, search, freed places, running out. */
#include "memory/address_space.h"
#include "util/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

static struct arena arena;
static struct address_space space;

static int make(void **state)
{
	(void)state;
	space_create(&space, &arena, 1 << 20, LINE_BYTES, true);
	return 0;
}

static int drop(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

static void allocations_are_aligned_and_guarded(void **state)
{
	(void)state;
	uint64_t before = 0;
	for (uint64_t bytes = 0; bytes < 600; bytes += 37) {
		uint64_t at = space_allocate(&space, bytes, "buffer");
		assert_true(at >= GLOBAL_BASE);
		assert_int_equal(at % 256, 0);
		if (before)
			assert_true(at - before >= 256);
		memset(space_host(&space, at), 1, bytes);
		before = at + bytes;
	}
}

static void find_is_exact_at_both_ends(void **state)
{
	(void)state;
	uint64_t a = space_allocate(&space, 100, "a"), b = space_allocate(&space, 4, "b");
	assert_string_equal(space_find(&space, a, 100)->name, "a");
	assert_string_equal(space_find(&space, a + 96, 4)->name, "a");
	assert_null(space_find(&space, a + 97, 4));
	assert_null(space_find(&space, a + 100, 1));
	assert_null(space_find(&space, a - 1, 1));
	assert_null(space_find(&space, 0, 4));
	assert_null(space_find(&space, UINT64_MAX, 8));
	assert_null(space_find(&space, a, UINT64_MAX));
	assert_string_equal(space_find(&space, b, 4)->name, "b");
}

static void nearest_prefers_the_smaller_distance(void **state)
{
	(void)state;
	assert_null(space_nearest(&space, GLOBAL_BASE));
	uint64_t a = space_allocate(&space, 64, "a"), b = space_allocate(&space, 64, "b");
	assert_string_equal(space_nearest(&space, a + 64)->name, "a");
	assert_string_equal(space_nearest(&space, b - 1)->name, "b");
	assert_string_equal(space_nearest(&space, UINT64_MAX)->name, "b");
	assert_string_equal(space_nearest(&space, 0)->name, "a");
	assert_int_equal((b - a - 64) % 2, 0); /* bytes between them, of which each has the half that is next to it */
	uint64_t middle = a + 64 + (b - a - 64) / 2;
	assert_string_equal(space_nearest(&space, middle - 1)->name, "a");
	assert_string_equal(space_nearest(&space, middle)->name, "b");
}

static void freed_places_are_used_again(void **state)
{
	(void)state;
	uint64_t a = space_allocate(&space, 1000, "a"), b = space_allocate(&space, 1000, "b");
	assert_false(space_free(&space, a + 4));
	assert_true(space_free(&space, a));
	assert_false(space_free(&space, a));
	assert_null(space_find(&space, a, 4));
	uint64_t c = space_allocate(&space, 300, "c"), d = space_allocate(&space, 100, "d");
	assert_int_equal(c, a);
	assert_true(d > c + 300 + 255 && d < b);
	assert_string_equal(space_find(&space, c, 300)->name, "c");
	assert_string_equal(space_find(&space, b, 1000)->name, "b");
	assert_true(space.used >= b + 1000 - GLOBAL_BASE);
}

static const char *by_whom(void *origin)
{
	return origin;
}

/* Also when its place was taken again, of which only the guard is the new one's; the last 64 of those are known. */
static void freed_ones_are_known(void **state)
{
	char words[100];
	(void)state;
	uint64_t a = space_allocate(&space, 1000, "a"), behind = space_allocate(&space, 64, "behind");
	assert_null(space_find_freed(&space, a));
	space_freed_by(&space, a, &(struct freeing){by_whom, "cudaFree at x.cu:9", NULL});
	assert_true(space_free(&space, a));
	for (uint32_t round = 0; round < 2; round++) {
		const struct allocation *freed = space_find_freed(&space, a + 999);
		assert_non_null(freed);
		assert_null(space_find_freed(&space, a + 1000));
		freed_words(freed, words, sizeof words);
		assert_string_equal(words, "a (0x10000000, 1000 bytes), freed by cudaFree at x.cu:9");
		if (!round)
			assert_int_equal(space_allocate(&space, 10, "small"), a);
	}
	const struct allocation *small = space_find(&space, a, 10);
	assert_true(!allocation_guards(small, a + 9) && allocation_guards(small, a + 10));
	assert_true(allocation_guards(small, a + 511) && !allocation_guards(small, a + 512));
	for (uint32_t k = 0; k < 64; k++) {
		uint64_t more = space_allocate(&space, 900, "more");
		assert_true(more > behind && space_free(&space, more));
		freed_words(space_find_freed(&space, more), words, sizeof words);
		assert_non_null(strstr(words, ", 900 bytes)"));
	}
	assert_non_null(space_find_freed(&space, a + 999));
	space_allocate(&space, 900, "more");
	assert_null(space_find_freed(&space, a + 999));
}

static bool is_zero(uint64_t address, uint64_t bytes)
{
	const uint8_t *at = space_host(&space, address);
	while (bytes && !at[bytes - 1])
		bytes--;
	return !bytes;
}

static void what_is_used_again_is_zero(void **state)
{
	(void)state;
	static const uint64_t sizes[] = {1, 1000, 4096, 65536, 300000, 700001};
	for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
		uint64_t a = space_allocate(&space, 100, "before"), b = space_allocate(&space, sizes[k], "first");
		memset(space_host(&space, a), 1, 100);
		memset(space_host(&space, b), 2, sizes[k]);
		assert_true(space_free(&space, b));
		assert_int_equal(space_allocate(&space, sizes[k], "again"), b);
		assert_true(is_zero(b, sizes[k]));
		assert_int_equal(*(uint8_t *)space_host(&space, a + 99), 1);
		assert_true(space_free(&space, a) && space_free(&space, b));
	}
}

/* Of a large one some pages were written, and what it takes beyond the first one never was. */
static void a_larger_one_is_zero(void **state)
{
	(void)state;
	uint64_t a = space_allocate(&space, 500, "before"), b = space_allocate(&space, 400000, "first"), c;
	((uint8_t *)space_host(&space, b))[0] = 1;
	((uint8_t *)space_host(&space, b))[200000] = 1;
	((uint8_t *)space_host(&space, b))[399999] = 1;
	assert_true(space_free(&space, b));
	c = space_allocate(&space, 600000, "again");
	assert_int_equal(c, b);
	assert_true(is_zero(c, 600000) && space_free(&space, a));
}

/* ---- Against a list that is searched from its beginning each time ---- */

#define MOST 1024
#define SMALL (64 << 10)

static struct entry {
	uint64_t address, bytes;
	bool live;
} places[MOST]; /* in order of address, freed ones until something overlaps them */
static uint32_t place_count;

/* What it keeps from others: whole units of 256 bytes, and a guard of 256. */
static uint64_t end_of(uint64_t address, uint64_t bytes)
{
	return address + (bytes + 255) / 256 * 256 + 256;
}

static uint64_t first_place(uint64_t bytes)
{
	uint64_t at = GLOBAL_BASE;
	for (uint32_t k = 0; k < place_count; k++)
		if (places[k].live && places[k].address < end_of(at, bytes))
			at = end_of(places[k].address, places[k].bytes);
	return end_of(at, bytes) <= GLOBAL_BASE + SMALL ? at : 0;
}

static void insert(uint64_t address, uint64_t bytes)
{
	uint32_t kept = 0, at;
	for (uint32_t k = 0; k < place_count; k++)
		if (places[k].live || places[k].address >= end_of(address, bytes) ||
			end_of(places[k].address, places[k].bytes) <= address)
			places[kept++] = places[k];
	for (at = kept; at && places[at - 1].address > address; at--)
		places[at] = places[at - 1];
	places[at] = (struct entry){address, bytes, true};
	place_count = kept + 1;
	assert_in_range(place_count, 1, MOST - 1);
}

static void check_places(void)
{
	assert_int_equal(space.count, place_count);
	for (uint32_t k = 0; k < place_count; k++) {
		const struct entry *p = &places[k];
		assert_int_equal(space.allocations[k].address, p->address);
		assert_int_equal(space.allocations[k].bytes, p->bytes);
		assert_int_equal(space.allocations[k].live, p->live);
		for (uint64_t b = 0; p->live && b < p->bytes; b += 97)
			assert_int_equal(
				*(uint8_t *)space_host(&space, p->address + b), (uint8_t)(p->address >> 8 | 1));
	}
}

/* First fit, zeroed, and nothing that lives is touched. */
static void allocations_agree_with_a_simple_list(void **state)
{
	uint64_t seed = 7;
	(void)state;
	space_create(&space, &arena, SMALL, LINE_BYTES, true);
	place_count = 0;
	for (uint32_t step = 0; step < 3000; step++) {
		uint64_t bytes = splitmix64(&seed) % (splitmix64(&seed) % 4 ? 700 : 6000), wanted = first_place(bytes);
		uint32_t which = place_count ? (uint32_t)(splitmix64(&seed) % place_count) : 0;
		if (splitmix64(&seed) % 8 < 3 + step / 500 % 2 * 2 && place_count) {
			assert_int_equal(space_free(&space, places[which].address), places[which].live);
			places[which].live = false;
		} else {
			uint64_t address = space_allocate(&space, bytes, "one");
			assert_int_equal(address, wanted);
			if (!address)
				continue;
			assert_true(is_zero(address, bytes));
			memset(space_host(&space, address), (uint8_t)(address >> 8 | 1), bytes);
			insert(address, bytes);
		}
		check_places();
	}
}

/* What is said of an allocation is said of the one that lives and begins there. */
static void properties_are_of_the_one_that_begins_there(void **state)
{
	(void)state;
	uint64_t a = space_allocate(&space, 600, "a"), b = space_allocate(&space, 600, "b");
	space_free(&space, a);
	uint64_t c = space_allocate(&space, 10, "c");
	assert_int_equal(c, a);
	space_set_constant(&space, b + 4);
	space_expect_host_writes(&space, a + 4);
	assert_false(space.host_writes);
	for (uint32_t k = 0; k < space.count; k++)
		assert_false(space.allocations[k].constant || space.allocations[k].host_writes);
	space_set_constant(&space, b);
	space_expect_host_writes(&space, c);
	assert_true(space.host_writes);
	assert_true(space_find(&space, b, 1)->constant && !space_find(&space, b, 1)->host_writes);
	assert_true(space_find(&space, c, 1)->host_writes && !space_find(&space, c, 1)->constant);
	space_free(&space, c);
	space_set_constant(&space, c);
	for (uint32_t k = 0; k < space.count; k++)
		assert_int_equal(space.allocations[k].constant, space.allocations[k].address == b);
}

static void it_runs_out(void **state)
{
	(void)state;
	assert_int_equal(space_allocate(&space, (1 << 20) + 1, "large"), 0);
	assert_int_equal(space_allocate(&space, UINT64_MAX, "larger"), 0);
	uint64_t most = (1 << 20) - 256, a = space_allocate(&space, most, "most");
	assert_int_equal(a, GLOBAL_BASE);
	assert_int_equal(space_allocate(&space, 1, "more"), 0);
	assert_true(space_free(&space, a));
	assert_int_equal(space_allocate(&space, 1, "less"), a);
}

/* Bytes that end where a page does take no page more; others keep the rest of their pages, before and behind. */
static void shared_pages_are_those_of_the_bytes(void **state)
{
	(void)state;
	uint8_t *host = mmap(NULL, 2 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(host != MAP_FAILED);
	host[5000] = 9;
	assert_false(space.host_writes);
	uint64_t whole = space_share(&space, host, 4096, "whole"),
		 part = space_share(&space, host + 4096 + 8, 1000, "part");
	assert_true(space.host_writes);
	assert_int_equal(whole % 4096, 0);
	assert_int_equal(part, whole + 4096 + 8);
	const struct allocation *a = space_find(&space, whole, 4096), *b = space_find(&space, part, 1000);
	assert_int_equal(a->lead + a->tail, 0);
	assert_int_equal(b->lead, 8);
	assert_int_equal(b->tail, 4096 - 1008);
	assert_int_equal(*(const uint8_t *)space_host(&space, part + 5000 - 4096 - 8), 9);
	assert_true(space_allocate(&space, 4, "next") >= whole + 2 * 4096);
	assert_false(space_unshare(&space, whole + 8));
	assert_true(space_unshare(&space, whole));
	assert_int_equal(space_allocate(&space, 4, "there"), whole);
	assert_true(space_unshare(&space, part));
	assert_false(space_unshare(&space, part));
	munmap(host, 2 * 4096);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(allocations_are_aligned_and_guarded, make, drop),
		cmocka_unit_test_setup_teardown(find_is_exact_at_both_ends, make, drop),
		cmocka_unit_test_setup_teardown(nearest_prefers_the_smaller_distance, make, drop),
		cmocka_unit_test_setup_teardown(freed_places_are_used_again, make, drop),
		cmocka_unit_test_setup_teardown(freed_ones_are_known, make, drop),
		cmocka_unit_test_setup_teardown(what_is_used_again_is_zero, make, drop),
		cmocka_unit_test_setup_teardown(a_larger_one_is_zero, make, drop),
		cmocka_unit_test_setup_teardown(allocations_agree_with_a_simple_list, make, drop),
		cmocka_unit_test_setup_teardown(properties_are_of_the_one_that_begins_there, make, drop),
		cmocka_unit_test_setup_teardown(it_runs_out, make, drop),
		cmocka_unit_test_setup_teardown(shared_pages_are_those_of_the_bytes, make, drop),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
