/* cilk_queens: on how many ways n queens stand on a board and none attacks another, row by row (paper 5, 7.1): a task
 * places a queen wherever one can be in the next row, and spawns a task for each; the last rows are searched by
 * the work-item alone.  Needs OpenCL C 2.0 and 64-bit atomics. */
#include "board.h"
#include "cilk.h"

enum { N = CILK_NUMBERS, ROWS };

int main(int argc, char **argv)
{
	struct number numbers[] = {
		CILK_OPTIONS(1024, 16384),
		[N] = {"n", "queens", 8, 13, 1, BOARD_MOST, 0},
		[ROWS] = {"rows", "that a work-item searches alone", 5, 8, 0, BOARD_ROWS, 0},
	};
	uint64_t seed; /* nothing is drawn */
	struct cilk c = cilk_open(argc, argv, "queens on a board, by spawn and sync", "cilk_queens.cl", numbers,
		COUNT(numbers), BOARD_MOST, NULL, &seed);
	uint32_t n = (uint32_t)numbers[N].value, rows = (uint32_t)numbers[ROWS].value, got;
	uint32_t levels = n > rows ? n - rows + 1 : 1;
	uint32_t boards = cilk_stack(&c, levels, 4 * sizeof(cl_uint), BOARD_MOST);
	uint32_t sums = cilk_stack(&c, levels, 2 * sizeof(cl_uint), 1);
	cilk_kernel(&c, boards, "place", 0);
	fl_output(&c.graph, boards, boards, 1, n);
	fl_output(&c.graph, boards, sums, 0, 1);
	cilk_kernel(&c, sums, "sum", FL_SYNC);
	cilk_build(&c);
	uint32_t *first = fl_put(c.memory, boards, 0);
	first[3] = UINT32_MAX; /* no queen attacks anything yet; its result is the program's */
	cl_mem result = gpu_filled(&c.gpu, 1, 0);
	CILK_ARGUMENTS(&c, boards, ARGUMENT(sums), ARGUMENT(result), ARGUMENT(n), ARGUMENT(rows));
	CILK_ARGUMENTS(&c, sums, ARGUMENT(result));
	CILK_FIRMWARE_ARGUMENTS(&c, ARGUMENT(sums), ARGUMENT(result), ARGUMENT(n), ARGUMENT(rows));
	cilk_run(&c);
	gpu_read(&c.gpu, result, sizeof got, &got);
	board_check(n, got);
	gpu_free(result);
	cilk_close(&c);
	return pass();
}
