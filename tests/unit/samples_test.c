/* Samples (machine/observe/samples.h): when there would be too many, neighbours become one: what grew is added, and the
 * states are those at the later end. */
#include "machine/observe/samples.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define INTERVAL 100

/* Sample number k, from 1 on: k cycles, in which each field grew by another number. */
static void fill(struct sample *sample, uint64_t k)
{
	sample->cycles = k;
	for (uint32_t f = 0; f < SAMPLED; f++)
		sample->grown[f] = k * (f + 1);
	for (uint32_t w = 0; w < SAMPLED_WARPS; w++)
		sample->states[w] = (uint8_t)(k + w);
}

/* That it is of the samples from number `first` to number `last`. */
static void check(const struct sample *sample, uint64_t first, uint64_t last)
{
	uint64_t sum = (first + last) * (last - first + 1) / 2;

	assert_int_equal(sample->cycles, sum);
	for (uint32_t f = 0; f < SAMPLED; f++)
		assert_int_equal(sample->grown[f], sum * (f + 1));
	for (uint32_t w = 0; w < SAMPLED_WARPS; w++)
		assert_int_equal(sample->states[w], (uint8_t)(last + w));
}

static void neighbours_become_one_when_there_are_too_many(void **state)
{
	struct launch_samples s = {.interval = INTERVAL};
	uint64_t k = 0;

	(void)state;
	while (k < SAMPLES_MOST)
		fill(new_sample(&s), ++k);
	assert_int_equal(s.count, SAMPLES_MOST);
	assert_int_equal(s.interval, INTERVAL);
	for (uint32_t n = 0; n < s.count; n++)
		check(&s.samples[n], n + 1, n + 1);
	fill(new_sample(&s), ++k);
	assert_int_equal(s.count, SAMPLES_MOST / 2 + 1);
	assert_int_equal(s.interval, 2 * INTERVAL);
	for (uint32_t n = 0; n < SAMPLES_MOST / 2; n++)
		check(&s.samples[n], 2 * n + 1, 2 * n + 2);
	check(&s.samples[SAMPLES_MOST / 2], SAMPLES_MOST + 1, SAMPLES_MOST + 1);
	while (s.count < SAMPLES_MOST)
		fill(new_sample(&s), ++k);
	fill(new_sample(&s), ++k);
	assert_int_equal(s.count, SAMPLES_MOST / 2 + 1);
	assert_int_equal(s.interval, 4 * INTERVAL);
	for (uint32_t n = 0; n < SAMPLES_MOST / 4; n++)
		check(&s.samples[n], 4 * n + 1, 4 * n + 4);
	for (uint32_t n = SAMPLES_MOST / 4; n < SAMPLES_MOST / 2; n++)
		check(&s.samples[n], SAMPLES_MOST / 2 + 2 * n + 1, SAMPLES_MOST / 2 + 2 * n + 2);
	check(&s.samples[SAMPLES_MOST / 2], k, k);
	arena_free(&s.arena);
}

/* The last of an odd number has no neighbour. */
static void an_odd_one_stays(void **state)
{
	struct launch_samples s = {.interval = INTERVAL};

	(void)state;
	for (uint64_t k = 1; k <= 5; k++)
		fill(new_sample(&s), k);
	halve(&s);
	assert_int_equal(s.count, 3);
	check(&s.samples[0], 1, 2);
	check(&s.samples[1], 3, 4);
	check(&s.samples[2], 5, 5);
	arena_free(&s.arena);
}

static void each_launch_has_its_own(void **state)
{
	struct sampler sampler = {.interval = INTERVAL};
	struct launch launches[3] = {{.ordinal = 1}, {.ordinal = 2}, {.ordinal = 3}};
	struct launch_samples *of[3], *taken;

	(void)state;
	for (uint32_t k = 0; k < 3; k++) {
		launches[k].before.issue_cycles = 10 + k;
		launches[k].partitions_before.dram_writes = 20 + k;
		of[k] = samples_of(&sampler, &launches[k]);
		assert_int_equal(of[k]->interval, INTERVAL);
		assert_int_equal(of[k]->due, INTERVAL);
		assert_int_equal(of[k]->last[SAMPLED_CORE_issue_cycles], 10 + k);
		assert_int_equal(of[k]->last[SAMPLED_PARTITION_dram_writes], 20 + k);
	}
	for (uint32_t k = 0; k < 3; k++)
		assert_ptr_equal(samples_of(&sampler, &launches[k]), of[k]);
	assert_null(samples_take(&sampler, 4));
	taken = samples_take(&sampler, 2);
	assert_ptr_equal(taken, of[1]);
	assert_null(samples_take(&sampler, 2));
	samples_free(taken);
	for (uint32_t k = 0; k < 3; k += 2) {
		taken = samples_take(&sampler, launches[k].ordinal);
		assert_ptr_equal(taken, of[k]);
		samples_free(taken);
	}
	assert_null(sampler.launches);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(neighbours_become_one_when_there_are_too_many),
		cmocka_unit_test(an_odd_one_stays),
		cmocka_unit_test(each_launch_has_its_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
