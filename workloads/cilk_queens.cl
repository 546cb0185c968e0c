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

/* A board with one more queen for each column in `open`, from element `at` on. */
void spawn(const ch_channel *c, uint at, struct board b, uint open, uint result)
{
	for (; open != 0; open &= open - 1) {
		uint bit = open & -open;
		*(global struct board *)ch_at(c, at++) =
			(struct board){b.columns | bit, (b.left | bit) << 1, (b.right | bit) >> 1, result};
	}
}

void place_task(fl_task t, uint sums, global uint *top, uint n, uint rows)
{
	if (get_global_id(0) >= t.count)
		return;
	ch_channel c = fl_channel(t.graph, t.node, t.level);
	const uint element = ch_deq(&c, t.offset + get_global_id(0));
	const struct board b = *(global struct board *)ch_at(&c, element);
	const uint open = ((1u << n) - 1) & ~(b.columns | b.left | b.right), most = popcount(open);
	if (n - t.level <= rows) {
		add(t.graph, b.result, board_search(b.columns, b.left, b.right, n - t.level, n), top);
	} else if (open != 0) {
		ch_channel below = fl_channel(t.graph, t.node, t.level + 1), here = fl_channel(t.graph, sums, t.level);
		FL_PLACED_BEGIN(here, 1, behind)
			global struct sum *sum = ch_at(&here, behind);
			*sum = (struct sum){0, b.result};
			FL_PLACED_BEGIN(below, most, spawned)
				spawn(&below, spawned, b, open, fl_word(t.graph, &sum->ways));
				ch_enq(&below, spawned, most);
			FL_PLACED_END(t, t.node, t.level + 1, spawned)
			ch_enq(&here, behind, 1);
		FL_PLACED_END(t, sums, t.level, behind)
	}
	ch_tfree(&c, element);
}

/* All tasks below are over. */
void sum_task(fl_task t, global uint *top)
{
	if (get_global_id(0) >= t.count)
		return;
	ch_channel c = fl_channel(t.graph, t.node, t.level);
	const uint element = ch_deq(&c, t.offset + get_global_id(0));
	const struct sum sum = *(global struct sum *)ch_at(&c, element);
	add(t.graph, sum.result, sum.ways, top);
	ch_tfree(&c, element);
}

#ifdef LOCKSTEP_FLOW_FIRMWARE
global struct {
	global uint *top;
	uint sums, n, rows;
} own;

kernel void place(ulong told) { place_task(fl_told(told), own.sums, own.top, own.n, own.rows); }
kernel void sum(ulong told) { sum_task(fl_told(told), own.top); }

kernel void schedule(global void *graph, uint group, uint sums, global uint *top, uint n, uint rows)
{
	own.sums = sums;
	own.top = top;
	own.n = n;
	own.rows = rows;
	fl_serve(graph, group);
}
#else
kernel void place(global void *graph, uint node, uint level, uint offset, uint count, uint sums, global uint *top, uint n, uint rows)
{
	place_task((fl_task){graph, node, level, offset, count}, sums, top, n, rows);
}
kernel void sum(global void *graph, uint node, uint level, uint offset, uint count, global uint *top)
{
	sum_task((fl_task){graph, node, level, offset, count}, top);
}
#endif
