/* Launches of a kernel as one record (report/launch_sum.h): sums, first and last by hand; what differs is left out. */
#include "report/launch_sum.h"

#include <json-c/json.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static struct arena arena;

static int free_memory(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

static uint64_t number(json_object *object, const char *key)
{
	json_object *value = NULL;
	assert_true(json_object_object_get_ex(object, key, &value));
	return json_object_get_uint64(value);
}

static bool has(json_object *object, const char *key)
{
	return json_object_object_get_ex(object, key, NULL);
}

static size_t add(struct launch_sums *sums, struct lockstep_result result, uint64_t process, uint64_t stream)
{
	struct lockstep_counter counters[2];
	char kernel[16];
	for (size_t k = 0; k < 2; k++) {
		lockstep_counter(k, &counters[k]);
		counters[k].value = result.cycles + k;
	}
	memcpy(kernel, result.kernel, strlen(result.kernel) + 1); /* records are read into memory that goes */
	result.kernel = kernel;
	result.counters = counters;
	result.counter_count = 2;
	result.limiter = "groups";
	size_t place = launch_sums_add(&arena, sums, &result, process, stream);
	memset(kernel, '?', sizeof kernel - 1);
	return place;
}

static const struct lockstep_result some = {.kernel = "k", .grid = {2, 1, 1}, .block = {32, 1, 1}, .number = 3};

static struct lockstep_result some_at(uint64_t start, uint64_t cycles)
{
	struct lockstep_result result = some;
	result.start = start;
	result.cycles = cycles;
	return result;
}

/* From cycle 5 to 107, though neither began first and ended last. */
static void a_record_has_sums_and_the_time_from_first_to_last(void **state)
{
	struct launch_sums sums = {0};
	struct lockstep_result a = some_at(7, 100), b = some_at(5, 10), c = some_at(90, 1);
	json_object *record, *counters;
	struct lockstep_counter counter;

	(void)state;
	a.warp_instructions = 4, b.warp_instructions = 5;
	a.thread_instructions = 40, b.thread_instructions = 50;
	a.wall_seconds = 0.5, b.wall_seconds = 0.25;
	a.children = 2, c.children = 3;
	b.parent = 3;
	assert_int_equal(add(&sums, a, 0, 4), 0);
	assert_int_equal(add(&sums, b, 0, 4), 0);
	assert_int_equal(add(&sums, c, 0, 4), 0);
	assert_int_equal(sums.all.count, 1);
	record = launch_sum_record(&arena, &sums.all.at[0]);
	json_object_object_get_ex(record, "counters", &counters);
	assert_int_equal(number(record, "launches"), 3);
	assert_int_equal(number(record, "cycles"), 111);
	assert_int_equal(number(record, "start"), 5);
	assert_int_equal(number(record, "end"), 107);
	assert_int_equal(number(record, "warp_instructions"), 9);
	assert_int_equal(number(record, "thread_instructions"), 90);
	assert_int_equal(number(record, "children"), 5);
	assert_int_equal(number(record, "stream"), 4);
	json_object *seconds;
	json_object_object_get_ex(record, "wall_seconds", &seconds);
	assert_true(json_object_get_double(seconds) == 0.75);
	lockstep_counter(0, &counter);
	assert_int_equal(number(counters, counter.name), 111);
	lockstep_counter(1, &counter);
	assert_int_equal(number(counters, counter.name), 114);
	assert_int_equal(json_object_object_length(counters), 2);
	assert_false(has(record, "number"));
	assert_false(has(record, "parent"));
	assert_true(
		has(record, "grid") && has(record, "block") && has(record, "occupancy") && has(record, "shared_bytes"));
	json_object_put(record);
}

/* What is one launch's alone is not in a record of several, also where the first has it. */
static void what_is_one_launchs_is_left_out(void **state)
{
	static const char *const gone[] = {"number", "parent", "samples", "findings", "lines", "locks"};
	const struct lockstep_cost cost = {.text = ""};
	const struct lockstep_samples samples = {.interval = 9};
	struct launch_sums sums = {0};
	struct lockstep_result a = some;

	(void)state;
	a.parent = 7;
	a.children = 1;
	a.samples = &samples;
	a.costs = &cost;
	assert_int_equal(add(&sums, a, 0, 4), 0);
	assert_int_equal(add(&sums, some, 0, 4), 0);
	json_object *record = launch_sum_record(&arena, &sums.all.at[0]);
	for (size_t k = 0; k < sizeof gone / sizeof *gone; k++)
		assert_false(has(record, gone[k]));
	assert_int_equal(number(record, "children"), 1);
	json_object_put(record);
}

static void what_differs_is_left_out(void **state)
{
	static const struct {
		const char *gone;
		size_t offset, bytes;
	} changes[] = {{"grid", offsetof(struct lockstep_result, grid) + 4, 4},
		{"block", offsetof(struct lockstep_result, block), 4},
		{"shared_bytes", offsetof(struct lockstep_result, shared_bytes), 4},
		{"occupancy", offsetof(struct lockstep_result, groups_per_core), 4},
		{"occupancy", offsetof(struct lockstep_result, groups), 8}, {"stream", 0, 0}};
	static const char *const all[] = {"grid", "block", "shared_bytes", "occupancy", "stream"};

	(void)state;
	for (size_t k = 0; k < sizeof changes / sizeof *changes; k++) {
		struct launch_sums sums = {0};
		struct lockstep_result other = some;
		memset((char *)&other + changes[k].offset, 9, changes[k].bytes);
		add(&sums, some, 0, 0);
		add(&sums, other, 0, !changes[k].bytes);
		add(&sums, some, 0, 0);
		assert_int_equal(sums.all.count, 1);
		json_object *record = launch_sum_record(&arena, &sums.all.at[0]);
		for (size_t n = 0; n < sizeof all / sizeof *all; n++)
			assert_int_equal(has(record, all[n]), strcmp(all[n], changes[k].gone) != 0);
		json_object_put(record);
	}
}

/* Whichever stream came first. */
static void streams_that_differ_are_left_out(void **state)
{
	(void)state;
	for (uint64_t first = 0; first < 3; first++) {
		struct launch_sums sums = {0};
		add(&sums, some, 0, first);
		add(&sums, some, 0, 1);
		json_object *record = launch_sum_record(&arena, &sums.all.at[0]);
		assert_int_equal(has(record, "stream"), first == 1);
		json_object_put(record);
	}
}

static void other_kernels_processes_modes_and_outcomes_have_their_own(void **state)
{
	struct launch_sums sums = {0};
	struct lockstep_result kernel = some, mode = some, outcome = some;

	(void)state;
	kernel.kernel = "l";
	mode.mode = LOCKSTEP_FUNCTIONAL;
	outcome.outcome = LOCKSTEP_FAULT;
	assert_int_equal(add(&sums, some, 0, 0), 0);
	assert_int_equal(add(&sums, kernel, 0, 0), 1);
	assert_int_equal(add(&sums, mode, 0, 0), 2);
	assert_int_equal(add(&sums, outcome, 0, 0), 3);
	assert_int_equal(add(&sums, some, 1, 0), 4);
	assert_int_equal(add(&sums, outcome, 0, 0), 3);
	assert_int_equal(add(&sums, some, 0, 0), 0);
	json_object *record = launch_sum_record(&arena, &sums.all.at[2]);
	assert_false(has(record, "start") || has(record, "end")); /* without a clock */
	assert_int_equal(number(record, "launches"), 1);
	json_object_put(record);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_record_has_sums_and_the_time_from_first_to_last),
		cmocka_unit_test(what_is_one_launchs_is_left_out),
		cmocka_unit_test(what_differs_is_left_out),
		cmocka_unit_test(streams_that_differ_are_left_out),
		cmocka_unit_test(other_kernels_processes_modes_and_outcomes_have_their_own),
	};
	return cmocka_run_group_tests(tests, NULL, free_memory);
}
