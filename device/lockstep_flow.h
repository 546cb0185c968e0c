/* Channel-flow graphs: programs of kernels that hand on small pieces of work, tasks, through channels (lockstep_channels.h); those of paper 5
 * (M. Orr and others, Fine-grain Task Aggregation and Coordination on GPUs, ISCA 2014, sections 4.2 and 5).  One text for OpenCL C, CUDA C++
 * and the host's C.  It needs nothing of Lockstep.  Under Lockstep #include <lockstep_flow.h> finds it; elsewhere copy it and lockstep_channels.h.
 *
 * A GRAPH is made of channel nodes and of channel stacks (Figure 11): a stack is a channel for each level of a recursion, and a channel node is
 * a stack of one level.  Each node has one kernel that consumes what is in it: the kernel node behind it.  The host says what the kernel
 * puts where, builds the graph's memory, puts the first tasks in and has it executed.  With OpenCL, having included <CL/cl.h> before this file:
 *
 *     fl_graph graph = {0};
 *     unsigned calls = fl_stack(&graph, 24, 32768, 64, sizeof(struct call), 2);        24 levels; the rest is the channel's
 *     unsigned sums = fl_stack(&graph, 23, 32768, 64, sizeof(struct sum), 1);
 *     fl_kernel(&graph, calls, call_kernel, 0);                 a cl_kernel, whose arguments from FL_OWN on are set
 *     fl_output(&graph, calls, calls, 1, 2);                    a task puts up to two tasks one level deeper
 *     fl_output(&graph, calls, sums, 0, 1);                     and up to one at its own level
 *     fl_kernel(&graph, sums, sum_kernel, FL_SYNC);             runs when nothing deeper is left
 *     fl_predicate(&graph, calls, 32);                          dispatched from 32 tasks on; else from a group on
 *     void *memory = calloc(1, fl_bytes(&graph));
 *     fl_build(&graph, memory);
 *     *(struct call *)fl_put(memory, calls, 0) = ...;           as often as there are first tasks
 *     ...                                                       a cl_mem with the same contents
 *     status = fl_execute(&graph, memory, queue, buffer, 64);   until no task is left
 *
 * A KERNEL NODE's first FL_OWN arguments are the graph's memory, the node whose tasks it consumes, their level, and where they are:
 *
 *     kernel void call(global void *graph, uint node, uint level, uint offset, uint count, ...own...)
 *     {
 *         fl_task t = {graph, node, level, offset, count};
 *         if (get_global_id(0) < count) {
 *             ch_channel c = fl_channel(graph, node, level), below = fl_channel(graph, node, level + 1);
 *             uint element = ch_deq(&c, offset + get_global_id(0));
 *             ... *(global struct call *)ch_at(&c, element) ...
 *             FL_PLACED_BEGIN(below, 2, first)                       two elements, from `first` on
 *                 ... *(global struct call *)ch_at(&below, first) = ...
 *                 ch_enq(&below, first, 2);
 *             FL_PLACED_END(t, node, level + 1, first)
 *             ch_tfree(&c, element);                                 last: then the task is over
 *         }
 *     }
 *
 * A task that puts elements into several channels keeps nothing that is not enqueued while it waits for room at its own level or above: it
 * places what is deeper within what is not, and enqueues that first, as workloads/cilk_fibonacci.cl does.
 *
 * THE SCHEDULER, fl_next, is the paper's for Cilk (section 5): it takes tasks of the deepest level that has some, of its nodes in the order in which they were
 * made.  So a node with FL_SYNC, whose tasks continue behind a sync, gets a task when those that it waits for are over, if these are all
 * deeper.  It dispatches as many tasks as have room for their outputs: memory is bounded by the widths, and fl_talloc never fails.  In the
 * paper a kernel dispatches regardless, and a wavefront yields when there is no room.  A level whose kernel would get fewer than `least`
 * tasks, for want of room, comes after others of the same level.  `least` is a group, or what fl_predicate says of the node: the predicate of
 * section 3.1, which the paper has true for a wavefront's tasks.  What is left when no more can come goes whatever it says.
 *
 * fl_next works on a copy of the memory while no kernel runs: the host's scheduler, fl_execute, reads the channels' words between launches.  With another API
 * than OpenCL a loop around fl_next does the same.
 *
 * FIRMWARE, of Lockstep's control processor (lockstep_control.h), is the paper's scheduler: with the macro LOCKSTEP_FLOW_FIRMWARE, fl_serve is that, and
 *
 *     kernel void call(ulong told) { fl_task t = fl_told(told); ... }          consumes a node; fl_graph_ is the graph's memory
 *     kernel void serve(global void *graph, uint group, ...own...) { ...; fl_serve(graph, group); }
 *
 * It dispatches a wavefront for each `group` tasks, of deeper levels first, or as a node's predicate says, and for fewer where no more can come.  A wavefront that finds no room yields, and is restarted
 * when there is room, or nothing deeper is left.  With LOCKSTEP_FLOW_SPINS, too, it tries again and again instead.  fl_execute_firmware is the host's part.
 *
 * What a graph must keep to: a task's outputs are declared; none is shallower than
 * the task; all tasks of a level that wait for room get it when everything deeper is empty. */
#ifndef LOCKSTEP_FLOW_H
#define LOCKSTEP_FLOW_H

#include "lockstep_channels.h"

#define FL_NODES 16u /* of a graph, at most */
#define FL_OUTPUTS 4u /* of a kernel, at most */
#define FL_OWN 5u /* a kernel's arguments before its own */
#define FL_SYNC 1u /* a kernel's tasks wait for all that is deeper */

