/* C += A * B by blocks as in cilk_strassen.cl.  A task is a pair of blocks: that of A in row `row` and column `middle` of blocks, and that
 * of B in row `middle` and column `column`.  Products are added up by atomic operations, so that nothing waits. */
#include "product_device.h"

struct task {
	uint row, column, middle, side; /* side: of the blocks */
};
struct frame {
	uint not_used;
};

#include "queue_device.h"

kernel void work(global uint *memory, uint slots, uint frames, const global uint *a, const global uint *b, global uint *c, uint side,
	uint base)
{
	local struct queue_group group;
	struct queue q = queue_open(memory, slots, frames);
	struct task t;

	while (queue_take(&q, &group, &t)) {
		struct want want = {0, 0};
		if (queue_mine(&group)) {
			if (t.side <= base)
				product((struct pair){t.row, t.column, t.middle}, a, b, c, side, t.side);
			else
				want.tasks = 8;
		}
		const struct place at = queue_reserve(&q, &group, want);
		for (uint k = 0; k < at.tasks; k++) {
			const struct pair p = part_of((struct pair){t.row, t.column, t.middle}, k);
			queue_put(&q, at.task + k, (struct task){p.row, p.column, p.middle, t.side / 2});
		}
	}
	queue_leave(&q);
}
