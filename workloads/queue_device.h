/* One queue of tasks in global memory, and the persistent work-groups that work it off (OpenCL C 2.0).
 *
 * A group takes as many tasks as it has work-items, as far as there are that many: one compare-and-swap of its first
 * work-item.  What these spawn is counted in local memory and goes behind the queue's end in one piece, by one
 * compare-and-swap and one addition.  So a group synchronises with others as seldom as a warp that uses channels.
 * Tasks of all kinds are in the one queue, and in one warp.
 *
 * A task that waits for others is a frame: the number of tasks that it waits for and what they return.  The last of
 * these finds out by queue_last, and puts the task behind the sync into the queue.  Frames are taken one after another
 * and not used again.
 *
 * A group that finds no task looks again until no task is outstanding, be it queued or in work.  It waits for a slot
 * only where another group is about to write or to read it, so any number of groups will do, resident or not.
 *
 * Before it includes this a program defines `struct task` and `struct frame`, all of whose members are of 32 bits.  Its
 * kernel is
 *
 *     local struct queue_group group;
 *     struct queue q = queue_open(memory, slots, frames);
 *     struct task task;
 *     while (queue_take(&q, &group, &task)) {
 *         struct want want = {0, 0};
 *         if (queue_mine(&group))
 *             want = ...           does the task's work; says how many tasks and frames it will put in
 *         struct place at = queue_reserve(&q, &group, want);
 *         if (at.tasks > 0)
 *             ...                  fills q.frames[at.frame], and puts tasks in: queue_put(&q, at.task + k, ...)
 *     }
 *     queue_leave(&q); */
#ifndef LOCKSTEP_WORKLOADS_QUEUE_DEVICE_H
#define LOCKSTEP_WORKLOADS_QUEUE_DEVICE_H

#include "queue_words.h"

struct queue {
	global uint *words; /* enum queue_word */
	global uint *turns; /* of slots: the position that it is free for, or that one plus 1 when it is filled */
	global struct task *tasks; /* slots */
	global struct frame *frames;
	uint size, frames_size;    /* slots, a power of two; frames */
	uint most, taken, batches; /* what this group has seen and done */
};

/* Of a work-group, in local memory. */
struct queue_group {
	uint count, first;  /* tasks taken, and their first position */
	uint tasks, frames; /* that its work-items want */
	uint first_task, first_frame, end;
};

/* How many tasks and frames a task puts in. */
struct want {
	uint tasks, frames;
};
/* Where: the first position, the first frame; `tasks` as in want, or 0 when there was no room. */
struct place {
	uint task, frame, tasks;
};

uint queue_load(global uint *word)
{
	return atomic_load_explicit((volatile global atomic_uint *)word, memory_order_relaxed, memory_scope_device);
}
uint queue_add(global uint *word, uint more)
{
	return atomic_fetch_add_explicit(
		(volatile global atomic_uint *)word, more, memory_order_relaxed, memory_scope_device);
}
bool queue_swap(global uint *word, uint old, uint new)
{
	return atomic_compare_exchange_strong_explicit((volatile global atomic_uint *)word, &old, new,
		memory_order_relaxed, memory_order_relaxed, memory_scope_device);
}
void queue_release(global uint *word, uint value)
{
	atomic_store_explicit((volatile global atomic_uint *)word, value, memory_order_release, memory_scope_device);
}
/* Waits until `word` is `value`, which another group is about to make it; behind it is what that has written. */
void queue_await(global uint *word, uint value)
{
	while (queue_load(word) != value)
		;
	atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire, memory_scope_device);
}

/* One of the tasks that `left` counts is over: 1 for the last one, which sees what the others have written. */
bool queue_last(global uint *left)
{
	return atomic_fetch_sub_explicit(
		       (volatile global atomic_uint *)left, 1, memory_order_acq_rel, memory_scope_device) == 1;
}

struct queue queue_open(global uint *memory, uint size, uint frames)
{
	struct queue q = {.words = memory, .size = size, .frames_size = frames};
	q.turns = memory + QUEUE_WORDS;
	q.tasks = (global struct task *)(q.turns + size);
	q.frames = (global struct frame *)(q.tasks + size);
	return q;
}

