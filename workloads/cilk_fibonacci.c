/* cilk_fibonacci: the Fibonacci number of paper 5, Figures 8 to 11: a call spawns two, and a task behind the sync adds
 * up what they return.  Needs OpenCL C 2.0 and 64-bit atomics. */
#include "answers.h"
#include "cilk.h"

enum { N = CILK_NUMBERS };

int main(int argc, char **argv)
{
	struct number numbers[] = {
		CILK_OPTIONS(1024, 32768),
		[N] = {"n", "which number", 12, 24, 1, 40, 0},
	};
	uint64_t seed; /* nothing is drawn */
	struct cilk c = cilk_open(argc, argv, "a Fibonacci number, by spawn and sync", "cilk_fibonacci.cl", numbers,
		COUNT(numbers), 2, &seed);
	uint32_t n = (uint32_t)numbers[N].value, levels = n < 3 ? 1 : n - 1, got;
	uint32_t calls = cilk_stack(&c, levels, 2 * sizeof(cl_uint), 2),
		 sums = cilk_stack(&c, levels, 4 * sizeof(cl_uint), 1);
	cilk_kernel(&c, calls, "call", 0);
	fl_output(&c.graph, calls, calls, 1, 2);
	fl_output(&c.graph, calls, sums, 0, 1);
	cilk_kernel(&c, sums, "sum", FL_SYNC);
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
