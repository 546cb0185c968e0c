/* dynamic_queens: the queens of cilk_queens, by launches from the GPU. */
#include "../board.h"
#include "dynamic.h"

DYNAMIC_PTX("queens.ptx");

enum { N = DYNAMIC_NUMBERS, ROWS };

int main(int argc, char **argv)
{
	struct number numbers[] = {
		DYNAMIC_OPTIONS(512, 1 << 16, 2048, 1 << 18),
		[N] = {"n", "queens", 8, 13, 1, BOARD_MOST, 0},
		[ROWS] = {"rows", "that a thread searches alone", 5, 8, 0, BOARD_ROWS, 0},
	};
	struct dynamic d;
	dynamic_open(
		&d, argc, argv, "queens on a board, by launches from the GPU", numbers, COUNT(numbers), dynamic_ptx);
	uint32_t n = (uint32_t)numbers[N].value, rows = (uint32_t)numbers[ROWS].value, none = 0;
	device_address result = dynamic_result(&d);
	dynamic_run(&d, "place", (void *[]){&none, &none, &none, &none, &n, &rows, &n, &result, NULL});
	board_check(n, d.run.result);
	dynamic_close(&d);
	return pass();
}
