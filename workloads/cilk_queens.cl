/* Queens on a board, row by row, as in Cilk (paper 5, 7.1): a task is a board of as many rows as its level, with the bits of
 * board_device.h.  It spawns a task for each column of the next row where a queen can be, and leaves a sum, to which these add. */
#include <lockstep_flow.h>

#include "board_device.h"

struct board {
	uint columns, left, right, result; /* result: the word of the graph's memory where its number of ways is added, or TOP */
};
struct sum {
	uint ways, result;
};
#define TOP 0xffffffffu

void add(global void *graph, uint result, uint ways, global uint *top)
{
	if (ways > 0)
		atomic_add(result == TOP ? top : fl_word_at(graph, result), ways);
}

/* Spawns a task for each column in `open`. */
void spawn(const ch_channel *c, struct board b, uint open, uint result)
{
	uint first = fl_talloc(c, popcount(open)), at = first;

	for (uint left = open; left != 0; left &= left - 1) {
		uint bit = left & -left;
		*(global struct board *)ch_at(c, at++) =
			(struct board){b.columns | bit, (b.left | bit) << 1, (b.right | bit) >> 1, result};
	}
	ch_enq(c, first, popcount(open));
}

kernel void place(global void *graph, uint node, uint level, uint offset, uint count, uint sums, global uint *top, uint n, uint rows)
{
	if (get_global_id(0) < count) {
		ch_channel c = fl_channel(graph, node, level);
		uint element = ch_deq(&c, offset + get_global_id(0));
		struct board b = *(global struct board *)ch_at(&c, element);
		uint open = ((1u << n) - 1) & ~(b.columns | b.left | b.right);
		ch_tfree(&c, element);
		if (n - level <= rows) {
			add(graph, b.result, board_search(b.columns, b.left, b.right, n - level, n), top);
		} else if (open != 0) {
			ch_channel below = fl_channel(graph, node, level + 1), here = fl_channel(graph, sums, level);
			uint behind = fl_talloc(&here, 1);
			global struct sum *sum = ch_at(&here, behind);
			*sum = (struct sum){0, b.result};
			ch_enq(&here, behind, 1);
			spawn(&below, b, open, fl_word(graph, &sum->ways));
		}
	}
}

/* All tasks below are over. */
kernel void sum(global void *graph, uint node, uint level, uint offset, uint count, global uint *top)
{
	if (get_global_id(0) < count) {
		ch_channel c = fl_channel(graph, node, level);
		uint element = ch_deq(&c, offset + get_global_id(0));
		struct sum sum = *(global struct sum *)ch_at(&c, element);
		ch_tfree(&c, element);
		add(graph, sum.result, sum.ways, top);
	}
}
