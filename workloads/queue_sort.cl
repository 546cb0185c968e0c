/* Cilk's sort as in cilk_sort.cl.  A part that is divided leaves a frame, in which it waits for its quarters, then for the merges of two
 * pairs of them, then for that of the halves; when these are over it is a task again, or over itself.  A merge that is divided
 * makes its frame wait for one more. */
#include "sort_device.h"

enum kind { SORT, PAIRS, HALVES, MERGES };
struct task {
	uint kind, frame;    /* of SORT and MERGES: the frame that waits for it, or TOP; else its own */
	struct merge merge;  /* of SORT: low1 and size1 are the part */
};
struct frame {
	uint low, size, parent, next, left; /* next: the kind that it is a task of then; SORT: it is over */
};
#define TOP 0xffffffffu

#include "queue_device.h"

/* Something that the frame waits for is over.  The frame that is a task again, or TOP. */
uint over(struct queue *q, uint frame)
{
	while (frame != TOP && queue_last(&q->frames[frame].left)) {
		if (q->frames[frame].next != SORT)
			return frame;
		frame = q->frames[frame].parent;
	}
	return TOP;
}

/* What a part or a merge that is small enough does. */
void alone(const struct task *t, global uint *values, global uint *other)
{
	if (t->kind == SORT)
		sort_alone(values + t->merge.low1, t->merge.size1);
	else
		merge_alone(t->merge.back ? other : values, t->merge.back ? values : other, t->merge);
}

bool is_small(const struct task *t, uint base, uint least)
{
	return t->kind == SORT ? t->merge.size1 <= base : t->kind == MERGES && t->merge.size1 + t->merge.size2 <= least;
}

struct task merge_of(uint frame, uint low, uint size1, uint size2, uint back)
{
	return (struct task){MERGES, frame, {low, size1, low + size1, size2, low, back}};
}

/* ---- What tasks that are not small put in ---- */

void spawn_quarters(struct queue *q, struct place at, const struct task *t)
{
	const uint low = t->merge.low1, size = t->merge.size1, quarter = size / 4;

	q->frames[at.frame] = (struct frame){low, size, t->frame, PAIRS, 4};
	for (uint k = 0; k < 4; k++)
		queue_put(q, at.task + k,
			(struct task){SORT, at.frame, {.low1 = low + k * quarter, .size1 = k < 3 ? quarter : size - 3 * quarter}});
}

void spawn_pairs(struct queue *q, struct place at, uint frame)
{
	global struct frame *f = &q->frames[frame];
	const uint quarter = f->size / 4;

	f->next = HALVES;
	f->left = 2;
	queue_put(q, at.task, merge_of(frame, f->low, quarter, quarter, 0));
	queue_put(q, at.task + 1, merge_of(frame, f->low + 2 * quarter, quarter, f->size - 3 * quarter, 0));
}

void spawn_halves(struct queue *q, struct place at, uint frame)
{
	global struct frame *f = &q->frames[frame];
	const uint middle = f->size / 4 * 2;

	f->next = SORT;
	f->left = 1;
	queue_put(q, at.task, merge_of(frame, f->low, middle, f->size - middle, 1));
}

void spawn_merges(struct queue *q, struct place at, const struct task *t, const global uint *from)
{
	struct task before = {MERGES, t->frame}, behind = before;

	divide(from, t->merge, &before.merge, &behind.merge);
	queue_add(&q->frames[t->frame].left, 1);
	queue_put(q, at.task, before);
	queue_put(q, at.task + 1, behind);
}

kernel void work(global uint *memory, uint slots, uint frames, global uint *values, global uint *other, uint base, uint least)
{
	const uint spawned[] = {[SORT] = 4, [PAIRS] = 2, [HALVES] = 1, [MERGES] = 2};
	local struct queue_group group;
	struct queue q = queue_open(memory, slots, frames);
	struct task task;

	while (queue_take(&q, &group, &task)) {
		struct want want = {0, 0};
		uint again = TOP; /* a frame that is a task again */
		if (queue_mine(&group) && is_small(&task, base, least)) {
			alone(&task, values, other);
			again = over(&q, task.frame);
			want.tasks = again != TOP;
		} else if (queue_mine(&group)) {
			want = (struct want){spawned[task.kind], task.kind == SORT};
		}
		const struct place at = queue_reserve(&q, &group, want);
		if (at.tasks == 0)
			continue;
		if (again != TOP)
			queue_put(&q, at.task, (struct task){q.frames[again].next, again});
		else if (task.kind == SORT)
			spawn_quarters(&q, at, &task);
		else if (task.kind == PAIRS)
			spawn_pairs(&q, at, task.frame);
		else if (task.kind == HALVES)
			spawn_halves(&q, at, task.frame);
		else
			spawn_merges(&q, at, &task, task.merge.back ? other : values);
	}
	queue_leave(&q);
}
