/* Vector clocks against arrays: random runs and joins, over a few widths. */
#include "race/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define CLOCKS 6
#define MOST 5000 /* threads: four levels */

static struct arena arena;
static struct clock_pool pool;
static vector_clock clocks[CLOCKS];
static uint32_t epochs[CLOCKS][MOST];
static uint64_t seed;

static uint32_t draw(uint32_t below)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(seed >> 33) % below;
}

static int begin(void **state)
{
	(void)state;
	pool = (struct clock_pool){.arena = &arena};
	memset(epochs, 0, sizeof epochs);
	for (uint32_t k = 0; k < CLOCKS; k++)
		clocks[k] = CLOCK_NOTHING;
	seed = 7;
	return 0;
}

/* As at the beginning, but for the pool. */
static void begin_again(void)
{
	struct clock_pool same = pool;

	begin(NULL);
	pool = same;
}

static int end(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

static void set(uint32_t c, uint32_t threads)
{
	uint32_t first = draw(threads), count = draw(4) ? 1 : 1 + draw(threads - first), epoch = 1 + draw(5);

	if (!draw(3)) { /* a run that fills branches */
		first = first / CLOCK_FAN * CLOCK_FAN;
		count = CLOCK_FAN * (1 + draw(3));
	}
	if (first + count > threads)
		count = threads - first;
	clocks[c] = clock_set(&pool, clocks[c], first, count, epoch);
	for (uint32_t k = 0; k < count; k++)
		epochs[c][first + k] = epoch;
}

static void join(uint32_t c, uint32_t other)
{
	clocks[c] = clock_join(&pool, clocks[c], clocks[other]);
	for (uint32_t k = 0; k < MOST; k++)
		if (epochs[other][k] > epochs[c][k])
			epochs[c][k] = epochs[other][k];
}

static void copy(uint32_t c, uint32_t other)
{
	vector_clock old = clocks[c];

	clocks[c] = clock_keep(clocks[other]);
	clock_drop(&pool, old);
	memcpy(epochs[c], epochs[other], sizeof epochs[c]);
}

static void compare(uint32_t c, uint32_t other, uint32_t threads)
{
	uint32_t first = draw(threads), count = draw(3) ? 1 : draw(threads), from = draw(2) ? 0 : draw(threads);
	uint32_t found = 0, k = from;
	bool is_beyond = clock_beyond(clocks[c], clocks[other], from, first, count, &found);

	while (k < threads && (epochs[c][k] <= epochs[other][k] || (k >= first && k < first + count)))
		k++;
	assert_int_equal(is_beyond, k < threads);
	if (is_beyond)
		assert_int_equal(found, k);
}

static void clocks_are_as_arrays(void **state)
{
	static const uint32_t widths[] = {3, 16, 200, 257, MOST};

	(void)state;
	for (uint32_t step = 0; step < 20000; step++) {
		uint32_t threads = widths[step / 4000], c = draw(CLOCKS), other = draw(CLOCKS), k = draw(threads);

		switch (draw(8)) {
		case 0: join(c, other); break;
		case 1: copy(c, other); break;
		case 2: compare(c, other, threads); break;
		default: set(c, threads); break;
		}
		assert_int_equal(clock_at(clocks[c], k), epochs[c][k]);
		assert_int_equal(clock_at(clocks[other], MOST + k), 0);
	}
	for (uint32_t c = 0; c < CLOCKS; c++)
		for (uint32_t k = 0; k < MOST; k++)
			assert_int_equal(clock_at(clocks[c], k), epochs[c][k]);
}

/* All nodes come back: what is made anew afterwards is made of them. */
static void nodes_are_given_back(void **state)
{
	size_t used = 0;

	(void)state;
	for (uint32_t round = 0; round < 50; round++) {
		for (uint32_t k = 0; k < 300; k++) {
			set(k % CLOCKS, MOST);
			if (k % 7 == 0)
				join(k % CLOCKS, draw(CLOCKS));
		}
		for (uint32_t c = 0; c < CLOCKS; c++) {
			clock_drop(&pool, clocks[c]);
			clocks[c] = CLOCK_NOTHING;
			memset(epochs[c], 0, sizeof epochs[c]);
		}
		if (round == 20)
			used = arena.used;
	}
	assert_true(arena.used < used * 3 / 2); /* more at once than before, at most */
}

/* The same again takes no more memory: no node is lost, and none is there twice. */
static void the_same_again_is_made_of_what_was_given_back(void **state)
{
	size_t used = 0;

	for (uint32_t round = 0; round < 4; round++) {
		vector_clock kept[64];
		struct knowledge all = {0}, second = {0};
		struct known known = KNOWN_NOTHING;

		begin_again();
		for (uint32_t k = 0; k < 64; k++) {
			set(k % CLOCKS, MOST);
			if (k % 3 == 0)
				join(k % CLOCKS, draw(CLOCKS));
			if (k % 5 == 0)
				copy(k % CLOCKS, draw(CLOCKS));
			kept[k] = clock_keep(clocks[k % CLOCKS]);
			known_join(&pool, &known, &(struct known){clocks[k % CLOCKS], 0, 0});
			knowledge_add(&pool, &all, &(struct known){clocks[k % CLOCKS], k, 1000 + k});
			knowledge_become(&pool, &second, &all);
		}
		for (uint32_t k = 0; k < 64; k++)
			clock_drop(&pool, kept[k]);
		knowledge_join(&pool, &second, &all);
		knowledge_forget(&pool, &all);
		knowledge_forget(&pool, &second);
		known_forget(&pool, &known);
		for (uint32_t c = 0; c < CLOCKS; c++)
			clock_drop(&pool, clocks[c]);
		assert_true(!round || arena.used == used);
		used = arena.used;
	}
	begin(state);
}

/* One more than there is room for goes to the last. */
static void parts_that_are_too_many_are_joined(void **state)
{
	struct knowledge all = {0};

	(void)state;
	for (uint32_t k = 0; k < KNOWLEDGE_PARTS + 3; k++) {
		vector_clock clock = clock_set(&pool, CLOCK_NOTHING, k, 1, 10 + k);

		knowledge_add(&pool, &all, &(struct known){clock, k, 10 + k});
		clock_drop(&pool, clock);
	}
	assert_int_equal(all.count, KNOWLEDGE_PARTS);
	for (uint32_t k = 0; k < KNOWLEDGE_PARTS + 3; k++) {
		uint32_t part = k < KNOWLEDGE_PARTS ? k : KNOWLEDGE_PARTS - 1;

		for (uint32_t p = 0; p < KNOWLEDGE_PARTS; p++)
			assert_int_equal(clock_at(all.part[p].clock, k), p == part ? 10 + k : 0);
	}
	/* The last is of no one thread any more: it does not stand for what others had. */
	knowledge_add(&pool, &all, &(struct known){CLOCK_NOTHING, 0, 0});
	assert_int_equal(all.count, KNOWLEDGE_PARTS);
}

static void a_part_that_has_others_takes_their_place(void **state)
{
	struct knowledge k = {0};
	struct known a = {.thread = 1, .epoch = 4}, b = {.thread = 2, .epoch = 9}, c = {.thread = 3, .epoch = 1};

	(void)state;
	a.clock = clock_set(&pool, CLOCK_NOTHING, 1, 1, 4);
	b.clock = clock_set(&pool, clock_keep(a.clock), 2, 1, 9); /* of one that knew a */
	c.clock = clock_set(&pool, CLOCK_NOTHING, 3, 1, 1);
	knowledge_add(&pool, &k, &a);
	knowledge_add(&pool, &k, &c);
	assert_int_equal(k.count, 2);
	knowledge_add(&pool, &k, &b);
	assert_int_equal(k.count, 2);
	knowledge_add(&pool, &k, &a); /* b has it */
	assert_int_equal(k.count, 2);
	assert_int_equal(clock_at(k.part[0].clock, 3), 1);
	assert_int_equal(clock_at(k.part[1].clock, 1), 4);
	assert_int_equal(clock_at(k.part[1].clock, 2), 9);
}

/* What is joined only when it is asked for is what would have been joined at once: threads learn of each other's
 * events, mark their own, and are asked, seldom (nothing is joined for long) and often. */
static void pending_joins_are_as_arrays(void **state)
{
	static const uint32_t askings[] = {2, 20, 4000};
	struct known threads[CLOCKS];
	uint32_t next[CLOCKS] = {0};

	(void)state;
	for (uint32_t k = 0; k < CLOCKS; k++)
		threads[k] = KNOWN_NOTHING;
	for (uint32_t step = 0; step < 30000; step++) {
		uint32_t c = draw(CLOCKS), other = draw(CLOCKS), k = draw(4) ? draw(CLOCKS) * 300 : draw(MOST);
		enum clock_glance glance;

		if (draw(3)) {
			known_join(&pool, &threads[c], &threads[other]);
			for (uint32_t n = 0; n < MOST; n++)
				if (epochs[other][n] > epochs[c][n])
					epochs[c][n] = epochs[other][n];
		} else if (draw(20)) {
			known_mark(&pool, &threads[c], c * 300, ++next[c]);
			epochs[c][c * 300] = next[c];
		} else {
			threads[c].clock = clock_set(&pool, threads[c].clock, k, 1, epochs[c][k] + (k % 300 != 0));
			threads[c].epoch = 0;
			epochs[c][k] += k % 300 != 0;
		}
		glance = clock_glance(threads[c].clock, k, epochs[c][k]);
		assert_true(!epochs[c][k] || glance != CLOCK_LACKS);
		assert_true(clock_glance(threads[c].clock, k, epochs[c][k] + 1) != CLOCK_HAS);
		if (!draw(askings[step / 10000]))
			assert_int_equal(clock_at(threads[c].clock, k), epochs[c][k]);
	}
	for (uint32_t c = 0; c < CLOCKS; c++) {
		for (uint32_t k = 0; k < MOST; k++)
			assert_int_equal(clock_at(threads[c].clock, k), epochs[c][k]);
		known_forget(&pool, &threads[c]);
	}
	assert_int_equal(pool.waiting, 0);
}

/* Many at once: events of several threads, in any order, of which some are of one thread, beside trees and what is
 * known already.  All is known then that was to be learned, and no more. */
static void many_joins_at_once_are_as_one_by_one(void **state)
{
	(void)state;
	for (uint32_t step = 0; step < 4000; step++) {
		struct known part[12], into = KNOWN_NOTHING, last, of[4];
		uint32_t count = 1 + draw(12), latest[4] = {0}, most[4] = {0}, own = draw(2), tree = 0;

		for (uint32_t t = 0; t < 4; t++)
			of[t] = KNOWN_NOTHING;
		if (own)
			known_mark(&pool, &into, 9, 3);
		for (uint32_t k = 0; k < count; k++) {
			uint32_t t = draw(4);

			part[k] = KNOWN_NOTHING;
			if (draw(4)) { /* the thread's next event, which knows its others, or one of those again */
				if (!latest[t] || draw(2))
					known_mark(&pool, &of[t], t * 40, ++latest[t]);
				known_become(&pool, &part[k], &of[t]);
				most[t] = latest[t];
			} else {
				tree = 1 + draw(9) > tree ? 1 + draw(9) : tree;
				part[k].clock = clock_set(&pool, CLOCK_NOTHING, 500, 1, tree);
			}
		}
		for (uint32_t k = count; k > 1; k--) { /* in any order */
			uint32_t other = draw(k);
			struct known kept = part[k - 1];

			part[k - 1] = part[other];
			part[other] = kept;
		}
		struct known given[12];
		memcpy(given, part, sizeof part);
		assert_true(known_join_all(&pool, &into, part, count, &last));
		for (uint32_t t = 0; t < 4; t++) {
			enum clock_glance glance = clock_glance(into.clock, t * 40, most[t]);

			assert_true(!most[t] || glance != CLOCK_LACKS);
			assert_true(clock_glance(into.clock, t * 40, most[t] + 1) != CLOCK_HAS);
			assert_int_equal(clock_at(into.clock, t * 40), most[t]);
		}
		assert_int_equal(clock_at(into.clock, 9), own ? 3 : 0);
		assert_true(clock_at(into.clock, 500) <= 9 && !clock_at(into.clock, 500) == !tree);
		for (uint32_t k = 0; k < count; k++) {
			assert_true(clock_at(into.clock, 500) >= clock_at(given[k].clock, 500));
			known_forget(&pool, &given[k]);
		}
		for (uint32_t t = 0; t < 4; t++)
			known_forget(&pool, &of[t]);
		known_forget(&pool, &into);
	}
	assert_int_equal(pool.waiting, 0);
}

/* Which of 64 threads a clock lacks an epoch of, against each of them. */
static void lacking(void **state)
{
	(void)state;
	for (uint32_t round = 0; round < 400; round++) {
		uint32_t c = draw(CLOCKS), first = draw(MOST / CLOCK_FAN) * CLOCK_FAN, epoch = 1 + draw(6);
		uint64_t threads = (uint64_t)draw(1u << 31) << 33 ^ (uint64_t)draw(1u << 31) << 11 ^ draw(1u << 31),
			 lacks = 0;

		set(c, round % 3 ? MOST : 100);
		for (uint32_t k = 0; k < 64; k++)
			if (threads >> k & 1 && (first + k < MOST ? epochs[c][first + k] : 0) < epoch)
				lacks |= 1ull << k;
		assert_true(clock_lacking(clocks[c], first, threads, epoch) == lacks);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(lacking, begin, end),
		cmocka_unit_test_setup_teardown(clocks_are_as_arrays, begin, end),
		cmocka_unit_test_setup_teardown(nodes_are_given_back, begin, end),
		cmocka_unit_test_setup_teardown(the_same_again_is_made_of_what_was_given_back, begin, end),
		cmocka_unit_test_setup_teardown(parts_that_are_too_many_are_joined, begin, end),
		cmocka_unit_test_setup_teardown(pending_joins_are_as_arrays, begin, end),
		cmocka_unit_test_setup_teardown(many_joins_at_once_are_as_one_by_one, begin, end),
		cmocka_unit_test_setup_teardown(a_part_that_has_others_takes_their_place, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