/* The first work-item's. */
void queue_claim(struct queue *q, local struct queue_group *g)
{
	const uint head = queue_load(&q->words[QUEUE_HEAD]);
	const int ready =
		(int)(queue_load(&q->words[QUEUE_TAIL]) - head); /* negative: the tail is older than the head */
	const uint take = (uint)clamp(ready, 0, (int)get_local_size(0));

	g->count = take > 0 && queue_swap(&q->words[QUEUE_HEAD], head, head + take) ? take : 0;
	g->first = head;
	g->tasks = g->frames = g->first_frame = 0;
	g->end =
		ready <= 0 && (queue_load(&q->words[QUEUE_OUTSTANDING]) == 0 || queue_load(&q->words[QUEUE_FULL]) != 0);
}

/* Whether this work-item has one of the group's tasks. */
bool queue_mine(const local struct queue_group *g)
{
	return get_local_id(0) < g->count;
}

/* Group.  0: it is to leave, since no task is outstanding or one found no room; else work-items below g->count have a
 * task. */
bool queue_take(struct queue *q, local struct queue_group *g, struct task *task)
{
	const uint me = get_local_id(0);

	for (bool found = false; !found;) {
		barrier(CLK_LOCAL_MEM_FENCE); /* all have read g */
		if (me == 0)
			queue_claim(q, g);
		barrier(CLK_LOCAL_MEM_FENCE);
		if (g->end)
			return false;
		found = g->count > 0;
	}
	if (queue_mine(g)) {
		const uint position = g->first + me, slot = position & (q->size - 1);
		queue_await(&q->turns[slot], position + 1);
		*task = q->tasks[slot];
		queue_release(&q->turns[slot], position + q->size);
	}
	q->taken += g->count;
	q->batches++;
	return true;
}

/* The first work-item's: room for what the group wants. */
void queue_grow(struct queue *q, local struct queue_group *g)
{
	uint tail = queue_load(&q->words[QUEUE_TAIL]), taken;

	/* Before anybody can see the new tasks, or outstanding might be 0 between. */
	if (g->tasks != g->count)
		queue_add(&q->words[QUEUE_OUTSTANDING], g->tasks - g->count);
	if (g->frames > 0)
		g->first_frame = queue_add(&q->words[QUEUE_FRAMES], g->frames);
	g->end = g->frames > 0 && g->first_frame + g->frames > q->frames_size;
	for (bool done = g->tasks == 0; !done && !g->end;) {
		taken = tail + g->tasks - queue_load(&q->words[QUEUE_HEAD]);
		g->end = taken > q->size && (int)taken > 0;
		done = !g->end && queue_swap(&q->words[QUEUE_TAIL], tail, tail + g->tasks);
		if (!done)
			tail = queue_load(&q->words[QUEUE_TAIL]);
		else
			q->most = max(q->most, taken);
	}
	g->first_task = tail;
	if (g->end)
		queue_release(&q->words[QUEUE_FULL], 1);
}

/* Group.  Places for what each of its work-items wants. */
struct place queue_reserve(struct queue *q, local struct queue_group *g, struct want want)
{
	struct place at = {0, 0, want.tasks};

	if (want.tasks > 0)
		at.task = atomic_add(&g->tasks, want.tasks);
	if (want.frames > 0)
		at.frame = atomic_add(&g->frames, want.frames);
	barrier(CLK_LOCAL_MEM_FENCE);
	if (get_local_id(0) == 0)
		queue_grow(q, g);
	barrier(CLK_LOCAL_MEM_FENCE);
	at.task += g->first_task;
	at.frame += g->first_frame;
	if (g->end)
		at.tasks = 0;
	return at;
}

/* A task into a place that the work-item has reserved. */
void queue_put(struct queue *q, uint position, struct task task)
{
	const uint slot = position & (q->size - 1);

	queue_await(&q->turns[slot], position);
	q->tasks[slot] = task;
	queue_release(&q->turns[slot], position + 1);
}

/* Group.  What it has done, for the host. */
void queue_leave(const struct queue *q)
{
	if (get_local_id(0) != 0 || q->batches == 0)
		return;
	queue_add(&q->words[QUEUE_TAKEN], q->taken);
	queue_add(&q->words[QUEUE_BATCHES], q->batches);
	atomic_fetch_max_explicit((volatile global atomic_uint *)&q->words[QUEUE_MOST], q->most, memory_order_relaxed,
		memory_scope_device);
}

#endif
