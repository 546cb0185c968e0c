/* A graph, sorting, and what goes over long arrays, some in steps of large powers of two. */
#include "plain.h"

#include <stdlib.h>
#include <string.h>

#define DEGREE 4 /* neighbours of a node */

/* Levels from node 0 on; -1 where there is no way. */
static int32_t *levels_of(const int32_t *neighbours, uint32_t nodes)
{
	int32_t *levels = allocate(nodes, sizeof *levels), *queue = allocate(nodes, sizeof *queue);
	memset(levels, -1, nodes * sizeof *levels);
	levels[0] = 0;
	for (uint32_t head = 0, tail = 1; head < tail; head++)
		for (uint32_t k = 0; k < DEGREE; k++) {
			int32_t other = neighbours[queue[head] * DEGREE + (int32_t)k];
			if (levels[other] < 0) {
				levels[other] = levels[queue[head]] + 1;
				queue[tail++] = other;
			}
		}
	free(queue);
	return levels;
}

void plain_bfs(struct plain *p)
{
	uint32_t nodes = p->items;
	int32_t *neighbours = plain_ints(p, (size_t)nodes * DEGREE, nodes), *starts = allocate(nodes + 1, 4);
	for (uint32_t k = 0; k <= nodes; k++)
		starts[k] = (int32_t)(k * DEGREE);
	int32_t *levels = allocate(nodes, sizeof *levels), changed = 1;
	memset(levels, -1, nodes * sizeof *levels);
	levels[0] = 0;
	cl_mem device_starts = gpu_buffer(&p->gpu, (nodes + 1) * sizeof *starts, starts);
	cl_mem device_neighbours = gpu_buffer(&p->gpu, (size_t)nodes * DEGREE * sizeof *neighbours, neighbours);
	cl_mem device_levels = gpu_buffer(&p->gpu, nodes * sizeof *levels, levels);
	for (int32_t level = 0; changed; level++) {
		cl_mem flag = gpu_filled(&p->gpu, 1, 0);
		GPU_LAUNCH(&p->gpu, "bfs", nodes, 128, ARGUMENT(device_starts), ARGUMENT(device_neighbours),
			ARGUMENT(device_levels), ARGUMENT(flag), ARGUMENT(level));
		gpu_read(&p->gpu, flag, sizeof changed, &changed);
		gpu_free(flag);
	}
	plain_expect_ints(p, device_levels, levels_of(neighbours, nodes), nodes);
	free(neighbours);
	free(starts);
	free(levels);
	gpu_free(device_starts);
	gpu_free(device_neighbours);
}

static int compare_ints(const void *a, const void *b)
{
	int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
	return (x > y) - (x < y);
}

#define RANGE_THREADS 512

/* Which keys there are, before they are sorted. */
static void find_range(struct plain *p, cl_mem buffer, const int32_t *keys)
{
	uint32_t items = p->items;
	int32_t *least = allocate(RANGE_THREADS, sizeof *least), *greatest = allocate(RANGE_THREADS, sizeof *greatest);
	for (uint32_t k = 0; k < RANGE_THREADS; k++) {
		least[k] = INT32_MAX;
		greatest[k] = INT32_MIN;
	}
	for (uint32_t k = 0; k < items; k++) {
		int32_t *low = &least[k % RANGE_THREADS], *high = &greatest[k % RANGE_THREADS];
		*low = keys[k] < *low ? keys[k] : *low;
		*high = keys[k] > *high ? keys[k] : *high;
	}
	cl_mem low = gpu_filled(&p->gpu, RANGE_THREADS, 0), high = gpu_filled(&p->gpu, RANGE_THREADS, 0);
	GPU_LAUNCH(&p->gpu, "merge_range", RANGE_THREADS, 128, ARGUMENT(buffer), ARGUMENT(low), ARGUMENT(high),
		ARGUMENT(items));
	plain_expect_ints(p, low, least, RANGE_THREADS);
	plain_expect_ints(p, high, greatest, RANGE_THREADS);
}

