/* validation: the loop of paper 3, Section 5 (Listing 10), whose iterations wait for each other from warp to warp,
 * under five schemes.  The array must be the host's.  Prints the cycles from the first thread's beginning of the
 * reduction phase to the last one's end of it (Figure 4), and what the locks take (Table 1). */
#include "common.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#define WARP 32u

enum scheme { ATOM_LOCK, WARP_BARR, SHRD_LOCK, TINY_LOCK, WARP_VOTE };

static void check(const int32_t *first, const int32_t *found, uint32_t threads)
{
	for (uint32_t k = 0; k < threads; k++) {
		int32_t before = k < WARP ? first[k] : found[k - WARP];
		if (found[k] != before + (int32_t)k)
			fail("A[%u] is %d, not %d", k + WARP, found[k], before + (int32_t)k);
	}
}

static void print_phase(const uint64_t *times, uint32_t threads)
{
	uint64_t begin = times[0], end = times[1];
	for (uint32_t k = 1; k < threads; k++) {
		begin = times[2 * k] < begin ? times[2 * k] : begin;
		end = times[2 * k + 1] > end ? times[2 * k + 1] : end;
	}
	printf("reduction phase: %" PRIu64 " cycles\n", end - begin);
}

/* Mutexes are words, and have lock bits where atomics are made of them; bar.sync has neither.  A lock of a warp is
 * reserved for each that a work-group may have, as in the paper. */
static void print_cost(enum scheme scheme, uint32_t warps)
{
	uint32_t bytes[] = {[ATOM_LOCK] = 4 * WARP * warps, [SHRD_LOCK] = 4 * WARP, [WARP_VOTE] = 0};
	uint32_t bits[] = {
		[ATOM_LOCK] = WARP * warps, [SHRD_LOCK] = WARP, [TINY_LOCK] = WARP * warps, [WARP_VOTE] = WARP};
	printf("shared memory: %u bytes\n", bytes[scheme]);
	printf("lock bits: %u\n", bits[scheme]);
}

int main(int argc, char **argv)
{
	static const char *const schemes[] = {"atom_lock", "warp_barr", "shrd_lock", "tiny_lock", "warp_vote", NULL};
	struct choice scheme = {"scheme", "what the warps wait by", schemes, TINY_LOCK};
	struct number numbers[] = {
		{"warps", "of the work-group; warp_barr: at most 16", 16, 16, 2, 32, 0},
	};
	uint64_t random = options_read_choice(
		argc, argv, "A[i + 32] = A[i] + i, warp after warp", numbers, COUNT(numbers), &scheme);
	uint32_t warps = (uint32_t)numbers[0].value, threads = WARP * warps;
	bool has_bits = scheme.value == TINY_LOCK || scheme.value == WARP_VOTE; /* else it is for all GPUs */
	char options[40];
	if (scheme.value == WARP_BARR && warps > 16)
		options_refuse("--warps %u: a work-group has 16 barriers for --scheme warp_barr", warps);

	int32_t first[WARP], *found = allocate(threads, sizeof *found);
	uint64_t *times = allocate(threads, 2 * sizeof *times);
	for (uint32_t k = 0; k < WARP; k++)
		first[k] = (int32_t)random_below(&random, 1000);
	snprintf(options, sizeof options, "-DWARPS=%u%s", warps, has_bits ? "" : " -DWITHOUT_BITS");
	struct gpu gpu = gpu_open("validation.cl", options);
	cl_mem device_first = gpu_buffer(&gpu, sizeof first, first), result = gpu_filled(&gpu, threads, -1);
	cl_mem device_times = gpu_filled(&gpu, 4 * (size_t)threads, 0);
	GPU_LAUNCH(&gpu, schemes[scheme.value], threads, threads, ARGUMENT(device_first), ARGUMENT(result),
		ARGUMENT(device_times));

	gpu_read(&gpu, result, threads * sizeof *found, found);
	gpu_read(&gpu, device_times, 2 * threads * sizeof *times, times);
	check(first, found, threads);
	print_phase(times, threads);
	print_cost((enum scheme)scheme.value, warps);
	free(found);
	free(times);
	gpu_free(device_first);
	gpu_free(result);
	gpu_free(device_times);
	gpu_close(&gpu);
	return pass();
}
