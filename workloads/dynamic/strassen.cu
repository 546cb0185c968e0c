/* C += A * B by blocks as in cilk_strassen.cl.  Products are added up by atomic operations, so that nothing waits. */
#include "../product_device.h"
#include "device.h"

/* The k-th of the eight parts of a pair of blocks, k being the task's number; `side`: of the part.  Of the first pair, it
 * itself. */
extern "C" __global__ void multiply(struct run *run, unsigned first, struct pair p, const uint *a, const uint *b, uint *c, uint whole,
	uint side, uint base)
{
	if (side != whole)
		p = part_of(p, first + threadIdx.x);
	if (side <= base) {
		product(p, a, b, c, whole, side);
		return;
	}
	SPAWN(8, multiply, p, a, b, c, whole, side / 2, base);
	launched(run);
}
