/* cilk_sort: the sort of paper 5, 7.1, which is Cilk's own example: an array is divided into four, these are sorted,
 * pairs of them merged, and the two halves merged; large merges are divided, too.  Needs OpenCL C 2.0 and 64-bit
 * atomics. */
#include "answers.h"
#include "cilk.h"

#include <stdlib.h>

enum { N = CILK_NUMBERS, BASE, MERGE };

/* Of tasks that sort, down to one that sorts alone. */
static uint32_t levels_of_sorts(uint32_t size, uint32_t base)
{
	uint32_t levels = 1;
	for (; size > base; size = size - size / 4 * 3) /* the last quarter has what is left over */
		levels++;
	return levels;
}

/* Of merges: those of the whole array begin at level 1, and no part of one has more than three quarters of it. */
static uint32_t levels_of_merges(uint32_t size, uint32_t least)
{
	uint32_t levels = 2;
	for (; size > least; size = size - size / 4 + 1)
		levels++;
	return levels;
}

static void check(const struct gpu *gpu, cl_mem device, uint32_t *values, size_t count)
{
	uint32_t *got = allocate(count, sizeof *got);
	gpu_read(gpu, device, count * sizeof *got, got);
	sorted_check(values, got, count);
	free(got);
}

/* The graph: its first node is that of tasks that sort. */
static void make_graph(struct cilk *c, uint32_t n, uint32_t base, uint32_t merge, cl_mem values, cl_mem other)
{
	uint32_t levels = levels_of_sorts(n, base);
	uint32_t sorts = cilk_stack(c, levels, 2 * sizeof(cl_uint), 4),
		 pairs = cilk_stack(c, levels, 2 * sizeof(cl_uint), 1);
	uint32_t halves = cilk_stack(c, levels, 2 * sizeof(cl_uint), 1);
	uint32_t merges = cilk_stack(c, levels_of_merges(n, merge), 6 * sizeof(cl_uint), 2);
	cilk_kernel(c, sorts, "sort", 0);
	fl_output(&c->graph, sorts, sorts, 1, 4);
	fl_output(&c->graph, sorts, pairs, 0, 1);
	cilk_kernel(c, pairs, "merge_pairs", FL_SYNC);
	fl_output(&c->graph, pairs, merges, 1, 2);
	fl_output(&c->graph, pairs, halves, 0, 1);
	cilk_kernel(c, halves, "merge_halves", FL_SYNC);
	fl_output(&c->graph, halves, merges, 1, 1);
	cilk_kernel(c, merges, "merge", 0);
	fl_output(&c->graph, merges, merges, 1, 2);
	cilk_build(c);
	CILK_ARGUMENTS(c, sorts, ARGUMENT(pairs), ARGUMENT(values), ARGUMENT(base));
	CILK_ARGUMENTS(c, pairs, ARGUMENT(merges), ARGUMENT(halves));
	CILK_ARGUMENTS(c, halves, ARGUMENT(merges));
	CILK_ARGUMENTS(c, merges, ARGUMENT(values), ARGUMENT(other), ARGUMENT(merge));
	CILK_FIRMWARE_ARGUMENTS(c, ARGUMENT(pairs), ARGUMENT(halves), ARGUMENT(merges), ARGUMENT(values),
		ARGUMENT(other), ARGUMENT(base), ARGUMENT(merge));
}

int main(int argc, char **argv)
{
	struct number numbers[] = {
		CILK_OPTIONS(1024, 32768),
		[N] = {"n", "numbers to sort", 1500, 1000000, 1, 1 << 26, 0},
		[BASE] = {"base", "numbers that a work-item sorts alone, at most", 64, 64, 8, 1024, 0},
		[MERGE] = {"merge", "numbers that a work-item merges alone, at most", 128, 128, 8, 1 << 20, 0},
	};
	uint64_t random;
	struct cilk c = cilk_open(
		argc, argv, "a sort by spawn and sync", "cilk_sort.cl", numbers, COUNT(numbers), 4, NULL, &random);
	uint32_t n = (uint32_t)numbers[N].value, *values = allocate(n, sizeof *values);
	for (uint32_t k = 0; k < n; k++)
		values[k] = (uint32_t)random_next(&random);
	cl_mem device = gpu_buffer(&c.gpu, n * sizeof *values, values), other = gpu_filled(&c.gpu, n, 0);
	make_graph(&c, n, (uint32_t)numbers[BASE].value, (uint32_t)numbers[MERGE].value, device, other);
	uint32_t *first = fl_put(c.memory, 0, 0);
	first[1] = n;
	cilk_run(&c);
	check(&c.gpu, device, values, n);
	free(values);
	gpu_free(device);
	gpu_free(other);
	cilk_close(&c);
	return pass();
}
