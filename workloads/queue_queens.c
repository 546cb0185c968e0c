/* queue_queens: the queens of cilk_queens by the same tasks, which persistent work-groups take from one queue.  Needs
 * OpenCL C 2.0. */
#include "board.h"
#include "queue.h"

enum { N = QUEUE_NUMBERS, ROWS };

int main(int argc, char **argv)
{
	struct number numbers[] = {
		QUEUE_OPTIONS(256, 65536, 256, 32768),
		[N] = {"n", "queens", 8, 13, 1, BOARD_MOST, 0},
		[ROWS] = {"rows", "that a work-item searches alone", 5, 8, 0, BOARD_ROWS, 0},
	};
	uint64_t seed; /* nothing is drawn */
	struct queue q = queue_open(argc, argv, "queens on a board, by a queue of tasks", "queue_queens.cl", numbers,
		COUNT(numbers), 5, 3, &seed);
	uint32_t n = (uint32_t)numbers[N].value, rows = (uint32_t)numbers[ROWS].value, got;
	uint32_t *first = queue_first(&q);
	first[3] = UINT32_MAX; /* no queen attacks anything yet; its result is the program's */
	first[4] = n;
	cl_mem result = gpu_filled(&q.gpu, 1, 0);
	QUEUE_LAUNCH(&q, ARGUMENT(result), ARGUMENT(n), ARGUMENT(rows));
	queue_finish(&q);
	gpu_read(&q.gpu, result, sizeof got, &got);
	board_check(n, got);
	gpu_free(result);
	queue_close(&q);
	return pass();
}
