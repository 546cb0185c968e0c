/* queue_sort: the sort of cilk_sort by the same tasks, which persistent work-groups take from one queue.  Needs
 * OpenCL C 2.0. */
#include "answers.h"
#include "queue.h"

#include <stdlib.h>

enum { N = QUEUE_NUMBERS, BASE, MERGE };

int main(int argc, char **argv)
{
	struct number numbers[] = {
		QUEUE_OPTIONS(256, 65536, 256, 32768),
		[N] = {"n", "numbers to sort", 1500, 1000000, 1, 1 << 26, 0},
		[BASE] = {"base", "numbers that a work-item sorts alone, at most", 64, 64, 8, 1024, 0},
		[MERGE] = {"merge", "numbers that a work-item merges alone, at most", 128, 128, 8, 1 << 20, 0},
	};
	uint64_t random;
	struct queue q = queue_open(
		argc, argv, "a sort, by a queue of tasks", "queue_sort.cl", numbers, COUNT(numbers), 8, 5, &random);
	uint32_t n = (uint32_t)numbers[N].value, *values = allocate(n, sizeof *values), *got = allocate(n, sizeof *got);
	uint32_t base = (uint32_t)numbers[BASE].value, merge = (uint32_t)numbers[MERGE].value;
	for (uint32_t k = 0; k < n; k++)
		values[k] = (uint32_t)random_next(&random);
	cl_mem device = gpu_buffer(&q.gpu, n * sizeof *values, values), other = gpu_filled(&q.gpu, n, 0);
	uint32_t *first = queue_first(&q); /* of kind 0 */
	first[1] = UINT32_MAX;             /* nothing waits for it */
	first[3] = n;
	QUEUE_LAUNCH(&q, ARGUMENT(device), ARGUMENT(other), ARGUMENT(base), ARGUMENT(merge));
	queue_finish(&q);
	gpu_read(&q.gpu, device, n * sizeof *got, got);
	sorted_check(values, got, n);
	free(values);
	free(got);
	gpu_free(device);
	gpu_free(other);
	queue_close(&q);
	return pass();
}
