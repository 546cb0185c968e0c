/* The adversary's schedules: lists to the letter, and of drawn ones what must hold for every seed and what must occur
 * for some. */
#include "machine/progress/progress.h"
#include "policy/policy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define GROUPS 3
#define SEEDS 400

static struct arena arena;
static struct core core;
static struct group groups[GROUPS];
static struct progress_group of_progress[GROUPS];
static bool started[GROUPS];
static struct launch launch;
static struct machine machine;
static const struct machine_mode mode;
static struct progress p;
static struct schedule *schedule;

/* Three groups of one warp each; all can run, none has started. */
static void begin(const char *model, uint64_t seed, const char *list)
{
	static struct schedule_list read;
	struct diagnostic diagnostic = {0};
	launch = (struct launch){.dispatch.policy = dispatch_find(model, &diagnostic)};
	assert_non_null(launch.dispatch.policy);
	core = (struct core){.ready = 7};
	machine.mode = &mode;
	memset(started, 0, sizeof started);
	for (uint32_t k = 0; k < GROUPS; k++) {
		groups[k].slots = 1ull << k;
		of_progress[k] = (struct progress_group){.core = &core, .group = &groups[k]};
	}
	p = (struct progress){.machine = &machine,
		.launch = &launch,
		.groups = of_progress,
		.view = {.groups = GROUPS, .started = started}};
	if (list)
		assert_true(schedule_list_read(&arena, list, &read, &diagnostic));
	schedule = adversary_create(&arena, GROUPS, seed, list ? &read : NULL);
}

static int drop(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

static uint32_t next(void)
{
	return schedule->next(schedule, &p);
}

/* Steps as digits, each first of a period behind a bar. */
static void expect(const char *steps)
{
	bool first = false;
	for (; *steps; steps++) {
		if (*steps == '|') {
			first = true;
			continue;
		}
		assert_int_equal(next(), *steps - '0');
		assert_int_equal(schedule->repeats, first);
		first = false;
	}
}

static void lists(void **state)
{
	(void)state;
	begin("unfair", 1, "0*2,1,(2,0*2)");
	expect("001|200|200");
	assert_int_equal(schedule->period, 1);
	core.ready = 3; /* group 2 waits: the others of the period run */
	expect("|00|00");
	core.ready = 2; /* only one that is not in the period */
	assert_int_equal(next(), 1);
	core.ready = 0;
	assert_int_equal(next(), SCHEDULE_NOBODY);
	assert_int_equal(schedule->period, 1);
	begin("unfair", 1, "1*2,2,0");
	core.ready = 5; /* a step of a group that cannot run is left out */
	expect("20");
	next();
	assert_true(schedule->repeats);
	assert_int_equal(schedule->period, 2);
	begin("unfair", 1, "1*3,(0)");
	expect("1");
	core.ready = 5; /* the rest of its steps as well, for good */
	expect("|0");
	core.ready = 7;
	expect("|0|0");
}

/* A group to which the progress model promises progress gets it, whatever the list says. */
static void lists_within_the_model(void **state)
{
	(void)state;
	begin("hsa", 1, "(1,2)"); /* the lowest must progress, and is not in it */
	next();
	assert_int_equal(schedule->period, 2);
	begin("hsa", 1, "(0,1)");
	expect("|01|01");
	assert_int_equal(schedule->period, 1);
	begin("obe", 1, "(0,1)");
	expect("|01|01");
	started[2] = true;
	next();
	assert_int_equal(schedule->period, 2);
	begin("unfair", 1, "(0,1)");
	expect("|01");
	started[2] = true;
	expect("|01");
	of_progress[0].finished = true; /* one of the period */
	assert_int_not_equal(next(), 0);
	assert_int_equal(schedule->period, 2);
}

/* Group 0 has warps in slots 0 and 3: the first of a list's steps is of the second warp. */
static void lists_of_warps(void **state)
{
	(void)state;
	begin("fair", 1, "0.1*2,(0.0,1,0.1,2)");
	groups[0].slots = 9;
	core.ready = 15;
	assert_true(schedule->by_parts);
	expect("00");
	assert_int_equal(schedule->part, PART_WARP(1));
	expect("|0");
	assert_int_equal(schedule->part, PART_WARP(0));
	expect("1");
	assert_int_equal(schedule->part, PART_TURN);
	expect("02|0");
	assert_int_equal(schedule->period, 1);
	core.ready = 7; /* warp 1 waits */
	expect("12|012");
	begin("fair", 1, "(0.0,1,2)"); /* a warp of a group that must progress is not in it */
	groups[0].slots = 9;
	core.ready = 15;
	next();
	assert_int_equal(schedule->period, 2);
	begin("unfair", 1, "(0.0,1)");
	groups[0].slots = 9;
	core.ready = 15;
	expect("|01|01");
	begin("fair", 1, "0,(1)");
	assert_false(schedule->by_parts);
}

/* A loop longer than any period that is drawn; and one without a group that must progress, but cannot run. */
static void lists_with_long_loops(void **state)
{
	(void)state;
	begin("fair", 1, "(0*30,1,2)");
	for (uint32_t round = 0; round < 3; round++)
		expect("|00000000000000000000000000000012");
	assert_int_equal(schedule->period, 1);
	begin("fair", 1, "(0,2)");
	core.ready = 5;
	expect("|02|02");
}

/* Steps before the first period. */
static uint32_t prefix_of(void)
{
	uint32_t count = 0;
	for (next(); !schedule->repeats; next())
		count++;
	return count;
}

static void prefixes(void **state)
{
	(void)state;
	uint32_t seen = 0, again = 0, other = 0, none = 0, lowest_first = 0;
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		begin("fair", seed, NULL);
		uint32_t count = prefix_of();
		assert_true(count <= 4 * GROUPS);
		seen |= 1u << count;
		none += !count;
		begin("fair", seed, NULL);
		for (uint32_t k = 0, last = GROUPS; k < count; k++) {
			uint32_t group = next();
			lowest_first += !k && !group;
			again += group == last;
			other += group != last && last < GROUPS;
			last = group;
		}
	}
	assert_int_equal(seen, (1u << (4 * GROUPS + 1)) - 1);  /* each length */
	assert_in_range(none, SEEDS * 4 / 10, SEEDS * 7 / 10); /* a half, and a thirteenth of the other half */
	assert_in_range(lowest_first, (SEEDS - none) / 5, (SEEDS - none) / 2); /* a third */
	assert_in_range(again * 10, other * 16,
		other * 25); /* half of the time, and a third of the other half: two thirds of all */
}