/* A sixteenth as many threads as keys: in the first merges each takes several pairs, keys of all threads apart. */
void plain_merge_sort(struct plain *p)
{
	uint32_t items = p->items, from = 0;
	int32_t *keys = plain_ints(p, items, 1u << 30);
	cl_mem buffers[] = {gpu_buffer(&p->gpu, items * sizeof *keys, keys), gpu_filled(&p->gpu, items, 0)};
	find_range(p, buffers[0], keys);
	for (uint32_t width = 1; width < items; width *= 2) {
		GPU_LAUNCH(&p->gpu, "merge_sort", items / 16, 32, ARGUMENT(buffers[from]), ARGUMENT(buffers[1 - from]),
			ARGUMENT(items), ARGUMENT(width));
		from = 1 - from;
	}
	qsort(keys, items, sizeof *keys, compare_ints);
	plain_expect_ints(p, buffers[from], keys, items);
	gpu_free(buffers[1 - from]);
}

#define WINDOWS 16

void plain_heartwall(struct plain *p)
{
	uint32_t side = p->side, pixels = p->items;
	size_t all = pixels + (size_t)side * WINDOWS;
	float *image = plain_floats(p, all, 0, 1), *template = plain_floats(p, pixels, -1, 1);
	float *expected = allocate(WINDOWS, sizeof *expected);
	for (uint32_t window = 0; window < WINDOWS; window++) {
		double sum = 0;
		for (uint32_t k = 0; k < pixels; k++)
			sum += (double)image[window * side + k] * (double)template[k];
		expected[window] = (float)sum;
	}
	cl_mem device_image = gpu_buffer(&p->gpu, all * sizeof *image, image), fits = gpu_filled(&p->gpu, WINDOWS, 0);
	cl_mem device_template = gpu_buffer(&p->gpu, pixels * sizeof *template, template);
	GPU_LAUNCH(&p->gpu, "heartwall", WINDOWS * 512, 512, ARGUMENT(device_image), ARGUMENT(device_template),
		ARGUMENT(fits), ARGUMENT(side), ARGUMENT(pixels));
	plain_expect_floats(p, fits, expected, WINDOWS);
	free(image);
	free(template);
	gpu_free(device_image);
	gpu_free(device_template);
}

#define BINS 64
#define EACH 8 /* keys of a thread */

void plain_histogram(struct plain *p)
{
	uint32_t items = p->items, groups = items / (64 * EACH), each = EACH;
	int32_t *keys = plain_ints(p, items, 1u << 20), *expected = allocate((size_t)groups * BINS, 4);
	for (uint32_t k = 0; k < items; k++)
		expected[k / (64 * EACH) * BINS + (uint32_t)keys[k] % BINS]++;
	cl_mem from = gpu_buffer(&p->gpu, items * sizeof *keys, keys);
	cl_mem counts = gpu_filled(&p->gpu, (size_t)groups * BINS, 0);
	GPU_LAUNCH(&p->gpu, "histogram", (size_t)groups * 64, 64, ARGUMENT(from), ARGUMENT(counts), ARGUMENT(each));
	plain_expect_ints(p, counts, expected, (size_t)groups * BINS);
	free(keys);
	gpu_free(from);
}

void plain_prefix_sum(struct plain *p)
{
	uint32_t items = p->items;
	int32_t *values = plain_ints(p, items, 1000), *expected = allocate(items, sizeof *expected), sum = 0;
	for (uint32_t k = 0; k < items; k++)
		expected[k] = sum += values[k];
	cl_mem from = gpu_buffer(&p->gpu, items * sizeof *values, values), sums = gpu_filled(&p->gpu, items, 0);
	cl_mem totals = gpu_filled(&p->gpu, items / 128, 0);
	GPU_LAUNCH(&p->gpu, "prefix_groups", items, 128, ARGUMENT(from), ARGUMENT(sums), ARGUMENT(totals));
	GPU_LAUNCH(&p->gpu, "prefix_add", items, 128, ARGUMENT(sums), ARGUMENT(totals));
	plain_expect_ints(p, sums, expected, items);
	free(values);
	gpu_free(from);
	gpu_free(totals);
}
