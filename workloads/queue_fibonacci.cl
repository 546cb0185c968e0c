/* Fibonacci numbers as in cilk_fibonacci.cl: a call spawns two calls and leaves a frame, into which these two put what they return; the
 * one that does so last spawns the sum behind the sync. */

struct task {
	uint n, result; /* the call of n; 0: the sum of frame `result`.  result: where it goes, word 0 or 1 of a frame, or TOP */
};
struct frame {
	uint x[2], result, left;
};
#define TOP 0xffffffffu

#include "queue_device.h"

/* What is returned; whether it was the last that the frame waits for. */
bool give(struct queue *q, uint result, uint value, global uint *top)
{
	if (result == TOP) {
		*top = value;
		return false;
	}
	q->frames[result / 2].x[result % 2] = value;
	return queue_last(&q->frames[result / 2].left);
}

kernel void work(global uint *memory, uint slots, uint frames, global uint *top)
{
	local struct queue_group group;
	struct queue q = queue_open(memory, slots, frames);
	struct task task;

	while (queue_take(&q, &group, &task)) {
		struct want want = {0, 0};
		uint sum = 0;
		if (queue_mine(&group)) {
			if (task.n > 2) {
				want = (struct want){2, 1};
			} else {
				const global struct frame *f = &q.frames[task.result];
				const uint value = task.n > 0 ? 1 : f->x[0] + f->x[1];
				const uint result = task.n > 0 ? task.result : f->result;
				want.tasks = give(&q, result, value, top);
				sum = result / 2;
			}
		}
		const struct place at = queue_reserve(&q, &group, want);
		if (at.tasks == 2) {
			q.frames[at.frame].result = task.result;
			q.frames[at.frame].left = 2;
			queue_put(&q, at.task, (struct task){task.n - 1, 2 * at.frame});
			queue_put(&q, at.task + 1, (struct task){task.n - 2, 2 * at.frame + 1});
		} else if (at.tasks == 1) {
			queue_put(&q, at.task, (struct task){0, sum});
		}
	}
	queue_leave(&q);
}
