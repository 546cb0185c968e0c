/* Queens on a board as in cilk_queens.cl: a board launches one for each column of the next row where a queen can be, and behind them
 * the sum, which adds what these have found. */
#include "../board_device.h"
#include "device.h"

extern "C" __global__ void sum(struct run *run, const unsigned *ways, unsigned *result)
{
	atomicAdd(result, *ways);
}

/* A board whose next queen, in the k-th column of `open`, k being the task's number, has still to be placed; it has `rows`
 * rows behind that.  No column: the first board. */
extern "C" __global__ void place(
	struct run *run, unsigned first, uint columns, uint left, uint right, uint open, uint rows, uint alone, uint n, unsigned *result)
{
	if (open != 0) {
		for (unsigned k = first + threadIdx.x; k > 0; k--)
			open &= open - 1;
		open &= -open;
		columns |= open;
		left = (left | open) << 1;
		right = (right | open) >> 1;
	}
	if (rows <= alone) {
		atomicAdd(result, board_search(columns, left, right, rows, n));
		return;
	}
	open = ((1u << n) - 1) & ~(columns | left | right);
	if (open == 0)
		return;
	unsigned *ways = take_frame(run, 1);
	if (!ways)
		return;
	SPAWN(__popc(open), place, columns, left, right, open, rows - 1, alone, n, ways);
	BEHIND(sum, ways, result);
	launched(run);
}