/* What a task puts in: at most `most` elements of `node`, `deeper` levels below its own. */
typedef struct fl_output_ {
	ch_uint_ node, deeper, most, not_used;
} fl_output_;

/* A channel node or stack, and the kernel node behind it.  Byte numbers count from the graph's memory. */
typedef struct fl_node_ {
	ch_ulong_ at, bytes; /* of the channel of level 0; of each level */
	ch_uint_ levels, width, done, stride, most;
	ch_uint_ flags, outputs, least; /* least: fl_predicate; 0: a group */
	fl_output_ output[FL_OUTPUTS];
} fl_node_;

/* The graph's memory begins with it. */
typedef struct fl_table_ {
	ch_uint_ nodes, levels;
	ch_ulong_ service; /* byte number of fl_service_ */
	fl_node_ node[FL_NODES];
} fl_table_;

/* The graph's memory ends with what firmware says, and what it keeps there: restart contexts of wavefronts that wait. */
#define FL_WAITS_ 16384u
typedef struct fl_service_ {
	ch_uint_ dispatches, yields, peak, not_used;
	ch_ulong_ tasks;
	struct {
		ch_ulong_ context;
		ch_uint_ next, own;
	} waits[FL_WAITS_];
} fl_service_;

#define FL_TABLE_(graph) ((CH_GLOBAL_ fl_table_ *)(graph))

/* The channel of a node at a level; deeper than the stack is, the thread traps; on the host, abort(). */
CH_FUNCTION_ ch_channel fl_channel(CH_GLOBAL_ void *graph, ch_uint_ node, ch_uint_ level)
{
	CH_GLOBAL_ const fl_node_ *n = &FL_TABLE_(graph)->node[node];
	ch_channel c;

	if (level >= n->levels)
		CH_FAULT_("a level deeper than the stack of the flow graph's node");
	c.memory = (CH_GLOBAL_ ch_byte_ *)graph + n->at + n->bytes * level;
	c.width = n->width;
	c.done = n->done;
	c.stride = n->stride;
	c.most = n->most;
	return c;
}

/* As ch_talloc, where the host has seen to room: else the thread traps, since more was put in than it declared. */
CH_FUNCTION_ ch_uint_ fl_talloc(const ch_channel *c, ch_uint_ count)
{
	ch_uint_ first = ch_talloc(c, count);

	if (first == CH_NONE)
		CH_FAULT_("more elements in a channel of the flow graph than the host declared");
	return first;
}

/* Tasks of a dispatch, as a kernel is told them. */
typedef struct fl_task {
	CH_GLOBAL_ void *graph;
	ch_uint_ node, level, offset, count;
} fl_task;

#if defined LOCKSTEP_FLOW_FIRMWARE && !defined CH_HOST_
#include <lockstep_control.h>

/* A 64-bit word has all of a dispatch but the graph's memory, which firmware puts here. */
#ifdef __OPENCL_C_VERSION__
static __global void *__global fl_graph_;
#else
static __device__ void *fl_graph_;
#endif
CH_FUNCTION_ fl_task fl_told(ch_ulong_ told)
{
	fl_task t;

	t.graph = fl_graph_;
	t.node = (ch_uint_)(told >> 56);
	t.level = (ch_uint_)(told >> 44) & 0xfff;
	t.count = (ch_uint_)(told >> 32) & 0xfff;
	t.offset = (ch_uint_)told;
	return t;
}

#ifdef LOCKSTEP_CHANNELS_WAVE /* they do */
#define FL_TOGETHER_() 0
#define FL_MEET_(lanes) ((void)(lanes))
#else
/* The lanes that are here together go on together, also where a lane is a warp to lockstep_channels.h. */
CH_FUNCTION_ ch_uint_ fl_together_(void)
{
	ch_uint_ lanes;
	__asm__ volatile("activemask.b32 %0;" : "=r"(lanes) : : "memory");
	return lanes;
}
#define FL_TOGETHER_() fl_together_()
#define FL_MEET_(lanes) __asm__ volatile("bar.warp.sync %0;" : : "r"(lanes) : "memory")
#endif

/* No room in the channel of `node` at `level`. */
CH_FUNCTION_ void fl_no_room_(const fl_task *t, ch_uint_ node, ch_uint_ level)
{
#ifndef LOCKSTEP_FLOW_SPINS
	__lockstep_yield((ch_ulong_)(t->node << 12 | t->level) << 32 | (node << 12 | level));
#endif
}
#else
#define FL_TOGETHER_() 0
#define FL_MEET_(lanes) ((void)(lanes))
/* The host has seen to room: more was put in than it declared. */
CH_FUNCTION_ void fl_no_room_(const fl_task *t, ch_uint_ node, ch_uint_ level)
{
	(void)t, (void)node, (void)level;
	CH_FAULT_("more elements in a channel of the flow graph than the host declared");
}
#endif

/* What is between the two is carried out once by each lane, when it has `count` elements of the channel c, from `first` on.  It enqueues them, so
 * that no lane keeps any while it, or another one of the warp, waits for room.  The channel is that of `node` at `level`. */
