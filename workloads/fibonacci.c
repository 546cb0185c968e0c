/* fibonacci: the Fibonacci number of paper 5, Figures 6 and 7: a call is an element of a channel
 * (device/lockstep_channels.h), which threads take, and spawn two more.  Needs OpenCL C 2.0 and 64-bit atomics. */
#include "common.h"

#include "../device/lockstep_channels.h"

#include <stdio.h>
#include <stdlib.h>

enum { N, WIDTH, DONE, GROUPS, THREADS };

static const char *const variants[] = {"efficient", "baseline", "padded", NULL};
static const char *const macros[] = {"", "-DLOCKSTEP_CHANNELS_BASELINE", "-DLOCKSTEP_CHANNELS_PADDED"};

/* With the call for `n` in it, which the host puts there as a kernel does. */
static cl_mem new_channel(const struct gpu *gpu, uint32_t width, uint32_t done, uint32_t size, uint32_t n)
{
	size_t bytes = CH_BYTES((size_t)width, (size_t)done, size, (size_t)2);
	uint32_t *words = allocate(bytes, 1);
	ch_channel c = ch_open(words, width, done, size, 2);
	uint32_t first = ch_talloc(&c, 1);
	*(uint32_t *)ch_at(&c, first) = n;
	ch_enq(&c, first, 1);
	cl_mem memory = gpu_buffer(gpu, bytes, words);
	free(words);
	return memory;
}

static void check(uint32_t n, const uint32_t counts[3])
{
	uint32_t last = 0, number = 1;
	for (uint32_t k = 1; k < n; k++) {
		uint32_t next = last + number;
		last = number;
		number = next;
	}
	if (counts[0] != 0)
		fail("%u calls are left", counts[0]);
	if (counts[1] != number)
		fail("fib(%u) is %u, not %u", n, number, counts[1]);
}

int main(int argc, char **argv)
{
	struct choice variant = {"variant", "of the channel (paper 5, Figure 17)", variants, 0};
	struct number numbers[] = {
		[N] = {"n", "which number", 12, 24, 1, 40, 0},
		[WIDTH] = {"width", "elements of the channel, a power of two", 1024, 32768, 2, 1 << 24, 0},
		[DONE] = {"done", "elements that share a done count, a power of two", 64, 64, 1, 1 << 24, 0},
		[GROUPS] = {"groups", "of threads", 8, 80, 1, 65536, 0},
		[THREADS] = {"threads", "of a group", 64, 256, 1, 1024, 0},
	};
	options_read_choice(argc, argv, "a Fibonacci number, by calls in a channel", numbers, COUNT(numbers), &variant);
	cl_uint n = (cl_uint)numbers[N].value, width = (cl_uint)numbers[WIDTH].value,
		done = (cl_uint)numbers[DONE].value;
	if (!CH_FITS(width, done, 2))
		options_refuse("--width %u --done %u: expected powers of two, and --done below --width", width, done);
	char options[160];
	snprintf(options, sizeof options, "%s -DWIDTH=%uu -DDONE=%uu %s", gpu_atomics_standard(), width, done,
		macros[variant.value]);
	struct gpu gpu = gpu_open("fibonacci.cl", options);
	uint32_t counts[3] = {1, 0, 0};
	cl_mem memory = new_channel(&gpu, width, done, variant.value == 2 ? 128 : 4, n);
	cl_mem device_counts = gpu_buffer(&gpu, sizeof counts, counts);
	double before = gpu_time(&gpu);
	GPU_LAUNCH(&gpu, "work", (size_t)numbers[GROUPS].value * (size_t)numbers[THREADS].value,
		(size_t)numbers[THREADS].value, ARGUMENT(memory), ARGUMENT(device_counts));
	double time = gpu_time(&gpu) - before;
	gpu_read(&gpu, device_counts, sizeof counts, counts);
	check(n, counts);
	printf("fib(%u) = %u, %u calls without room, %.1f us\n", n, counts[1], counts[2], time / 1000);
	gpu_free(memory);
	gpu_free(device_counts);
	gpu_close(&gpu);
	return pass();
}
