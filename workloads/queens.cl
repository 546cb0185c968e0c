/* Queens on a board (paper 5, Table 4): a work-item for each board whose first rows the host has filled. */
#include "board_device.h"

kernel void search(const global uint *boards, uint count, uint rows, uint n, global uint *ways)
{
	const uint me = get_global_id(0);

	if (me < count) {
		uint found = board_search(boards[3 * me], boards[3 * me + 1], boards[3 * me + 2], rows, n);
		if (found > 0)
			atomic_add(ways, found);
	}
}
