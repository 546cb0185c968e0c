/* Fibonacci numbers as in Cilk (paper 5, Figures 8 to 11): a call spawns two calls one level deeper, and leaves a sum at its own level, into
 * which these two put what they return. */
#include <lockstep_flow.h>

struct call {
	uint n, result; /* result: the word of the graph's memory where it goes, or TOP */
};
struct sum {
	uint x, y, result, not_used;
};
#define TOP 0xffffffffu

void give(global void *graph, uint result, uint value, global uint *top)
{
	*(result == TOP ? top : fl_word_at(graph, result)) = value;
}

/* Lines 2 to 5 of Figure 8. */
kernel void call(global void *graph, uint node, uint level, uint offset, uint count, uint sums, global uint *top)
{
	if (get_global_id(0) < count) {
		ch_channel c = fl_channel(graph, node, level);
		uint element = ch_deq(&c, offset + get_global_id(0));
		struct call call = *(global struct call *)ch_at(&c, element);
		ch_tfree(&c, element);
		if (call.n <= 2) {
			give(graph, call.result, 1, top);
		} else {
			ch_channel below = fl_channel(graph, node, level + 1), here = fl_channel(graph, sums, level);
			uint spawned = fl_talloc(&below, 2), behind = fl_talloc(&here, 1);
			global struct sum *sum = ch_at(&here, behind);
			sum->result = call.result;
			*(global struct call *)ch_at(&below, spawned) = (struct call){call.n - 1, fl_word(graph, &sum->x)};
			*(global struct call *)ch_at(&below, spawned + 1) = (struct call){call.n - 2, fl_word(graph, &sum->y)};
			ch_enq(&here, behind, 1);
			ch_enq(&below, spawned, 2);
		}
	}
}

/* Line 7: all calls below are over. */
kernel void sum(global void *graph, uint node, uint level, uint offset, uint count, global uint *top)
{
	if (get_global_id(0) < count) {
		ch_channel c = fl_channel(graph, node, level);
		uint element = ch_deq(&c, offset + get_global_id(0));
		global struct sum *sum = ch_at(&c, element);
		give(graph, sum->result, sum->x + sum->y, top);
		ch_tfree(&c, element);
	}
}
