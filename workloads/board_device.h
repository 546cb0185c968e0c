/* The search for places of queens in the last rows of a board, of cilk_queens.cl, queue_queens.cl, queens.cl and
 * dynamic/queens.cu.  `columns`, `left`, `right`: a bit for each column of the next row that an earlier queen attacks
 * straight on, from the right to the left, from the left to the right. */
#ifndef LOCKSTEP_WORKLOADS_BOARD_DEVICE_H
#define LOCKSTEP_WORKLOADS_BOARD_DEVICE_H

#include "board.h"
#include "language_device.h"

/* In how many ways queens stand in the next `rows` rows.  The search keeps for each row the columns that are left to
 * try there, and where its queen is. */
FUNCTION uint board_search(uint columns, uint left, uint right, uint rows, uint n)
{
	const uint all = (1u << n) - 1;
	uint open[BOARD_ROWS], queen[BOARD_ROWS], row = 0, ways = 0;
	ulong falls = right; /* what leaves the board on the right is kept, so that a step back finds it */

	if (rows == 0)
		return 1;
	falls <<= BOARD_ROWS;
	open[0] = all & ~(columns | left | right);
	for (;;) {
		if (open[row] == 0) {
			if (row == 0)
				return ways;
			row--;
			columns ^= queen[row];
			left = left >> 1 ^ queen[row];
			falls = falls << 1 ^ (ulong)queen[row] << BOARD_ROWS;
		} else {
			uint bit = open[row] & -open[row];
			open[row] ^= bit;
			if (row + 1 == rows) {
				ways++;
			} else {
				queen[row++] = bit;
				columns |= bit;
				left = (left | bit) << 1;
				falls = (falls | (ulong)bit << BOARD_ROWS) >> 1;
				open[row] = all & ~(columns | left | (uint)(falls >> BOARD_ROWS));
			}
		}
	}
}

#endif
