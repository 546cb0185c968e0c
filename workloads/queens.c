/* queens: queens on a board as GPUs did it before, beside cilk_queens (paper 5, Table 4): the host places those of the
 * first rows, and a work-item searches the rest, as the program NQU of GPGPU-Sim does. */
#include "board.h"
#include "common.h"

#include <stdio.h>
#include <stdlib.h>

enum { N, ROWS, GROUP };

struct boards {
	uint32_t n, rows, count, room, *masks; /* three words a board, as board_device.h says */
};

static void add_board(struct boards *b, uint32_t columns, uint32_t left, uint32_t right)
{
	if (b->count == b->room) {
		b->room = b->room ? 2 * b->room : 64;
		b->masks = realloc(b->masks, (size_t)b->room * 3 * sizeof *b->masks);
		if (!b->masks)
			fail("no memory for %u boards", b->room);
	}
	uint32_t *at = b->masks + 3 * (size_t)b->count++;
	at[0] = columns;
	at[1] = left;
	at[2] = right;
}

/* All boards with queens in all rows but the last ones. */
static void place(struct boards *b, uint32_t row, uint32_t columns, uint32_t left, uint32_t right)
{
	if (b->n - row <= b->rows) {
		add_board(b, columns, left, right);
		return;
	}
	uint32_t open = ((1u << b->n) - 1) & ~(columns | left | right);
	for (; open; open &= open - 1) {
		uint32_t bit = open & (0u - open);
		place(b, row + 1, columns | bit, (left | bit) << 1, (right | bit) >> 1);
	}
}

int main(int argc, char **argv)
{
	struct number numbers[] = {
		[N] = {"n", "queens", 8, 13, 1, BOARD_MOST, 0},
		[ROWS] = {"rows", "that a work-item searches", 6, 10, 0, BOARD_ROWS, 0},
		[GROUP] = {"group", "work-items of a group", 64, 96, 1, 1024, 0},
	};
	options_read(argc, argv, "queens on a board, the last rows of each by a work-item", numbers, COUNT(numbers));
	size_t group = (size_t)numbers[GROUP].value;
	struct boards b = {.n = (uint32_t)numbers[N].value, .rows = (uint32_t)numbers[ROWS].value};
	uint32_t got = 0, left = b.n < b.rows ? b.n : b.rows;
	place(&b, 0, 0, 0, 0);
	if (b.count > 0) {
		struct gpu gpu = gpu_open("queens.cl", "");
		cl_mem boards = gpu_buffer(&gpu, (size_t)b.count * 3 * sizeof *b.masks, b.masks),
		       ways = gpu_filled(&gpu, 1, 0);
		double before = gpu_time(&gpu);
		GPU_LAUNCH(&gpu, "search", (b.count + group - 1) / group * group, group, ARGUMENT(boards),
			ARGUMENT(b.count), ARGUMENT(left), ARGUMENT(b.n), ARGUMENT(ways));
		printf("%.0f ns, boards: %u\n", gpu_time(&gpu) - before, b.count);
		gpu_read(&gpu, ways, sizeof got, &got);
		gpu_free(boards);
		gpu_free(ways);
		gpu_close(&gpu);
	}
	free(b.masks);
	board_check(b.n, got);
	return pass();
}
