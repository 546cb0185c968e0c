/* cilk_fibonacci: the Fibonacci number of paper 5, Figures 8 to 11: a call spawns two, and a task behind the sync adds
 * up what they return.  Needs OpenCL C 2.0 and 64-bit atomics. */
#include "answers.h"
#include "cilk.h"

enum { N = CILK_NUMBERS, PARTS };

/* One for each part, of elements of `words` words; the number of the first. */
static uint32_t stacks(struct cilk *c, uint32_t parts, uint32_t levels, size_t words, uint32_t most)
{
	uint32_t first = cilk_stack(c, levels, words * sizeof(cl_uint), most);
	for (uint32_t k = 1; k < parts; k++)
		cilk_stack(c, levels, words * sizeof(cl_uint), most);
	return first;
}

int main(int argc, char **argv)
{
	struct number numbers[] = {
		CILK_OPTIONS(1024, 32768),
		[N] = {"n", "which number", 12, 24, 1, 40, 0},
		[PARTS] = {"parts",
			"channels of each sort and level, of which a unit has its own; above 1: with firmware", 1, 1, 1,
			FL_NODES / 2, 0},
	};
	uint64_t seed; /* nothing is drawn */
	struct cilk c = cilk_open(argc, argv, "a Fibonacci number, by spawn and sync", "cilk_fibonacci.cl", numbers,
		COUNT(numbers), 2, &numbers[PARTS], &seed);
	uint32_t n = (uint32_t)numbers[N].value, levels = n < 3 ? 1 : n - 1, got;
	uint32_t parts = (uint32_t)numbers[PARTS].value, calls = stacks(&c, parts, levels, 2, 2),
		 sums = stacks(&c, parts, levels, 4, 1);
	for (uint32_t k = 0; k < parts; k++) {
		cilk_kernel(&c, calls + k, "call", 0);
		cilk_kernel(&c, sums + k, "sum", FL_SYNC);
	}
	/* with one part: else only firmware schedules, which does not ask for them */
	fl_output(&c.graph, calls, calls, 1, 2);
	fl_output(&c.graph, calls, sums, 0, 1);
	cilk_build(&c);
	uint32_t *first = fl_put(c.memory, calls, 0);
	first[0] = n;
	first[1] = UINT32_MAX; /* its result is the program's */
	cl_mem result = gpu_filled(&c.gpu, 1, 0);
	CILK_ARGUMENTS(&c, calls, ARGUMENT(sums), ARGUMENT(result));
	CILK_ARGUMENTS(&c, sums, ARGUMENT(result));
	CILK_FIRMWARE_ARGUMENTS(&c, ARGUMENT(sums), ARGUMENT(result));
	cilk_run(&c);
	gpu_read(&c.gpu, result, sizeof got, &got);
	fibonacci_check(n, got);
	gpu_free(result);
	cilk_close(&c);
	return pass();
}
