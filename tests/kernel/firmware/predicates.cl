// Two nodes with predicates of their own (paper 5, section 3.1): the tasks of `some` are dispatched when four are ready, those of `all` when a wavefront's are,
// that is here when no more can come.  The producer waits, after each four of both, for those of `some`.
// launch: --gpu apu-2014 --mode timing --divergence stack --scheduler lrr --spin none --backoff none --firmware serve --dispatches produce --dispatches some --dispatches all --arg buf:graph:u32:200000:zero --arg buf:seen:u32:64:zero --arg u32:4 --dump seen
// launch wavefronts: --gpu apu-2014 --mode timing --divergence stack --scheduler lrr --spin none --backoff none --hang-after 200000 --firmware serve --dispatches produce --dispatches some --dispatches all --arg buf:graph:u32:200000:zero --arg buf:seen:u32:64:zero --arg u32:64 --dump seen
#define LOCKSTEP_FLOW_FIRMWARE
#define LOCKSTEP_CHANNELS_BASELINE
#include <lockstep_flow.h>

enum { PRODUCE, SOME, ALL, NODES, WIDTH = 64, DONE = 4, TURNS = 4 };

static global uint *global seen_;

// Words of seen: tasks of each node that are over; work-groups of each.
static void consume(ulong told)
{
	fl_task t = fl_told(told);
	ch_channel c = fl_channel(t.graph, t.node, t.level);

	if (get_local_id(0) == 0)
		atomic_inc(&seen_[8 + t.node]);
	if (get_local_id(0) < t.count) {
		uint element = ch_deq(&c, t.offset + get_local_id(0));
		ch_tfree(&c, element);
		atomic_inc(&seen_[t.node]);
	}
}

kernel void some(ulong told) { consume(told); }
kernel void all(ulong told) { consume(told); }

kernel void produce(ulong told)
{
	fl_task t = fl_told(told);
	ch_channel c = fl_channel(t.graph, PRODUCE, t.level);

	if (get_local_id(0) != 0)
		return;
	for (uint turn = 1; turn <= TURNS; turn++) {
		for (uint node = SOME; node <= ALL; node++) {
			ch_channel to = fl_channel(t.graph, node, t.level);
			uint first = ch_talloc(&to, 4);
			ch_enq(&to, first, 4);
		}
		while (((volatile global uint *)seen_)[SOME] < 4 * turn)
			;
	}
	ch_tfree(&c, ch_deq(&c, t.offset));
}

kernel void serve(global void *graph, global uint *seen, uint least)
{
	global fl_table_ *table = FL_TABLE_(graph);
	ulong at = (sizeof *table + 127) / 128 * 128;

	seen_ = seen;
	table->nodes = NODES;
	table->levels = 1;
	for (uint k = 0; k < NODES; k++) {
		global fl_node_ *n = &table->node[k];
		n->at = at;
		n->bytes = (CH_BYTES(WIDTH, DONE, 4, 4) + 127) / 128 * 128;
		n->levels = 1;
		n->width = WIDTH;
		n->done = DONE;
		n->stride = CH_STRIDE_(4);
		n->most = 4;
		n->least = k == SOME ? least : k == PRODUCE ? 1 : 0;
		at += n->bytes;
	}
	table->service = at;
	ch_channel c = fl_channel(graph, PRODUCE, 0);
	ch_enq(&c, ch_talloc(&c, 1), 1);
	fl_serve(graph, 64);
}