#define FL_PLACED_BEGIN(c, count, first)                                                                               \
	for (int waits_##first = 1; waits_##first;) {                                                                  \
		const ch_uint_ lanes_##first = FL_TOGETHER_();                                                         \
		const ch_uint_ first = ch_talloc(&(c), count);                                                         \
		if (first != CH_NONE) {
#define FL_PLACED_END(t, node, level, first)                                                                           \
			waits_##first = 0;                                                                             \
		}                                                                                                      \
		FL_MEET_(lanes_##first);                                                                               \
		if (waits_##first)                                                                                     \
			fl_no_room_(&(t), node, level);                                                                \
	}

/* The number of a word of the graph's memory, for a task that another one writes results into; and where it is. */
CH_FUNCTION_ ch_uint_ fl_word(CH_GLOBAL_ void *graph, CH_GLOBAL_ void *word)
{
	return (ch_uint_)(((CH_GLOBAL_ ch_byte_ *)word - (CH_GLOBAL_ ch_byte_ *)graph) / 4);
}
CH_FUNCTION_ CH_GLOBAL_ ch_uint_ *fl_word_at(CH_GLOBAL_ void *graph, ch_uint_ number)
{
	return (CH_GLOBAL_ ch_uint_ *)graph + number;
}

#if defined LOCKSTEP_FLOW_FIRMWARE && !defined CH_HOST_

/* ---- Firmware ----
 *
 * The one thread that dispatches: so heads of control arrays are its own until it returns.  It reads what kernels write by volatile loads,
 * which overlap, and a fence behind them. */
#define FL_CHANNELS_ 512u /* nodes times levels, at most */
#define FL_NOWHERE_ 0xffffffffu

typedef struct fl_server_ {
	CH_GLOBAL_ ch_byte_ *graph;
	CH_GLOBAL_ fl_service_ *service;
	ch_uint_ nodes, levels, deepest, group; /* deepest: that has had a task */
	ch_uint_ yielded, used, spare;          /* wavefronts; entries of service->waits: used at all, the first that is free */
	ch_uint_ dispatches, yields, peak;
	ch_ulong_ tasks;
	fl_node_ node[FL_NODES];
	/* Of each channel, by level and node. */
	ch_uint_ head[FL_CHANNELS_], tail[FL_CHANNELS_]; /* of the control array: dispatched; enqueued when last looked */
	ch_uint_ idle[FL_CHANNELS_];                     /* the head, when all that was dispatched was known to be over */
	ch_uint_ waits[FL_CHANNELS_];                    /* the first of the wavefronts that wait for room in it */
	ch_uint_ blocked[FL_CHANNELS_];                  /* how many of its own wavefronts wait for room elsewhere */
} fl_server_;

CH_FUNCTION_ void fl_fence_(void)
{
#ifdef __OPENCL_C_VERSION__
	atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device);
#else
	__threadfence();
#endif
}

/* Counters of Lockstep: a turn begins with 0, the freeing of elements with 1, work on wavefronts that have yielded with 2, all else with 3. */
#define FL_EVENT_(number) __asm__ volatile("pmevent " #number ";" : : : "memory")

CH_FUNCTION_ ch_uint_ fl_peek_(const CH_GLOBAL_ ch_uint_ *word) { return *(const volatile CH_GLOBAL_ ch_uint_ *)word; }
CH_FUNCTION_ ch_uint_ fl_index_(const fl_server_ *s, ch_uint_ node, ch_uint_ level) { return level * s->nodes + node; }
CH_FUNCTION_ int fl_is_sync_(const fl_server_ *s, ch_uint_ node) { return (s->node[node].flags & FL_SYNC) != 0; }

CH_FUNCTION_ ch_channel fl_served_(const fl_server_ *s, ch_uint_ node, ch_uint_ level)
{
	const fl_node_ *n = &s->node[node];
	ch_channel c;

	c.memory = s->graph + n->at + n->bytes * level;
	c.width = n->width;
	c.done = n->done;
	c.stride = n->stride;
	c.most = n->most;
	return c;
}

/* How far each channel is enqueued, from the shallowest on. */
CH_FUNCTION_ void fl_look_(fl_server_ *s)
{
	for (ch_uint_ level = 0; level < s->levels && level <= s->deepest + 1; level++)
		for (ch_uint_ k = 0; k < s->nodes; k++)
			if (level < s->node[k].levels) {
				ch_channel c = fl_served_(s, k, level);
				ch_uint_ tail = fl_peek_((CH_GLOBAL_ ch_uint_ *)CH_TAILS_(&c));
				s->tail[fl_index_(s, k, level)] = tail;
				if (tail != 0 && level > s->deepest)
					s->deepest = level;
			}
	fl_fence_();
}

/* How many of the elements that share a count are done. */
CH_FUNCTION_ ch_uint_ fl_done_of_(const ch_channel *c, ch_uint_ position)
{
	const ch_uint_ before = (position & c->width) != 0 ? c->done : 0;
	return (fl_peek_(ch_done_(c, position)) - before) & (2 * c->done - 1);
}

/* Frees what is done; whether all that was dispatched is.  Where much is left it does not look closely. */
CH_FUNCTION_ int fl_is_idle_(fl_server_ *s, ch_uint_ node, ch_uint_ level)
{
	const ch_uint_ i = fl_index_(s, node, level);
	ch_channel c;
	ch_uint_ head, end, left;

	if (s->idle[i] == s->head[i])
		return 1;
	FL_EVENT_(1);
	c = fl_served_(s, node, level);
	end = head = fl_peek_(CH_HEAD_(&c));
	while (end - head < c.width && fl_done_of_(&c, end) == c.done)
		end += c.done;
	if (s->tail[i] - head > s->peak)
		s->peak = s->tail[i] - head;
	if (end != head) {
		fl_fence_();
		ch_swap_acq_rel_(CH_HEAD_(&c), head, end);
	}
	FL_EVENT_(3);
	left = s->head[i] - end;
	if (left > 4 * c.done)
		return 0;
	for (ch_uint_ k = 0; left > 0 && k < 8 && k * c.done < c.width; k++)
		left -= fl_done_of_(&c, end + k * c.done);
	if (left == 0)
		s->idle[i] = s->head[i];
	return left == 0;
}

/* Of one wavefront. */
CH_FUNCTION_ void fl_send_(fl_server_ *s, ch_uint_ node, ch_uint_ level, ch_uint_ count)
{
	const ch_uint_ i = fl_index_(s, node, level);

	__lockstep_dispatch(
		node, 1, (ch_ulong_)node << 56 | (ch_ulong_)level << 44 | (ch_ulong_)count << 32 | s->head[i]);
	s->head[i] += count;
	s->tasks += count;
	s->dispatches++;
}

/* The predicate of section 3.1: whether so many tasks that are ready are to be dispatched.  For less than it wants a wavefront may be partly
 * filled, for more it waits, until no more can come. */
CH_FUNCTION_ int fl_wants_(const fl_server_ *s, ch_uint_ node, ch_uint_ ready) { return ready >= s->node[node].least; }

/* As many wavefronts as the predicate is true for, and find room. */
CH_FUNCTION_ int fl_send_full_(fl_server_ *s, ch_uint_ node, ch_uint_ level)
{
	const ch_uint_ i = fl_index_(s, node, level), before = s->head[i];
	ch_uint_ room;

	if (!fl_wants_(s, node, s->tail[i] - before))
		return 0;
	for (room = __lockstep_free_contexts(node); room > 0 && fl_wants_(s, node, s->tail[i] - s->head[i]); room--) {
		const ch_uint_ ready = s->tail[i] - s->head[i];
		fl_send_(s, node, level, ready < s->group ? ready : s->group);
	}
	return s->head[i] != before;
}

/* ---- Wavefronts that wait for room ---- */

CH_FUNCTION_ void fl_take_yielded_(fl_server_ *s)
{
	for (;;) {
		ch_ulong_ resource, context = __lockstep_take_restart();
		ch_uint_ at = s->spare, i, own;
		if (context == 0)
			break;
		FL_EVENT_(2);
		resource = *(const volatile CH_GLOBAL_ ch_ulong_ *)(CH_GLOBAL_ void *)context;
		i = fl_index_(s, (ch_uint_)(resource >> 12) & 0xff, (ch_uint_)resource & 0xfff);
		own = fl_index_(s, (ch_uint_)(resource >> 44) & 0xff, (ch_uint_)(resource >> 32) & 0xfff);
		if (at != FL_NOWHERE_)
			s->spare = s->service->waits[at].next;
		else if ((at = s->used++) == FL_WAITS_)
			CH_FAULT_("more warps yielded than the flow graph has room for");
		s->service->waits[at].context = context;
		s->service->waits[at].own = own;
		s->service->waits[at].next = s->waits[i];
		s->waits[i] = at;
		s->blocked[own]++;
		s->yielded++;
		s->yields++;
		FL_EVENT_(3);
	}
}

CH_FUNCTION_ void fl_restart_(fl_server_ *s, ch_uint_ i)
{
	const ch_uint_ at = s->waits[i];

	s->waits[i] = s->service->waits[at].next;
	s->blocked[s->service->waits[at].own]--;
	s->yielded--;
	__lockstep_restart(s->service->waits[at].context);
	s->service->waits[at].next = s->spare;
	s->spare = at;
}

/* Restarts those for which there is room, for all lanes, or for what half of the channel has. */
CH_FUNCTION_ int fl_restart_some_(fl_server_ *s)
{
	int any = 0;

	if (s->yielded == 0)
		return 0;
	for (ch_uint_ level = s->deepest + 2; s->yielded > 0 && level-- > 0;)
		for (ch_uint_ k = 0; k < s->nodes; k++) {
			const ch_uint_ i = fl_index_(s, k, level);
			ch_channel c;
			ch_uint_ room, want;
			if (level >= s->node[k].levels || s->waits[i] == FL_NOWHERE_)
				continue;
			fl_is_idle_(s, k, level);
			FL_EVENT_(2);
			c = fl_served_(s, k, level);
			want = s->group * c.most < c.width / 2 ? s->group * c.most : c.width / 2;
			room = c.width - (fl_peek_(CH_TAIL_(&c)) - fl_peek_(CH_HEAD_(&c)));
			for (; room >= want && s->waits[i] != FL_NOWHERE_; room -= want, any = 1)
				fl_restart_(s, i);
		}
	FL_EVENT_(3);
	return any;
}

/* ---- What comes next ---- */

/* Nothing that is at (level, node) or before it puts anything more in. */
CH_FUNCTION_ int fl_is_quiet_(fl_server_ *s, ch_uint_ node, ch_uint_ level)
{
	const ch_uint_ i = fl_index_(s, node, level);
	return (fl_is_sync_(s, node) || s->tail[i] == s->head[i]) && fl_is_idle_(s, node, level);
}

/* What is left of a level, fewer tasks than a wavefront has: when no more can come. */
CH_FUNCTION_ int fl_send_rest_(fl_server_ *s)
{
	for (ch_uint_ level = 0; level <= s->deepest && level < s->levels; level++)
		for (ch_uint_ k = 0; k < s->nodes; k++) {
			const ch_uint_ i = fl_index_(s, k, level);
			ch_channel c;
			ch_uint_ count;
			if (level >= s->node[k].levels)
				continue;
			c = fl_served_(s, k, level);
			if (!fl_is_sync_(s, k) && s->tail[i] != s->head[i] && s->blocked[i] == 0) {
				s->tail[i] = fl_peek_((CH_GLOBAL_ ch_uint_ *)CH_TAILS_(&c));
				count = s->tail[i] - s->head[i];
				fl_fence_();
				if (fl_wants_(s, k, count))
					return fl_send_full_(s, k, level);
				fl_send_(s, k, level, count < s->group ? count : s->group);
				return 1;
			}
			if (!fl_is_quiet_(s, k, level))
				return 0;
		}
	return 0;
}

/* Whether all that is deeper is over.  From the shallowest on, so that nothing gets behind the look.  Elements count from their reservation on:
 * one that is enqueued may be hidden behind another's place that is not filled yet, while the task that waits for it is already there to see. */
CH_FUNCTION_ int fl_is_drained_(fl_server_ *s, ch_uint_ level)
{
	for (level++; level < s->levels && level <= s->deepest + 1; level++)
		for (ch_uint_ k = 0; k < s->nodes; k++) {
			const ch_uint_ i = fl_index_(s, k, level);
			ch_channel c;
			if (level >= s->node[k].levels)
				continue;
			c = fl_served_(s, k, level);
			if (fl_peek_(CH_TAIL_(&c)) != s->head[i] || !fl_is_idle_(s, k, level))
				return 0;
			fl_fence_(); /* what is done here has been put in behind before */
		}
	return 1;
}

/* What waits for all that is deeper.  The last of a level goes when no more can come to it. */
CH_FUNCTION_ int fl_send_sync_(fl_server_ *s, ch_uint_ level)
{
	int quiet = 1, any = 0;

	if (!fl_is_drained_(s, level))
		return 0;
	for (ch_uint_ k = 0; k < s->nodes; k++) {
		const ch_uint_ i = fl_index_(s, k, level);
		if (level >= s->node[k].levels)
			continue;
		if (fl_is_sync_(s, k)) {
			any |= fl_send_full_(s, k, level);
			if (quiet && s->tail[i] != s->head[i] && !fl_wants_(s, k, s->tail[i] - s->head[i])) {
				const ch_uint_ left = s->tail[i] - s->head[i];
				fl_send_(s, k, level, left < s->group ? left : s->group);
				any = 1;
			}
			quiet = quiet && s->tail[i] == s->head[i];
		}
		quiet = quiet && fl_is_quiet_(s, k, level);
	}
	return any;
}

/* The deepest level with tasks: if these wait for what is deeper, they may go. */
CH_FUNCTION_ int fl_send_deepest_sync_(fl_server_ *s)
{
	for (ch_uint_ level = s->deepest + 1; level-- > 0;)
		for (ch_uint_ k = 0; k < s->nodes; k++) {
			const ch_uint_ i = fl_index_(s, k, level);
			if (level < s->node[k].levels && (s->tail[i] != s->head[i] || !fl_is_idle_(s, k, level)))
				return fl_send_sync_(s, level);
		}
	return 0;
}

CH_FUNCTION_ int fl_send_deeper_first_(fl_server_ *s)
{
	int any = 0;

	for (ch_uint_ level = s->deepest + 1; level-- > 0;)
		for (ch_uint_ k = 0; k < s->nodes; k++)
			if (level < s->node[k].levels && !fl_is_sync_(s, k) && s->blocked[fl_index_(s, k, level)] == 0)
				any |= fl_send_full_(s, k, level);
	return any;
}

/* No wavefront runs: the deepest of what is left goes on, whatever there is of it. */
CH_FUNCTION_ int fl_send_anything_(fl_server_ *s)
{
	fl_look_(s);
	for (ch_uint_ level = s->deepest + 2; level-- > 0;) {
		for (ch_uint_ sync = 0; sync < 2; sync++)
			for (ch_uint_ k = 0; k < s->nodes; k++) {
				const ch_uint_ i = fl_index_(s, k, level);
				ch_uint_ count;
				if (level >= s->node[k].levels || fl_is_sync_(s, k) != (int)sync || s->tail[i] == s->head[i])
					continue;
				count = s->tail[i] - s->head[i];
				fl_send_(s, k, level, count < s->group ? count : s->group);
				return 1;
			}
		for (ch_uint_ k = 0; k < s->nodes; k++)
			if (level < s->node[k].levels && s->waits[fl_index_(s, k, level)] != FL_NOWHERE_) {
				fl_is_idle_(s, k, level);
				fl_restart_(s, fl_index_(s, k, level));
				return 1;
			}
	}
	return 0;
}

CH_FUNCTION_ void fl_begin_(fl_server_ *s, CH_GLOBAL_ void *graph, ch_uint_ group)
{
	s->graph = (CH_GLOBAL_ ch_byte_ *)graph;
	s->service = (CH_GLOBAL_ fl_service_ *)(s->graph + FL_TABLE_(graph)->service);
	s->nodes = FL_TABLE_(graph)->nodes;
	s->levels = FL_TABLE_(graph)->levels;
	s->group = group;
	s->deepest = s->yielded = s->used = s->dispatches = s->yields = s->peak = 0;
	s->tasks = 0;
	s->spare = FL_NOWHERE_;
	if (s->nodes * s->levels > FL_CHANNELS_ || group == 0 || group > 0xfff)
		CH_FAULT_("a flow graph with too many channels, or a group of no tasks or too many");
	for (ch_uint_ k = 0; k < s->nodes; k++) {
		s->node[k] = FL_TABLE_(graph)->node[k];
		if (s->node[k].least == 0)
			s->node[k].least = group;
		for (ch_uint_ level = 0; level < s->levels; level++) {
			const ch_uint_ i = fl_index_(s, k, level);
			s->head[i] = s->tail[i] = s->blocked[i] = 0;
			if (level < s->node[k].levels) {
				ch_channel c = fl_served_(s, k, level);
				s->head[i] = fl_peek_(CH_CONTROL_HEAD_(&c));
				if (s->head[i] != 0)
					s->deepest = level;
			}
			s->idle[i] = s->head[i];
			s->waits[i] = FL_NOWHERE_;
		}
	}
	fl_graph_ = graph;
}

CH_FUNCTION_ void fl_end_(const fl_server_ *s)
{
	for (ch_uint_ k = 0; k < s->nodes; k++)
		for (ch_uint_ level = 0; level < s->node[k].levels; level++) {
			ch_channel c = fl_served_(s, k, level);
			*CH_CONTROL_HEAD_(&c) = s->head[fl_index_(s, k, level)];
		}
	s->service->dispatches = s->dispatches;
	s->service->yields = s->yields;
	s->service->peak = s->peak;
	s->service->tasks = s->tasks;
}

/* The scheduler: returns when no task is left that has room.  `group`: the work-items of a wavefront. */
CH_FUNCTION_ void fl_serve(CH_GLOBAL_ void *graph, ch_uint_ group)
{
	fl_server_ s;

	fl_begin_(&s, graph, group);
	for (int more = 1; more;) {
		int any;
		FL_EVENT_(0);
		fl_take_yielded_(&s);
		fl_look_(&s);
		any = fl_restart_some_(&s);
		any |= fl_send_deeper_first_(&s);
		any |= fl_send_rest_(&s);
		any |= fl_send_deepest_sync_(&s);
		if (!any && __lockstep_outstanding(LOCKSTEP_ALL_KERNELS) == s.yielded)
			more = fl_send_anything_(&s);
	}
	fl_end_(&s);
}

#endif

#ifdef CH_HOST_

/* ---- The host builds a graph ---- */

#include <string.h>

typedef struct fl_graph {
	fl_table_ table;
	void *kernel[FL_NODES];
	/* What fl_execute has done: launches; tasks, and what they fill of warps of as many lanes as a group has; the most elements that
	 * a channel held between two launches; wavefronts that yielded. */
	unsigned long launches, tasks, warps, peak, yields;
} fl_graph;

/* A new channel stack: its number.  As for CH_BYTES, but that `size` may be more than that of an element, so that elements are apart.
 * abort() if CH_FITS does not hold, or for more than FL_NODES. */
CH_FUNCTION_ ch_uint_ fl_stack(
	fl_graph *g, ch_uint_ levels, ch_uint_ width, ch_uint_ done, ch_uint_ size, ch_uint_ most)
{
	fl_table_ *t = &g->table;
	fl_node_ *n = &t->node[t->nodes];

	if (t->nodes == FL_NODES || levels == 0 || !CH_FITS(width, done, most))
		abort();
	n->levels = levels;
	n->width = width;
	n->done = done;
	n->stride = CH_STRIDE_(size);
	n->most = most;
	n->bytes = (CH_BYTES(width, done, size, most) + 127) / 128 * 128;
	n->at = (sizeof *t + 127) / 128 * 128;
	if (t->nodes > 0)
		n->at = n[-1].at + n[-1].bytes * n[-1].levels;
	if (levels > t->levels)
		t->levels = levels;
	return t->nodes++;
}

/* A new channel node. */
CH_FUNCTION_ ch_uint_ fl_node(fl_graph *g, ch_uint_ width, ch_uint_ done, ch_uint_ size, ch_uint_ most)
{
	return fl_stack(g, 1, width, done, size, most);
}

/* The kernel that consumes a node's tasks, a cl_kernel or what the caller's own loop takes. */
CH_FUNCTION_ void fl_kernel(fl_graph *g, ch_uint_ node, void *kernel, ch_uint_ flags)
{
	g->kernel[node] = kernel;
	g->table.node[node].flags = flags;
}

/* The predicate of a node (section 3.1): its tasks are dispatched when so many are ready, 1 or more; without, when they are a group.
 * For more than the channel's width, when no more can come. */
CH_FUNCTION_ void fl_predicate(fl_graph *g, ch_uint_ node, ch_uint_ least)
{
	if (node >= g->table.nodes || least == 0)
		abort();
	g->table.node[node].least = least;
}

/* A task of `node` puts at most `most` elements into `to`, `deeper` levels below its own.  Where `to` has no such level, none. */
CH_FUNCTION_ void fl_output(fl_graph *g, ch_uint_ node, ch_uint_ to, ch_uint_ deeper, ch_uint_ most)
{
	fl_node_ *n = &g->table.node[node];

	if (n->outputs == FL_OUTPUTS)
		abort();
	n->output[n->outputs].node = to;
	n->output[n->outputs].deeper = deeper;
	n->output[n->outputs++].most = most;
}

CH_FUNCTION_ size_t fl_bytes(const fl_graph *g)
{
	const fl_node_ *last = &g->table.node[g->table.nodes - 1];

	return (size_t)(last->at + last->bytes * last->levels) + sizeof(fl_service_);
}

/* `memory`: fl_bytes(g), zero, aligned for 64-bit words. */
CH_FUNCTION_ void fl_build(fl_graph *g, void *memory)
{
	g->table.service = fl_bytes(g) - sizeof(fl_service_);
	memcpy(memory, &g->table, sizeof g->table);
}

/* Puts in a task; the caller writes it.  NULL if there is no room. */
CH_FUNCTION_ void *fl_put(void *memory, ch_uint_ node, ch_uint_ level)
{
	ch_channel c = fl_channel(memory, node, level);
	ch_uint_ first = ch_talloc(&c, 1);

	if (first == CH_NONE)
		return NULL;
	ch_enq(&c, first, 1);
	return ch_at(&c, first);
}

/* ---- The scheduler ---- */

/* Tasks that a kernel is to consume. */
typedef struct fl_dispatch {
	ch_uint_ node, level, offset, count;
} fl_dispatch;

/* How many elements a channel holds that are not free. */
CH_FUNCTION_ ch_uint_ fl_held_(const ch_channel *c) { return *CH_TAIL_(c) - *CH_HEAD_(c); }

/* How many of `ready` tasks have room for all that they put in. */
CH_FUNCTION_ ch_uint_ fl_fitting_(void *memory, const fl_node_ *n, ch_uint_ level, ch_uint_ ready)
{
	for (ch_uint_ k = 0; k < n->outputs; k++) {
		const fl_output_ *o = &n->output[k];
		ch_channel c;
		if (level + o->deeper >= FL_TABLE_(memory)->node[o->node].levels)
			continue;
		c = fl_channel(memory, o->node, level + o->deeper);
		ch_reclaim(&c);
		if (ready > (c.width - fl_held_(&c)) / o->most)
			ready = (c.width - fl_held_(&c)) / o->most;
	}
	return ready;
}

/* Of one level: the first node with a full dispatch, that is all that is ready or `least`, else the first with any.  1 if there is one;
 * *blocked: there are tasks, and none has room.  `sync`: whether nodes that wait for what is deeper may have their turn. */
CH_FUNCTION_ int fl_of_level_(void *memory, ch_uint_ level, ch_uint_ least, int sync, fl_dispatch *d, int *blocked)
{
	const fl_table_ *t = FL_TABLE_(memory);

	d->count = 0;
	for (ch_uint_ k = 0; k < t->nodes; k++) {
		const ch_uint_ enough = t->node[k].least > 0 ? t->node[k].least : least;
		ch_uint_ ready, fitting;
		ch_channel c;
		if (level >= t->node[k].levels || (!sync && (t->node[k].flags & FL_SYNC)))
			continue;
		c = fl_channel(memory, k, level);
		ready = ch_ready(&c);
		fitting = ready > 0 ? fl_fitting_(memory, &t->node[k], level, ready) : 0;
		*blocked |= ready > 0 && fitting == 0;
		if (fitting == 0 || (d->count > 0 && fitting < ready && fitting < enough))
			continue;
		d->node = k;
		d->level = level;
		d->count = fitting;
		if (fitting == ready || fitting >= enough)
			break;
	}
	return d->count > 0;
}

/* What to dispatch next: 1, and it is taken off its channel; or 0: there is nothing, or nothing that has room. */
CH_FUNCTION_ int fl_next(void *memory, ch_uint_ least, fl_dispatch *d)
{
	int blocked = 0;

	for (ch_uint_ level = FL_TABLE_(memory)->levels; level-- > 0;)
		if (fl_of_level_(memory, level, least, !blocked, d, &blocked)) {
			ch_channel c = fl_channel(memory, d->node, level);
			return ch_dispatch(&c, d->count, d->count, &d->offset) > 0;
		}
	return 0;
}

/* How many tasks are ready in all channels: behind the last fl_next, those that have no room, or that no declared output led to. */
CH_FUNCTION_ unsigned long fl_left(void *memory)
{
	const fl_table_ *t = FL_TABLE_(memory);
	unsigned long left = 0;

	for (ch_uint_ k = 0; k < t->nodes; k++)
		for (ch_uint_ level = 0; level < t->node[k].levels; level++) {
			ch_channel c = fl_channel(memory, k, level);
			left += ch_ready(&c);
		}
	return left;
}

#ifdef CL_VERSION_1_2

/* ---- The host's scheduler with OpenCL ---- */

/* Tasks are left, since a channel is too narrow for one task, or since a kernel put something in that was not declared. */
#define FL_LEFT 1

/* Brings the words of a channel into the copy, and the counts of what is done: waits for all kernels. */
CH_FUNCTION_ cl_int fl_read_(fl_graph *g, void *memory, cl_command_queue queue, cl_mem buffer, ch_uint_ node, ch_uint_ level)
{
	const fl_node_ *n = &g->table.node[node];
	size_t at = (size_t)(n->at + n->bytes * level), counts = CH_COUNTS_AT_(n->width);
	size_t end = counts + 4 * (size_t)(n->width / n->done);
	char *copy = (char *)memory + at;
	cl_int status = clEnqueueReadBuffer(queue, buffer, CL_TRUE, at, CH_CONTROL_AT_, copy, 0, NULL, NULL);
	ch_channel c = fl_channel(memory, node, level);

	if (fl_held_(&c) > g->peak)
		g->peak = fl_held_(&c);
	if (status)
		return status;
	return clEnqueueReadBuffer(queue, buffer, CL_TRUE, at + counts, end - counts, copy + counts, 0, NULL, NULL);
}

/* Writes what the host has changed: which elements are free, which are taken. */
CH_FUNCTION_ cl_int fl_write_(fl_graph *g, void *memory, cl_command_queue queue, cl_mem buffer, ch_uint_ node, ch_uint_ level)
{
	const fl_node_ *n = &g->table.node[node];
	size_t at = (size_t)(n->at + n->bytes * level);
	ch_channel c = fl_channel(memory, node, level);
	size_t head = at + (size_t)((char *)CH_HEAD_(&c) - (char *)c.memory);
	size_t control = at + (size_t)((char *)CH_CONTROL_HEAD_(&c) - (char *)c.memory);
	cl_int status = clEnqueueWriteBuffer(queue, buffer, CL_TRUE, head, 4, (char *)memory + head, 0, NULL, NULL);

	if (status)
		return status;
	return clEnqueueWriteBuffer(queue, buffer, CL_TRUE, control, 4, (char *)memory + control, 0, NULL, NULL);
}

/* Does `what` with the channels that a dispatch has to do with. */
CH_FUNCTION_ cl_int fl_around_(
	cl_int (*what)(fl_graph *, void *, cl_command_queue, cl_mem, ch_uint_, ch_uint_), fl_graph *g, void *memory,
	cl_command_queue queue, cl_mem buffer, const fl_dispatch *d)
{
	const fl_node_ *n = &g->table.node[d->node];
	cl_int status = what(g, memory, queue, buffer, d->node, d->level);

	for (ch_uint_ k = 0; k < n->outputs && !status; k++) {
		const fl_output_ *o = &n->output[k];
		if (d->level + o->deeper < g->table.node[o->node].levels)
			status = what(g, memory, queue, buffer, o->node, d->level + o->deeper);
	}
	return status;
}

CH_FUNCTION_ cl_int fl_launch_(fl_graph *g, cl_command_queue queue, cl_mem buffer, size_t group, const fl_dispatch *d)
{
	cl_kernel kernel = (cl_kernel)g->kernel[d->node];
	const size_t threads = (d->count + group - 1) / group * group;
	const cl_uint numbers[FL_OWN - 1] = {d->node, d->level, d->offset, d->count};
	cl_int status = clSetKernelArg(kernel, 0, sizeof buffer, &buffer);

	for (cl_uint k = 0; k < FL_OWN - 1 && !status; k++)
		status = clSetKernelArg(kernel, k + 1, sizeof numbers[k], &numbers[k]);
	if (status)
		return status;
	g->launches++;
	g->tasks += d->count;
	g->warps += threads / group;
	return clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &threads, &group, 0, NULL, NULL);
}

