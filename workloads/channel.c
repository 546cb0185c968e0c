/* channel: threads put items into a channel and take them off (device/lockstep_channels.h), all at once, through a
 * channel that is narrower than what they put in.  Prints what an item costs.  Needs OpenCL C 2.0 and 64-bit atomics.
 */
#include "common.h"

#include "../device/lockstep_channels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH, DONE, MOST, ITEMS, GROUPS, THREADS, FAR };

#define ITEM_BYTES 16

static const char *const variants[] = {"efficient", "baseline", "padded", NULL};
static const char *const macros[] = {"", "-DLOCKSTEP_CHANNELS_BASELINE", "-DLOCKSTEP_CHANNELS_PADDED"};

/* Of a channel whose elements have the size that the variant gives them. */
static size_t bytes_of(const struct number *numbers, uint32_t size)
{
	return CH_BYTES((size_t)numbers[WIDTH].value, (size_t)numbers[DONE].value, size, (size_t)numbers[MOST].value);
}

/* An empty channel; with `far`, one through which nearly 2^32 elements have passed: its positions soon begin again at
 * 0. */
static cl_mem new_channel(const struct gpu *gpu, size_t bytes, uint32_t width, int far)
{
	uint32_t *words = allocate(bytes, 1), start = far ? 0u - 4 * width : 0;
	cl_mem memory;
	words[0] = words[32] = words[64] = words[65] = words[96] = start;
	memory = gpu_buffer(gpu, bytes, words);
	free(words);
	return memory;
}

static void check_items(const struct gpu *gpu, cl_mem seen, cl_mem wrong, size_t count)
{
	uint32_t *times = allocate(count, sizeof *times), broken;
	gpu_read(gpu, wrong, sizeof broken, &broken);
	if (broken)
		fail("%u elements were not what was put in", broken);
	gpu_read(gpu, seen, count * sizeof *times, times);
	for (size_t k = 0; k < count; k++)
		if (times[k] != 1)
			fail("item %zu came out %u times", k, times[k]);
	free(times);
}

/* All that was reserved was enqueued, taken and freed but for the last few, whose done count is not complete. */
static void check_channel(
	const struct gpu *gpu, cl_mem memory, size_t bytes, const struct number *numbers, uint32_t stride)
{
	uint32_t *words = allocate(bytes, 1), left;
	gpu_read(gpu, memory, bytes, words);
	ch_channel c = ch_open(words, (uint32_t)numbers[WIDTH].value, (uint32_t)numbers[DONE].value, stride,
		(uint32_t)numbers[MOST].value);
	if (ch_ready(&c) != 0)
		fail("%u elements are left in the channel", ch_ready(&c));
	while (ch_reclaim(&c) != 0)
		;
	left = words[0] - words[32];
	if (left >= c.done)
		fail("%u elements are not free", left);
	free(words);
}

int main(int argc, char **argv)
{
	struct choice variant = {"variant", "of the channel (paper 5, Figure 17)", variants, 0};
	struct number numbers[] = {
		[WIDTH] = {"width", "elements of the channel, a power of two", 256, 8192, 1, 1 << 24, 0},
		[DONE] = {"done", "elements that share a done count, a power of two", 64, 64, 1, 1 << 24, 0},
		[MOST] = {"most", "that a thread puts in at a time", 2, 2, 1, 64, 0},
		[ITEMS] = {"items", "that each thread puts in", 6, 64, 1, 1 << 16, 0},
		[GROUPS] = {"groups", "of threads", 8, 32, 1, 65536, 0},
		[THREADS] = {"threads", "of a group", 64, 256, 1, 1024, 0},
		[FAR] = {"far", "1: begin where the counters pass 2^32", 0, 0, 0, 1, 0},
	};
	options_read_choice(argc, argv, "items that go through a channel", numbers, COUNT(numbers), &variant);
	cl_uint width = (cl_uint)numbers[WIDTH].value, done = (cl_uint)numbers[DONE].value;
	cl_uint most = (cl_uint)numbers[MOST].value, items = (cl_uint)numbers[ITEMS].value;
	size_t threads = (size_t)numbers[GROUPS].value * (size_t)numbers[THREADS].value, count = threads * items;
	uint32_t stride = variant.value == 2 ? 128 : ITEM_BYTES;
	if (!CH_FITS(width, done, most))
		options_refuse("--width %u --done %u --most %u: expected powers of two, --done at most --width, --most "
			       "at most --width - --done + 1",
			width, done, most);
	if (count > UINT32_MAX)
		options_refuse("--items %u: %zu threads put in more than 2^32 - 1 in all", items, threads);

	char options[200];
	snprintf(options, sizeof options, "%s -DWIDTH=%uu -DDONE=%uu -DMOST=%uu %s", gpu_atomics_standard(), width,
		done, most, macros[variant.value]);
	struct gpu gpu = gpu_open("channel.cl", options);
	size_t bytes = bytes_of(numbers, stride);
	cl_mem memory = new_channel(&gpu, bytes, width, (int)numbers[FAR].value);
	cl_mem seen = gpu_filled(&gpu, count, 0), wrong = gpu_filled(&gpu, 1, 0);
	double before = gpu_time(&gpu);
	GPU_LAUNCH(&gpu, "work", threads, (size_t)numbers[THREADS].value, ARGUMENT(memory), ARGUMENT(seen),
		ARGUMENT(wrong), ARGUMENT(items));
	printf("an item: %.2f ns\n", (gpu_time(&gpu) - before) / (double)count);
	check_items(&gpu, seen, wrong, count);
	check_channel(&gpu, memory, bytes, numbers, stride);
	gpu_free(memory);
	gpu_free(seen);
	gpu_free(wrong);
	gpu_close(&gpu);
	return pass();
}
