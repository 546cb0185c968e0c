/* C += A * B by blocks (paper 5, 7.1).  A task is a pair of blocks: that of A in row `row` and column `middle` of blocks, and that of B in row
 * `middle` and column `column`; blocks are of side / 2^level. */
#include <lockstep_flow.h>

#include "product_device.h"

void multiply_task(fl_task t, const global uint *a, const global uint *b, global uint *c, uint side, uint base)
{
	if (get_global_id(0) >= t.count)
		return;
	ch_channel here = fl_channel(t.graph, t.node, t.level);
	const uint element = ch_deq(&here, t.offset + get_global_id(0));
	const struct pair p = *(global struct pair *)ch_at(&here, element);
	if (side >> t.level <= base) {
		product(p, a, b, c, side, side >> t.level);
	} else {
		ch_channel below = fl_channel(t.graph, t.node, t.level + 1);
		FL_PLACED_BEGIN(below, 8, first)
			for (uint k = 0; k < 8; k++)
				*(global struct pair *)ch_at(&below, first + k) = part_of(p, k);
			ch_enq(&below, first, 8);
		FL_PLACED_END(t, t.node, t.level + 1, first)
	}
	ch_tfree(&here, element);
}

#ifdef LOCKSTEP_FLOW_FIRMWARE
global struct {
	const global uint *a, *b;
	global uint *c;
	uint side, base;
} own;

kernel void multiply(ulong told) { multiply_task(fl_told(told), own.a, own.b, own.c, own.side, own.base); }

kernel void schedule(
	global void *graph, uint group, const global uint *a, const global uint *b, global uint *c, uint side, uint base)
{
	own.a = a;
	own.b = b;
	own.c = c;
	own.side = side;
	own.base = base;
	fl_serve(graph, group);
}
#else
kernel void multiply(global void *graph, uint node, uint level, uint offset, uint count, const global uint *a, const global uint *b,
	global uint *c, uint side, uint base)
{
	multiply_task((fl_task){graph, node, level, offset, count}, a, b, c, side, base);
}
#endif
