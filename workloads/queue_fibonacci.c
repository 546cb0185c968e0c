/* queue_fibonacci: the Fibonacci number of cilk_fibonacci by the same tasks, which persistent work-groups take from one
 * queue.  Needs OpenCL C 2.0. */
#include "answers.h"
#include "queue.h"

enum { N = QUEUE_NUMBERS };

int main(int argc, char **argv)
{
	struct number numbers[] = {
		QUEUE_OPTIONS(256, 32768, 256, 65536),
		[N] = {"n", "which number", 12, 24, 1, 40, 0},
	};
	uint64_t seed; /* nothing is drawn */
	struct queue q = queue_open(argc, argv, "a Fibonacci number, by a queue of tasks", "queue_fibonacci.cl",
		numbers, COUNT(numbers), 2, 4, &seed);
	uint32_t n = (uint32_t)numbers[N].value, got;
	uint32_t *first = queue_first(&q);
	first[0] = n;
	first[1] = UINT32_MAX; /* its result is the program's */
	cl_mem result = gpu_filled(&q.gpu, 1, 0);
	QUEUE_LAUNCH(&q, ARGUMENT(result));
	queue_finish(&q);
	gpu_read(&q.gpu, result, sizeof got, &got);
	fibonacci_check(n, got);
	gpu_free(result);
	queue_close(&q);
	return pass();
}
