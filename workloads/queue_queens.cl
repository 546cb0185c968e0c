/* Queens on a board as in cilk_queens.cl: a board spawns one for each column of the next row where a queen can be, and leaves a frame, to
 * which these add; the one that does so last spawns the sum behind the sync. */
#include "board_device.h"

struct task {
	uint columns, left, right; /* as board_device.h says */
	uint frame;                /* to which its number of ways is added, or TOP; of a sum: its own */
	uint rows;                 /* that are left; SUM: it is a sum */
};
struct frame {
	uint ways, parent, left;
};
#define TOP 0xffffffffu
#define SUM 0xffffffffu

#include "queue_device.h"

/* Whether it was the last that the frame waits for. */
bool add(struct queue *q, uint frame, uint ways, global uint *top)
{
	if (ways > 0)
		atomic_add(frame == TOP ? top : &q->frames[frame].ways, ways);
	return frame != TOP && queue_last(&q->frames[frame].left);
}

kernel void work(global uint *memory, uint slots, uint frames, global uint *top, uint n, uint rows)
{
	local struct queue_group group;
	struct queue q = queue_open(memory, slots, frames);
	struct task task;

	while (queue_take(&q, &group, &task)) {
		struct want want = {0, 0};
		uint open = 0, frame = 0;
		if (queue_mine(&group)) {
			const bool sum = task.rows == SUM;
			frame = sum ? q.frames[task.frame].parent : task.frame;
			if (!sum && task.rows > rows)
				open = ((1u << n) - 1) & ~(task.columns | task.left | task.right);
			if (open != 0) {
				want = (struct want){popcount(open), 1};
			} else {
				uint ways = 0;
				if (sum)
					ways = q.frames[task.frame].ways;
				else if (task.rows <= rows)
					ways = board_search(task.columns, task.left, task.right, task.rows, n);
				want.tasks = add(&q, frame, ways, top);
			}
		}
		const struct place at = queue_reserve(&q, &group, want);
		if (at.tasks > 0 && open == 0) {
			queue_put(&q, at.task, (struct task){.frame = frame, .rows = SUM});
		} else if (at.tasks > 0) {
			q.frames[at.frame] = (struct frame){0, task.frame, at.tasks};
			for (uint to = at.task; open != 0; open &= open - 1, to++) {
				const uint bit = open & -open;
				queue_put(&q, to, (struct task){task.columns | bit, (task.left | bit) << 1, (task.right | bit) >> 1, at.frame, task.rows - 1});
			}
		}
	}
	queue_leave(&q);
}
