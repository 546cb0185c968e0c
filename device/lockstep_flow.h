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
 *         if (get_global_id(0) < count) {
 *             ch_channel c = fl_channel(graph, node, level);
 *             uint element = ch_deq(&c, offset + get_global_id(0));
 *             ... *(global struct call *)ch_at(&c, element) ...
 *             ch_tfree(&c, element);
 *             c = fl_channel(graph, node, level + 1);
 *             uint first = fl_talloc(&c, 2); ... ch_enq(&c, first, 2);
 *         }
 *     }
 *
 * THE SCHEDULER, fl_next, is the paper's for Cilk (section 5): it takes tasks of the deepest level that has some, of its nodes in the order in which they were
 * made.  So a node with FL_SYNC, whose tasks continue behind a sync, gets a task when those that it waits for are over, if these are all
 * deeper.  It dispatches as many tasks as have room for their outputs: memory is bounded by the widths, and fl_talloc never fails.  In the
 * paper a kernel dispatches regardless, and a wavefront yields when there is no room.  A level whose kernel would get fewer than `least`
 * tasks, for want of room, comes after others of the same level: the predicate of section 3.1.
 *
 * fl_next works on a copy of the memory while no kernel runs: the host's scheduler, fl_execute, reads the channels' words between launches.  With another API
 * than OpenCL a loop around fl_next does the same.  What a graph must keep to: a task's outputs are declared; none is shallower than
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
	ch_uint_ flags, outputs, not_used;
	fl_output_ output[FL_OUTPUTS];
} fl_node_;

/* The graph's memory begins with it. */
typedef struct fl_table_ {
	ch_uint_ nodes, levels, not_used[2];
	fl_node_ node[FL_NODES];
} fl_table_;

#define FL_TABLE_(graph) ((CH_GLOBAL_ fl_table_ *)(graph))

/* The channel of a node at a level; deeper than the stack is, the thread traps; on the host, abort(). */
CH_FUNCTION_ ch_channel fl_channel(CH_GLOBAL_ void *graph, ch_uint_ node, ch_uint_ level)
{
	CH_GLOBAL_ const fl_node_ *n = &FL_TABLE_(graph)->node[node];
	ch_channel c;

	if (level >= n->levels)
		CH_FAULT_();
	c.memory = (CH_GLOBAL_ ch_byte_ *)graph + n->at + n->bytes * level;
	c.width = n->width;
	c.done = n->done;
	c.stride = n->stride;
	c.most = n->most;
	return c;
}

/* As ch_talloc, where there is room: else the thread traps, since more was put in than the host declared. */
CH_FUNCTION_ ch_uint_ fl_talloc(const ch_channel *c, ch_uint_ count)
{
	ch_uint_ first = ch_talloc(c, count);

	if (first == CH_NONE)
		CH_FAULT_();
	return first;
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

#ifdef CH_HOST_

/* ---- The host builds a graph ---- */

#include <string.h>

typedef struct fl_graph {
	fl_table_ table;
	void *kernel[FL_NODES];
	/* What fl_execute has done: launches; tasks, and what they fill of warps of as many lanes as a group has; the most elements that
	 * a channel held between two launches. */
	unsigned long launches, tasks, warps, peak;
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

	return (size_t)(last->at + last->bytes * last->levels);
}

/* `memory`: fl_bytes(g), zero, aligned for 64-bit words. */
CH_FUNCTION_ void fl_build(const fl_graph *g, void *memory) { memcpy(memory, &g->table, sizeof g->table); }

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
		ch_uint_ ready, fitting;
		ch_channel c;
		if (level >= t->node[k].levels || (!sync && (t->node[k].flags & FL_SYNC)))
			continue;
		c = fl_channel(memory, k, level);
		ready = ch_ready(&c);
		fitting = ready > 0 ? fl_fitting_(memory, &t->node[k], level, ready) : 0;
		*blocked |= ready > 0 && fitting == 0;
		if (fitting == 0 || (d->count > 0 && fitting < ready && fitting < least))
			continue;
		d->node = k;
		d->level = level;
		d->count = fitting;
		if (fitting == ready || fitting >= least)
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

#endif
#endif
#endif