/* Executes the graph until no task is left.  `memory` is a copy of the buffer, `queue` keeps order, `group` is the work-items of a group,
 * and what a dispatch should have at least.  0, FL_LEFT or OpenCL's error. */
CH_FUNCTION_ cl_int fl_execute(fl_graph *g, void *memory, cl_command_queue queue, cl_mem buffer, size_t group)
{
	cl_int status = 0;
	fl_dispatch d = {0, 0, 0, 0};

	while (!status && fl_next(memory, (ch_uint_)group, &d)) {
		status = fl_around_(fl_write_, g, memory, queue, buffer, &d);
		if (!status)
			status = fl_launch_(g, queue, buffer, group, &d);
		if (!status)
			status = fl_around_(fl_read_, g, memory, queue, buffer, &d);
	}
	for (ch_uint_ k = 0; k < g->table.nodes; k++)
		for (ch_uint_ level = 0; level < g->table.node[k].levels && !status; level++)
			status = fl_read_(g, memory, queue, buffer, k, level);
	return status ? status : fl_left(memory) > 0 ? FL_LEFT : 0;
}

#ifdef LOCKSTEP_CONTROL_H

/* Likewise by `firmware`, whose arguments from FL_FIRMWARE_OWN on are set, and which calls fl_serve; `enqueue` is the extension's function.  Of
 * g->launches and g->warps: calls of dispatch, of a wavefront each; g->peak is what firmware has seen enqueued and not freed. */
