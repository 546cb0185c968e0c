/* pitfalls: paper 3's two deadlocks of lock bits (section 4.4), and how far apart words with one bit are (3.1). */
#include "common.h"

#include <stdio.h>
#include <stdlib.h>

#define WORDS 2304u /* of local memory */
#define THREADS 64u /* two warps, which the case of the barrier needs */

/* The distances of words that have the bit of the first, a line each. */
static void find_stride(const struct gpu *gpu)
{
	cl_mem out = gpu_filled(gpu, WORDS, 0);
	int32_t *got = allocate(WORDS, sizeof *got);
	cl_uint words = WORDS;
	uint32_t first = 0;
	GPU_LAUNCH(gpu, "stride", 1, 1, ARGUMENT(out), ARGUMENT(words));
	gpu_read(gpu, out, WORDS * sizeof *got, got);
	for (uint32_t k = 1; k < WORDS; k++) {
		if (!got[k] && !first)
			first = k;
		if (first && (k % first == 0) == (got[k] != 0))
			fail("words %u apart %s one bit, those %u apart have", k, got[k] ? "have not" : "have", first);
	}
	printf("words with one lock bit: %u apart\n", first);
	free(got);
	gpu_free(out);
}

static void check(const struct gpu *gpu, cl_mem out)
{
	int32_t value[THREADS];
	gpu_read(gpu, out, sizeof value, value);
	for (uint32_t t = 0; t < THREADS; t++)
		if (value[t] != (t == 1 ? 7 : 0))
			fail("thread %u has %d, not %d", t, value[t], t == 1 ? 7 : 0);
}

int main(int argc, char **argv)
{
	static const char *const cases[] = {
		"stride", "in-warp-divergent", "in-warp", "own-alias", "alias-at-barrier", NULL};
	struct number numbers[] = {
		{"apart", "words between those that are locked", 1024, 1024, 1, WORDS - 1, 0},
	};
	struct choice choice = {"case", "what is tried", cases, 0};
	options_read_choice(argc, argv, "deadlocks of lock bits", numbers, COUNT(numbers), &choice);
	char options[32];
	snprintf(options, sizeof options, "-DWORDS=%u", WORDS);
	struct gpu gpu = gpu_open("pitfalls.cl", options);
	cl_mem out = gpu_filled(&gpu, THREADS, 0);
	cl_uint apart = (cl_uint)numbers[0].value;
	switch (choice.value) {
	case 0: find_stride(&gpu); break;
	case 1: GPU_LAUNCH(&gpu, "in_warp_divergent", THREADS, THREADS, ARGUMENT(out)); break;
	case 2: GPU_LAUNCH(&gpu, "in_warp", THREADS, THREADS, ARGUMENT(out)); break;
	case 3: GPU_LAUNCH(&gpu, "own_alias", THREADS, THREADS, ARGUMENT(out), ARGUMENT(apart)); break;
	default: GPU_LAUNCH(&gpu, "alias_at_barrier", THREADS, THREADS, ARGUMENT(out), ARGUMENT(apart)); break;
	}
	if (choice.value)
		check(&gpu, out);
	gpu_free(out);
	gpu_close(&gpu);
	return pass();
}