/* A group that cannot run has no step. */
static void steps_of_who_can_run(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		begin("fair", seed, NULL);
		for (uint32_t k = 0; k < 40; k++) {
			uint32_t group = next();
			assert_true(core.ready >> group & 1);
			core.ready = 7u & ~(1u << group);
		}
	}
}

/* Under fair each group is in each period, one to three times; in each order, and in several ways. */
static void periods(void **state)
{
	(void)state;
	uint32_t orders = 0, times = 0, together = 0, apart = 0, plain = 0, ascending = 0, once = 0;
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		uint32_t word[9], count[GROUPS] = {0}, length = 0, group;
		begin("fair", seed, NULL);
		for (group = next(); !schedule->repeats; group = next())
			;
		do {
			assert_true(length < 9);
			word[length++] = group;
			group = next();
		} while (!schedule->repeats);
		for (uint32_t k = 0; k < length; k++) { /* and once more the same */
			assert_int_equal(group, word[k]);
			group = next();
		}
		assert_int_equal(schedule->period, 1);
		for (uint32_t k = 0; k < length; k++)
			count[word[k]]++;
		for (uint32_t k = 0; k < GROUPS; k++) {
			assert_in_range(count[k], 1, 3);
			times |= 1u << count[k];
			once += count[k] == 1;
		}
		if (length == GROUPS) {
			orders |= 1u << (word[0] * 3 + word[1]);
			plain++;
			ascending += word[0] == 0 && word[1] == 1;
		} else if (length == GROUPS + 1) {
			bool is_together = word[0] == word[1] || word[1] == word[2] || word[2] == word[3];
			together += is_together;
			apart += !is_together;
		}
	}
	assert_int_equal(orders, 1u << 1 | 1u << 2 | 1u << 3 | 1u << 5 | 1u << 6 | 1u << 7);
	assert_int_equal(times, 1u << 1 | 1u << 2 | 1u << 3);
	assert_true(ascending < plain / 3); /* a sixth */
	assert_in_range(together, apart * 18 / 10,
		apart * 6); /* three times: all that are not shuffled, and half of those that are */
	assert_true(once > SEEDS * GROUPS * 7 / 10); /* three quarters, and a third of the last */
}

/* The steps of a period that is shuffled are in any order, the last like the others: where one group has two that are
 * apart, four of the six orders end with it. */
static void last_steps(void **state)
{
	(void)state;
	uint32_t apart = 0, ends = 0;
	for (uint64_t seed = 0; seed < 20 * SEEDS; seed++) {
		uint32_t word[9], length = 0, group;
		begin("fair", seed, NULL);
		for (group = next(); !schedule->repeats; group = next())
			;
		do {
			word[length++] = group;
			group = next();
		} while (!schedule->repeats);
		if (length != GROUPS + 1 || word[0] == word[1] || word[1] == word[2] || word[2] == word[3])
			continue;
		apart++;
		ends += word[3] == word[0] || word[3] == word[1];
	}
	assert_in_range(ends * 100, apart * 60, apart * 73);
}

/* A group to which nothing is promised is in none, some, or all periods; one that must progress in all of them, unless
 * it cannot run. */
static void who_runs(void **state)
{
	(void)state;
	uint32_t sets[2] = {0}, all = 0;
	for (uint64_t seed = 0; seed < SEEDS; seed++)
		for (uint32_t hsa = 0; hsa < 2; hsa++) {
			uint32_t set = 0, group;
			begin(hsa ? "hsa" : "unfair", seed, NULL);
			for (group = next(); !schedule->repeats; group = next())
				;
			do {
				set |= 1u << group;
				group = next();
			} while (!schedule->repeats);
			sets[hsa] |= 1u << set;
			all += !hsa && set == 7;
			uint64_t first = schedule->period;
			of_progress[0].finished = true; /* a period with it is over; what comes then is without it */
			p.view.lowest = 1;
			while (next(), !schedule->repeats)
				;
			assert_true(schedule->period <= 2);
			first = schedule->period;
			for (uint32_t k = 0; k < 20; k++)
				assert_int_not_equal(next(), 0);
			assert_int_equal(schedule->period, first);
		}
	assert_true(all > SEEDS / 4);    /* a third, and an eighth of another third */
	assert_int_equal(sets[0], 0xfe); /* every set but the empty one */
	assert_int_equal(sets[1], 1u << 1 | 1u << 3 | 1u << 5 | 1u << 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(lists, drop),
		cmocka_unit_test_teardown(lists_within_the_model, drop),
		cmocka_unit_test_teardown(lists_of_warps, drop),
		cmocka_unit_test_teardown(lists_with_long_loops, drop),
		cmocka_unit_test_teardown(prefixes, drop),
		cmocka_unit_test_teardown(steps_of_who_can_run, drop),
		cmocka_unit_test_teardown(periods, drop),
		cmocka_unit_test_teardown(last_steps, drop),
		cmocka_unit_test_teardown(who_runs, drop),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
