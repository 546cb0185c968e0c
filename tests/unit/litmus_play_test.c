/* Playing a litmus test on several threads: which launches there are, of which seeds, and whose error counts.  Launches
 * are made up here. */
#include "litmus/play.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#define MOST 64
#define INSTANCES 10 /* of a launch */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static uint32_t played[MOST]; /* by number, how often */
static bool fails[MOST], has_failed[MOST];
static uint32_t waits_for[MOST]; /* to have failed; 0: for none */
static uint64_t seed_of_all;

static uint64_t seed_of(uint64_t number)
{
	uint64_t seed = seed_of_all + number * 0x9E3779B97F4A7C15;
	return splitmix64(&seed);
}

/* The value of the one variable is the launch's number modulo 3. */
bool litmus_launch(struct arena *arena, const struct litmus_test *test, const struct lockstep_options *setup,
	uint64_t seed, struct litmus_outcomes *outcomes, uint64_t *runs, struct diagnostic *diagnostic)
{
	uint32_t number = 0;
	(void)test;
	assert_int_equal(setup->seed, seed_of_all);
	while (number < MOST && seed_of(number) != seed)
		number++;
	assert_true(number < MOST);
	pthread_mutex_lock(&lock);
	played[number]++;
	while (waits_for[number] && !has_failed[waits_for[number]])
		pthread_cond_wait(&changed, &lock);
	has_failed[number] = fails[number];
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
	if (fails[number]) {
		diagnose(diagnostic, (struct place){0}, "launch %u", number);
		return false;
	}
	litmus_outcome(arena, outcomes, (int32_t[LITMUS_VARIABLES]){(int32_t)number % 3})->count += INSTANCES;
	*runs += INSTANCES;
	return true;
}

static int begin(void **state)
{
	(void)state;
	memset(played, 0, sizeof played);
	memset(fails, 0, sizeof fails);
	memset(has_failed, 0, sizeof has_failed);
	memset(waits_for, 0, sizeof waits_for);
	return 0;
}

static bool play(struct arena *arena, uint64_t runs, uint32_t jobs, struct litmus_outcomes *outcomes, uint64_t *done,
	struct diagnostic *diagnostic)
{
	struct lockstep_options setup = {.size = sizeof setup, .seed = seed_of_all};
	struct litmus_test test = {0};
	vector_push(arena, &test.variables);
	return litmus_play(arena, &test, &(struct litmus_play){&setup, runs, jobs}, outcomes, done, diagnostic);
}

/* Whole launches, as many as the runs need, each once and of its own seed, whatever the number of threads. */
static void launches_are_as_many_as_runs_need(void **state)
{
	static const struct {
		uint64_t runs;
		uint32_t launches;
	} rows[] = {{1, 1}, {10, 1}, {11, 2}, {99, 10}, {100, 10}, {101, 11}, {600, 60}};

	(void)state;
	for (size_t k = 0; k < 4 * sizeof rows / sizeof *rows; k++) {
		struct arena arena = {0};
		struct diagnostic diagnostic = {0};
		struct litmus_outcomes outcomes = {0};
		uint64_t done = 0;
		uint32_t launches = rows[k / 4].launches;

		begin(NULL);
		seed_of_all = k / 4 * 1000 + 5;
		assert_true(play(&arena, rows[k / 4].runs, (uint32_t)(k % 4), &outcomes, &done, &diagnostic));
		assert_int_equal(done, launches * INSTANCES);
		for (uint32_t n = 0; n < MOST; n++)
			assert_int_equal(played[n], n < launches);
		assert_int_equal(outcomes.list.count, launches < 3 ? launches : 3);
		for (uint32_t n = 0; n < outcomes.list.count; n++) {
			assert_int_equal(outcomes.list.at[n].values[0], n);
			assert_int_equal(outcomes.list.at[n].count, (launches + 2 - n) / 3 * INSTANCES);
		}
		arena_free(&arena);
	}
}

/* With one thread nothing is played after an error; with several the first launch's counts, though it came later. */
static void the_first_launchs_error_counts(void **state)
{
	(void)state;
	for (uint32_t jobs = 1; jobs <= 3; jobs++) {
		struct arena arena = {0};
		struct diagnostic diagnostic = {0};
		struct litmus_outcomes outcomes = {0};
		uint64_t done = 0;

		begin(NULL);
		fails[3] = fails[7] = true;
		waits_for[3] = jobs > 1 ? 7 : 0;
		assert_false(play(&arena, 200, jobs, &outcomes, &done, &diagnostic));
		assert_string_equal(diagnostic.message, "launch 3");
		assert_int_equal(played[4], jobs > 1);
		assert_int_equal(played[19], 0);
		arena_free(&arena);
	}
}

static void the_first_launch_may_fail(void **state)
{
	struct arena arena = {0};
	struct diagnostic diagnostic = {0};
	struct litmus_outcomes outcomes = {0};
	uint64_t done = 0;

	(void)state;
	fails[0] = true;
	assert_false(play(&arena, 200, 2, &outcomes, &done, &diagnostic));
	assert_string_equal(diagnostic.message, "launch 0");
	assert_int_equal(done, 0);
	arena_free(&arena);
}

/* What is allowed stays so, whichever comes first; counts are added. */
static void ends_are_added(void **state)
{
	struct arena arena = {0};

	(void)state;
	for (int k = 0; k < 4; k++) {
		struct litmus_outcomes to = {.variables = 1}, from = {.variables = 1};
		const int32_t values[LITMUS_VARIABLES] = {7};
		struct litmus_outcome *ours = litmus_outcome(&arena, &to, values),
				      *theirs = litmus_outcome(&arena, &from, values);

		ours->allowed = k & 1;
		ours->count = 10;
		theirs->allowed = k & 2;
		theirs->count = 5;
		litmus_outcomes_add(&arena, &to, &from);
		assert_int_equal(to.list.count, 1);
		assert_int_equal(to.list.at[0].allowed, k != 0);
		assert_int_equal(to.list.at[0].count, 15);
	}
	arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(launches_are_as_many_as_runs_need, begin),
		cmocka_unit_test_setup(the_first_launchs_error_counts, begin),
		cmocka_unit_test_setup(the_first_launch_may_fail, begin),
		cmocka_unit_test(ends_are_added),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