#define FL_FIRMWARE_OWN 2u
CH_FUNCTION_ cl_int fl_execute_firmware(fl_graph *g, void *memory, cl_command_queue queue, cl_mem buffer, size_t group,
	cl_kernel firmware, clEnqueueFirmwareLOCKSTEP_fn enqueue)
{
	const cl_uint lanes = (cl_uint)group;
	const fl_service_ *said = (const fl_service_ *)((char *)memory + g->table.service);
	cl_kernel kernels[FL_NODES];
	cl_int status = clSetKernelArg(firmware, 0, sizeof buffer, &buffer);

	for (ch_uint_ k = 0; k < g->table.nodes; k++)
		kernels[k] = (cl_kernel)g->kernel[k];
	if (!status)
		status = clSetKernelArg(firmware, 1, sizeof lanes, &lanes);
	if (!status)
		status = enqueue(queue, firmware, g->table.nodes, kernels, group, 0, NULL, NULL);
	if (!status)
		status = clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, fl_bytes(g), memory, 0, NULL, NULL);
	g->launches += said->dispatches;
	g->warps += said->dispatches;
	g->tasks += (unsigned long)said->tasks;
	g->yields += said->yields;
	if (said->peak > g->peak)
		g->peak = said->peak;
	return status ? status : fl_left(memory) > 0 ? FL_LEFT : 0;
}

#endif

#endif
#endif
#endif
