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

/* With PARTS there are so many channels of each sort and level, nodes 0 to PARTS - 1 of calls and as many of sums behind them; what a task spawns
 * goes to those of the unit on which it is. */
#ifdef PARTS
uint part(void)
{
	uint unit;
	__asm__ volatile("mov.u32 %0, %%smid;" : "=r"(unit));
	return unit % PARTS;
}
#define CALLS part()
#define SUMS(first) (CALLS + (first))
#else
#define CALLS t.node
#define SUMS(first) (first)
#endif

void give(global void *graph, uint result, uint value, global uint *top)
{
	*(result == TOP ? top : fl_word_at(graph, result)) = value;
}

/* Lines 2 to 5 of Figure 8. */
void call_task(fl_task t, uint sums, global uint *top)
{
	if (get_global_id(0) >= t.count)
		return;
	ch_channel c = fl_channel(t.graph, t.node, t.level);
	const uint element = ch_deq(&c, t.offset + get_global_id(0));
	const struct call call = *(global struct call *)ch_at(&c, element);
	if (call.n <= 2) {
		give(t.graph, call.result, 1, top);
	} else {
		ch_channel below = fl_channel(t.graph, CALLS, t.level + 1), here = fl_channel(t.graph, SUMS(sums), t.level);
		FL_PLACED_BEGIN(here, 1, behind)
			global struct sum *sum = ch_at(&here, behind);
			sum->result = call.result;
			FL_PLACED_BEGIN(below, 2, spawned)
				*(global struct call *)ch_at(&below, spawned) = (struct call){call.n - 1, fl_word(t.graph, &sum->x)};
				*(global struct call *)ch_at(&below, spawned + 1) = (struct call){call.n - 2, fl_word(t.graph, &sum->y)};
				ch_enq(&below, spawned, 2);
			FL_PLACED_END(t, CALLS, t.level + 1, spawned)
			ch_enq(&here, behind, 1);
		FL_PLACED_END(t, SUMS(sums), t.level, behind)
	}
	ch_tfree(&c, element);
}

/* Line 7: all calls below are over. */
void sum_task(fl_task t, global uint *top)
{
	if (get_global_id(0) >= t.count)
		return;
	ch_channel c = fl_channel(t.graph, t.node, t.level);
	const uint element = ch_deq(&c, t.offset + get_global_id(0));
	const global struct sum *sum = ch_at(&c, element);
	give(t.graph, sum->result, sum->x + sum->y, top);
	ch_tfree(&c, element);
}

#ifdef LOCKSTEP_FLOW_FIRMWARE
global struct {
	global uint *top;
	uint sums;
} own;

kernel void call(ulong told) { call_task(fl_told(told), own.sums, own.top); }
kernel void sum(ulong told) { sum_task(fl_told(told), own.top); }

kernel void schedule(global void *graph, uint group, uint sums, global uint *top)
{
	own.sums = sums;
	own.top = top;
	fl_serve(graph, group);
}
#else
kernel void call(global void *graph, uint node, uint level, uint offset, uint count, uint sums, global uint *top)
{
	call_task((fl_task){graph, node, level, offset, count}, sums, top);
}
kernel void sum(global void *graph, uint node, uint level, uint offset, uint count, global uint *top)
{
	sum_task((fl_task){graph, node, level, offset, count}, top);
}
#endif
