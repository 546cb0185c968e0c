/* The L1 of a core, without a machine: lookups, misses that loads join, fills, stores and invalidations that close what
 * is on its way. */
#include "memory/l1.h"
#include "memory_model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define LINE(k) (GLOBAL_BASE + (uint64_t)(k)*LINE_BYTES)
#define SECTOR 32
#define ALL 0xf

static struct arena arena;
static struct l1 cache;

/* Four sets of two ways, sectors of 32 bytes, three misses of two loads each; no hash: line k is in set k % 4. */
static int make(void **state)
{
	struct gpu_model model = memory_model();

	(void)state;
	model.sector_bytes = SECTOR;
	model.l1_sets = 4;
	model.l1_ways = 2;
	model.l1_hash = 0;
	model.l1_mshrs = 3;
	model.l1_merges = 2;
	l1_create(&cache, &arena, &model);
	cache.now = 1;
	return 0;
}

static int drop(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

static enum l1_join join(uint64_t line, uint8_t sectors, uint32_t user, uint32_t *token)
{
	return l1_join(&cache, line, sectors, false, (struct l1_waiter){.lanes = 1, .user = user}, token);
}

static uint32_t miss(uint64_t line, uint8_t sectors)
{
	uint32_t token = L1_NONE;

	assert_int_equal(join(line, sectors, 0, &token), L1_SEND);
	return token;
}

/* The reply to a miss: every byte is `value`, and the number of its sector more. */
static void answer(uint32_t token, uint8_t sectors, int value)
{
	uint8_t data[LINE_BYTES];

	for (uint32_t k = 0; k < LINE_BYTES; k++)
		data[k] = (uint8_t)(value + (int)(k / SECTOR));
	l1_fill(&cache, token, sectors, data);
	l1_release(&cache, token);
}

static void bring(uint64_t line, uint8_t sectors, int value)
{
	answer(miss(line, sectors), sectors, value);
}

/* The value that a byte of a present line came with. */
static int byte_of(uint64_t line, uint32_t offset)
{
	const uint8_t *data = l1_peek(&cache, line);

	assert_non_null(data);
	return data[offset] - (int)(offset / SECTOR);
}

static void sectors_of_bytes(void **state)
{
	(void)state;
	assert_int_equal(l1_sector_mask(&cache, 0, 1), 1);
	assert_int_equal(l1_sector_mask(&cache, 31, 1), 1);
	assert_int_equal(l1_sector_mask(&cache, 32, 1), 2);
	assert_int_equal(l1_sector_mask(&cache, 28, 8), 3);
	assert_int_equal(l1_sector_mask(&cache, 112, 16), 8);
	assert_int_equal(l1_sector_mask(&cache, 0, 128), ALL);
	assert_int_equal(cache.all_sectors, ALL);
}

static void an_empty_cache_misses(void **state)
{
	(void)state;
	assert_null(l1_lookup(&cache, LINE(0), 1));
	assert_null(l1_peek(&cache, LINE(0)));
	assert_int_equal(cache.miss_count, 0);
}

static void a_line_that_came_is_hit(void **state)
{
	struct l1_line *found;

	(void)state;
	bring(LINE(5), ALL, 7);
	found = l1_lookup(&cache, LINE(5), ALL);
	assert_non_null(found);
	assert_ptr_equal(l1_data(&cache, found), l1_peek(&cache, LINE(5)));
	for (uint32_t k = 0; k < LINE_BYTES; k++)
		assert_int_equal(byte_of(LINE(5), k), 7);
	assert_null(l1_lookup(&cache, LINE(1), 1)); /* of the same set */
	assert_null(l1_lookup(&cache, LINE(9), 1));
	assert_int_equal(cache.miss_count, 0);
	assert_int_equal(cache.open_count, 0);
}

static void a_sector_that_is_not_there_misses(void **state)
{
	(void)state;
	bring(LINE(1), 2 | 4, 7);
	assert_non_null(l1_lookup(&cache, LINE(1), 2));
	assert_non_null(l1_lookup(&cache, LINE(1), 2 | 4));
	assert_null(l1_lookup(&cache, LINE(1), 1));
	assert_null(l1_lookup(&cache, LINE(1), 1 | 2)); /* one of the two */
	assert_null(l1_lookup(&cache, LINE(1), ALL));
	assert_non_null(l1_peek(&cache, LINE(1)));
	bring(LINE(1), 8, 9);
	assert_non_null(l1_lookup(&cache, LINE(1), 2 | 4 | 8)); /* those that were there stay, with their bytes */
	assert_null(l1_lookup(&cache, LINE(1), 1));
	assert_int_equal(byte_of(LINE(1), 1 * SECTOR), 7);
	assert_int_equal(byte_of(LINE(1), 3 * SECTOR - 1), 7);
	assert_int_equal(byte_of(LINE(1), 3 * SECTOR), 9);
	assert_int_equal(byte_of(LINE(1), 4 * SECTOR - 1), 9);
}

/* Only what was asked for comes into the line, whatever the message holds beside it. */
static void a_fill_writes_its_sectors_only(void **state)
{
	(void)state;
	bring(LINE(1), ALL, 7);
	l1_write(&cache, LINE(1), NULL, false);
	bring(LINE(1), ALL, 8);
	bring(LINE(1), 2, 9);
	assert_int_equal(byte_of(LINE(1), SECTOR - 1), 8);
	assert_int_equal(byte_of(LINE(1), SECTOR), 9);
	assert_int_equal(byte_of(LINE(1), 2 * SECTOR - 1), 9);
	assert_int_equal(byte_of(LINE(1), 2 * SECTOR), 8);
}

/* The users that wait for a miss, in order. */
static uint32_t users_of(uint32_t token, uint32_t *users)
{
	uint32_t count = 0;

	for (uint32_t k = cache.misses[token].first; k != L1_NONE; k = cache.waiters[k].next)
		users[count++] = cache.waiters[k].user;
	return count;
}

static void loads_join_a_miss_until_it_is_full(void **state)
{
	uint32_t token, other, users[4];

	(void)state;
	assert_int_equal(join(LINE(3), 1, 10, &token), L1_SEND);
	assert_int_equal(join(LINE(3), 1, 11, &other), L1_JOINED);
	assert_int_equal(join(LINE(3), 1, 12, &other), L1_FULL); /* two merges: the load that sent, and one more */
	assert_int_equal(cache.miss_count, 1);
	assert_int_equal(users_of(token, users), 2);
	assert_int_equal(users[0], 10);
	assert_int_equal(users[1], 11);
	assert_int_equal(cache.misses[token].waiting, 2);
	answer(token, 1, 7);
	assert_int_equal(cache.miss_count, 0);
}

static void other_lines_and_sectors_do_not_join(void **state)
{
	uint32_t first = miss(LINE(3), 1 | 2), second, third, none;

	(void)state;
	assert_int_equal(join(LINE(7), 1, 0, &second), L1_SEND);    /* another line of the set */
	assert_int_equal(join(LINE(3), 2 | 4, 0, &third), L1_SEND); /* a sector more than was asked for */
	assert_true(first != second && first != third && second != third);
	assert_int_equal(join(LINE(3), 2, 0, &none), L1_JOINED);
	assert_int_equal(join(LINE(11), 1, 0, &none), L1_FULL); /* three misses */
	answer(second, 1, 7);
	assert_int_equal(join(LINE(11), 1, 0, &none), L1_SEND); /* in the place that came free */
	assert_int_equal(none, second);
	assert_int_equal(join(LINE(15), 1, 0, &none), L1_FULL);
}

/* Those that wait are a list of any length. */
static void three_wait(void **state)
{
	uint32_t token = miss(LINE(3), 1), none, users[4];

	(void)state;
	cache.merges = 3;
	assert_int_equal(join(LINE(3), 1, 1, &none), L1_JOINED);
	assert_int_equal(join(LINE(3), 1, 2, &none), L1_JOINED);
	assert_int_equal(join(LINE(3), 1, 3, &none), L1_FULL);
	assert_int_equal(users_of(token, users), 3);
	assert_int_equal(users[0], 0);
	assert_int_equal(users[1], 1);
	assert_int_equal(users[2], 2);
	answer(token, 1, 7);
}

/* Whichever is answered, the others are still found. */
static void the_others_stay_on_their_way(void **state)
{
	(void)state;
	for (uint32_t k = 0; k < 3; k++) {
		uint32_t token[3], none;

		for (uint32_t m = 0; m < 3; m++)
			token[m] = miss(LINE(m), 1);
		answer(token[k], 1, 7);
		for (uint32_t m = 0; m < 3; m++)
			if (m != k) {
				assert_int_equal(join(LINE(m), 1, 0, &none), L1_JOINED);
				answer(token[m], 1, 7);
			}
		l1_invalidate(&cache);
	}
}

/* A load that bypasses is alone on its way, and what it brings is not kept. */
static void what_bypasses_is_never_shared(void **state)
{
	uint32_t first, second, third;

	(void)state;
	assert_int_equal(l1_join(&cache, LINE(2), 1, true, (struct l1_waiter){.user = 1}, &first), L1_SEND);
	assert_int_equal(cache.open_count, 0);
	assert_int_equal(join(LINE(2), 1, 2, &third), L1_SEND); /* with the first on its way, it sends its own */
	assert_int_equal(cache.open_count, 1);
	assert_int_equal(l1_join(&cache, LINE(2), 1, true, (struct l1_waiter){.user = 3}, &second), L1_SEND);
	answer(first, 1, 7);
	answer(second, 1, 8);
	assert_null(l1_peek(&cache, LINE(2)));
	answer(third, 1, 9);
	assert_int_equal(byte_of(LINE(2), 0), 9);
}

static struct store_payload one_byte(uint32_t offset, uint8_t value)
{
	struct store_payload payload = {0};

	payload.mask[offset / 64] = 1ull << offset % 64;
	payload.data[offset] = (uint8_t)(value + offset / SECTOR);
	return payload;
}

static void a_store_updates_its_bytes(void **state)
{
	struct store_payload low = one_byte(63, 1), high = one_byte(64, 2);

	(void)state;
	assert_false(l1_write(&cache, LINE(1), &low, true));
	assert_null(l1_peek(&cache, LINE(1))); /* not allocated */
	bring(LINE(1), ALL, 7);
	bring(LINE(5), ALL, 7);
	assert_true(l1_write(&cache, LINE(1), &low, true));
	assert_true(l1_write(&cache, LINE(1), &high, true));
	for (uint32_t k = 0; k < LINE_BYTES; k++) {
		assert_int_equal(byte_of(LINE(1), k), k == 63 ? 1 : k == 64 ? 2 : 7);
		assert_int_equal(byte_of(LINE(5), k), 7);
	}
	assert_non_null(l1_lookup(&cache, LINE(1), ALL));
}

static void a_store_that_evicts(void **state)
{
	struct store_payload payload = one_byte(0, 1);

	(void)state;
	bring(LINE(1), ALL, 7);
	bring(LINE(5), ALL, 8);
	assert_true(l1_write(&cache, LINE(1), &payload, false));
	assert_null(l1_lookup(&cache, LINE(1), 1));
	assert_null(l1_peek(&cache, LINE(1)));
	assert_non_null(l1_lookup(&cache, LINE(5), ALL));
	assert_false(l1_write(&cache, LINE(1), NULL, false));
	assert_true(l1_write(&cache, LINE(5), NULL, true)); /* an atomic, whose bytes the core does not know */
	assert_null(l1_peek(&cache, LINE(5)));
}

/* What was asked for before a store may have been read before it was served: later loads ask anew, and it is not
 * kept. */
static void a_store_closes_what_is_on_its_way(void **state)
{
	struct store_payload payload = one_byte(0, 1);
	uint32_t old = miss(LINE(1), 1), other = miss(LINE(5), 1), fresh, none, users[4];

	(void)state;
	l1_write(&cache, LINE(1), &payload, true);
	assert_int_equal(cache.open_count, 1);
	assert_int_equal(join(LINE(1), 1, 4, &fresh), L1_SEND);
	assert_int_equal(join(LINE(5), 1, 5, &none), L1_JOINED); /* of the other line it is open */
	assert_int_equal(users_of(old, users), 1);               /* what waited for the old one still does */
	answer(old, 1, 7);
	assert_null(l1_lookup(&cache, LINE(1), 1));
	answer(fresh, 1, 8);
	assert_int_equal(byte_of(LINE(1), 0), 8);
	answer(other, 1, 9);
	assert_int_equal(byte_of(LINE(5), 0), 9);
	assert_int_equal(cache.open_count, 0);
}

/* One that bypasses is closed from the start: the number of open ones stays what it is. */
static void a_store_counts_what_it_closes(void **state)
{
	uint32_t bypassing, only;

	(void)state;
	l1_join(&cache, LINE(1), 1, true, (struct l1_waiter){.user = 1}, &bypassing);
	only = miss(LINE(1), 1);
	l1_write(&cache, LINE(1), NULL, false);
	assert_int_equal(cache.open_count, 0);
	answer(only, 1, 7);
	answer(bypassing, 1, 7);
	assert_int_equal(cache.open_count, 0);
	assert_null(l1_peek(&cache, LINE(1)));
}

static void a_store_closes_all_misses_of_its_line(void **state)
{
	uint32_t first = miss(LINE(1), 1), second = miss(LINE(1), 2);

	(void)state;
	l1_write(&cache, LINE(1), NULL, false);
	answer(first, 1, 7);
	answer(second, 2, 7);
	assert_null(l1_peek(&cache, LINE(1)));
}

static void an_invalidation_empties_and_closes(void **state)
{
	uint32_t first, second, third;

	(void)state;
	bring(LINE(1), ALL, 7);
	bring(LINE(2), ALL, 7);
	bring(LINE(3), ALL, 7);
	first = miss(LINE(4), 1);
	second = miss(LINE(5), 1);
	l1_invalidate(&cache);
	for (uint32_t k = 1; k < 6; k++) {
		assert_null(l1_lookup(&cache, LINE(k), 1));
		assert_null(l1_peek(&cache, LINE(k)));
	}
	assert_int_equal(cache.open_count, 0);
	assert_int_equal(join(LINE(4), 1, 4, &third), L1_SEND);
	assert_true(third != first && third != second);
	answer(first, 1, 1);
	answer(second, 1, 2);
	assert_null(l1_peek(&cache, LINE(4)));
	assert_null(l1_peek(&cache, LINE(5)));
	answer(third, 1, 3);
	assert_int_equal(byte_of(LINE(4), 0), 3);
}

/* It looks whether anything came since the last one: a second one right away has nothing to do, one behind a fill
 * has. */
static void invalidations_in_a_row(void **state)
{
	(void)state;
	bring(LINE(1), ALL, 7);
	l1_invalidate(&cache);
	l1_invalidate(&cache);
	bring(LINE(2), ALL, 7);
	l1_invalidate(&cache);
	assert_null(l1_lookup(&cache, LINE(2), 1));
	bring(LINE(2), ALL, 8);
	assert_non_null(l1_lookup(&cache, LINE(2), 1));
}

/* An invalidation behind one of an empty cache closes what was sent between them. */
static void an_invalidation_of_an_empty_cache_closes(void **state)
{
	uint32_t token;

	(void)state;
	l1_invalidate(&cache);
	token = miss(LINE(4), 1);
	l1_invalidate(&cache);
	answer(token, 1, 1);
	assert_null(l1_peek(&cache, LINE(4)));
}

static void the_least_recently_used_goes(void **state)
{
	(void)state;
	bring(LINE(1), ALL, 1);
	bring(LINE(5), ALL, 5);
	assert_non_null(l1_lookup(&cache, LINE(1), 1));
	assert_non_null(l1_peek(&cache, LINE(5))); /* no use */
	bring(LINE(9), 1, 9);
	assert_null(l1_peek(&cache, LINE(5)));
	assert_int_equal(byte_of(LINE(1), 0), 1);
	assert_int_equal(byte_of(LINE(9), 0), 9);
	assert_null(l1_lookup(&cache, LINE(9), 2)); /* of the line that went nothing is left */
	bring(LINE(13), 1, 13);                     /* a fill is a use: line 9 is younger than line 1 */
	assert_null(l1_peek(&cache, LINE(1)));
	assert_non_null(l1_peek(&cache, LINE(9)));
	bring(LINE(2), 1, 2); /* another set */
	assert_non_null(l1_peek(&cache, LINE(9)));
	assert_non_null(l1_peek(&cache, LINE(13)));
}

static void an_evicted_line_leaves_its_place_first(void **state)
{
	(void)state;
	bring(LINE(1), ALL, 1);
	bring(LINE(5), ALL, 5);
	l1_write(&cache, LINE(5), NULL, false);
	bring(LINE(9), ALL, 9);
	assert_int_equal(byte_of(LINE(1), 0), 1);
	assert_int_equal(byte_of(LINE(9), 0), 9);
}

/* A failed lookup for want of a sector is no use. */
static void a_sector_miss_is_no_use(void **state)
{
	(void)state;
	bring(LINE(1), 1, 1);
	bring(LINE(5), 1, 5);
	assert_null(l1_lookup(&cache, LINE(1), 2));
	bring(LINE(9), 1, 9);
	assert_null(l1_peek(&cache, LINE(1)));
	assert_non_null(l1_peek(&cache, LINE(5)));
}

/* Since when a line's bytes are what memory held: when the miss was sent, the older of two that fill one line. */
static void the_age_of_a_line(void **state)
{
	uint32_t token;

	(void)state;
	cache.now = 10;
	token = miss(LINE(1), 1);
	cache.now = 20;
	answer(token, 1, 1);
	assert_int_equal(*l1_since(&cache, l1_lookup(&cache, LINE(1), 1)), 10);
	bring(LINE(1), 2, 1);
	assert_int_equal(*l1_since(&cache, l1_lookup(&cache, LINE(1), 1)), 10);
	l1_write(&cache, LINE(1), NULL, false);
	bring(LINE(1), 1, 1);
	assert_int_equal(*l1_since(&cache, l1_lookup(&cache, LINE(1), 1)), 20);
	cache.now = 30;
	token = miss(LINE(5), 1);
	cache.now = 40;
	bring(LINE(5), 2, 1);
	answer(token, 1, 1); /* the older one comes last */
	assert_int_equal(*l1_since(&cache, l1_lookup(&cache, LINE(5), 1)), 30);
}

/* Places of misses and waiters are used again, in any order of replies; none is lost or given twice. */
static void places_are_used_again(void **state)
{
	static const uint8_t order[][3] = {{0, 1, 2}, {2, 1, 0}, {1, 0, 2}, {1, 2, 0}, {0, 2, 1}, {2, 0, 1}};
	uint32_t none;

	(void)state;
	for (uint32_t round = 0; round < 12; round++) {
		uint32_t token[3], users[4];

		for (uint32_t k = 0; k < 3; k++) {
			assert_int_equal(join(LINE(4 * k), 1, 10 * k, &token[k]), L1_SEND);
			assert_int_equal(join(LINE(4 * k), 1, 10 * k + 1, &none), L1_JOINED);
		}
		assert_int_equal(join(LINE(16), 1, 0, &none), L1_FULL);
		assert_int_equal(cache.miss_count, 3);
		for (uint32_t k = 0; k < 3; k++) {
			assert_int_equal(users_of(token[order[round % 6][k]], users), 2);
			assert_int_equal(users[0], 10 * order[round % 6][k]);
			assert_int_equal(users[1], 10 * order[round % 6][k] + 1);
			answer(token[order[round % 6][k]], 1, (int)round);
		}
		assert_int_equal(cache.miss_count, 0);
		assert_int_equal(cache.miss_used, L1_NONE);
		assert_int_equal(cache.open_count, 0);
		l1_invalidate(&cache);
	}
	assert_true(cache.miss_fresh <= 3);
	assert_true(cache.waiter_count <= 6);
}

/* Stores on their way are counted by line, 64 lines apart alike. */
static void own_stores_are_counted_by_line(void **state)
{
	(void)state;
	++*l1_own_stores(&cache, LINE(3));
	assert_int_equal(*l1_own_stores(&cache, LINE(3)), 1);
	assert_int_equal(*l1_own_stores(&cache, LINE(3 + L1_OWN_STORES)), 1);
	assert_int_equal(*l1_own_stores(&cache, LINE(4)), 0);
	assert_int_equal(*l1_own_stores(&cache, LINE(2)), 0);
}

/* With a hash lines of a power of two apart spread over the sets. */
static void a_hash_spreads(void **state)
{
	struct gpu_model model = memory_model();

	(void)state;
	model.sector_bytes = 128;
	model.l1_sets = 32;
	model.l1_ways = 1;
	model.l1_hash = 1;
	model.l1_mshrs = model.l1_merges = 1;
	l1_create(&cache, &arena, &model);
	assert_int_equal(cache.all_sectors, 1);
	for (uint32_t k = 0; k < 32; k++)
		bring(LINE(k * 32), 1, (int)k);
	for (uint32_t k = 0; k < 32; k++)
		assert_int_equal(byte_of(LINE(k * 32), 127), k);
}

/* ---- Which line goes: against a list of each set's lines by their last use ---- */

#define MOST_WAYS 6
#define SETS 4
#define LINES 48

struct order {
	uint32_t ways, count[SETS], lines[SETS][MOST_WAYS]; /* the newest first */
};

static bool take_out(struct order *o, uint32_t line)
{
	uint32_t *lines = o->lines[line % SETS], *count = &o->count[line % SETS], k = 0;

	while (k < *count && lines[k] != line)
		k++;
	if (k == *count)
		return false;
	memmove(lines + k, lines + k + 1, (--*count - k) * sizeof *lines);
	return true;
}

static void put_first(struct order *o, uint32_t line)
{
	uint32_t *lines = o->lines[line % SETS], *count = &o->count[line % SETS];

	*count -= *count == o->ways;
	memmove(lines + 1, lines, (*count)++ * sizeof *lines);
	lines[0] = line;
}

static void step(struct order *o, uint32_t what, uint32_t line)
{
	if (what < 50) {
		bool there = l1_lookup(&cache, LINE(line), ALL);

		assert_int_equal(there, take_out(o, line));
		if (there)
			put_first(o, line);
	} else if (what < 90) {
		bring(LINE(line), ALL, (int)line);
		take_out(o, line);
		put_first(o, line);
	} else if (what < 98) {
		assert_int_equal(l1_write(&cache, LINE(line), NULL, false), take_out(o, line));
	} else {
		uint32_t ways = what == 98 ? o->ways : 1 + line % MOST_WAYS;

		if (what == 98)
			l1_invalidate(&cache);
		else
			l1_resize(&cache, ways);
		if (what == 98 || ways != o->ways)
			*o = (struct order){.ways = ways};
	}
}

static void the_line_used_longest_ago_goes(void **state)
{
	struct gpu_model model = memory_model();
	struct order order = {.ways = MOST_WAYS};
	uint64_t random = 1;

	(void)state;
	model.sector_bytes = SECTOR;
	model.l1_sets = SETS;
	model.l1_ways = MOST_WAYS;
	model.l1_hash = 0;
	model.l1_mshrs = model.l1_merges = 1;
	l1_create(&cache, &arena, &model);
	for (uint32_t k = 0; k < 20000; k++) {
		random = random * 6364136223846793005u + 1442695040888963407u;
		step(&order, (uint32_t)(random >> 33) % 100, (uint32_t)(random >> 43) % LINES);
		for (uint32_t line = 0; line < LINES; line++) {
			const uint8_t *data = l1_peek(&cache, LINE(line));
			bool there = false;

			for (uint32_t w = 0; w < order.count[line % SETS]; w++)
				there |= order.lines[line % SETS][w] == line;
			assert_int_equal(data != NULL, there);
			if (data)
				assert_int_equal(data[0], line);
		}
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make, drop)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(sectors_of_bytes),
		TEST(an_empty_cache_misses),
		TEST(a_line_that_came_is_hit),
		TEST(a_sector_that_is_not_there_misses),
		TEST(a_fill_writes_its_sectors_only),
		TEST(loads_join_a_miss_until_it_is_full),
		TEST(other_lines_and_sectors_do_not_join),
		TEST(three_wait),
		TEST(the_others_stay_on_their_way),
		TEST(what_bypasses_is_never_shared),
		TEST(a_store_updates_its_bytes),
		TEST(a_store_that_evicts),
		TEST(a_store_closes_what_is_on_its_way),
		TEST(a_store_counts_what_it_closes),
		TEST(a_store_closes_all_misses_of_its_line),
		TEST(an_invalidation_empties_and_closes),
		TEST(invalidations_in_a_row),
		TEST(an_invalidation_of_an_empty_cache_closes),
		TEST(the_least_recently_used_goes),
		TEST(an_evicted_line_leaves_its_place_first),
		TEST(a_sector_miss_is_no_use),
		TEST(the_age_of_a_line),
		TEST(places_are_used_again),
		TEST(own_stores_are_counted_by_line),
		TEST(a_hash_spreads),
		TEST(the_line_used_longest_ago_goes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
