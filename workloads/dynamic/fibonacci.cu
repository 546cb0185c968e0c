/* Fibonacci numbers as in cilk_fibonacci.cl: a call launches two, and behind them the sum of what they return. */
#include "device.h"

extern "C" __global__ void sum(struct run *run, const unsigned *both, unsigned *result)
{
	*result = both[0] + both[1];
}

/* The call of n - k, k being the task's number; it returns to result[k]. */
extern "C" __global__ void call(struct run *run, unsigned first, unsigned n, unsigned *result)
{
	const unsigned k = first + threadIdx.x;
	unsigned *both;

	n -= k;
	result += k;
	if (n <= 2) {
		*result = 1;
		return;
	}
	both = take_frame(run, 2);
	if (!both)
		return;
	SPAWN(2, call, n - 1, both);
	BEHIND(sum, both, result);
	launched(run);
}
