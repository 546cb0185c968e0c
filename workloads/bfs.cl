/* Breadth-first search, a level at a time: the list of a level's vertices makes that of the next.  All levels are one launch, with a
 * barrier between work-groups behind each. */
#include "persistent_device.h"

#define UNSEEN 0xffffffffu

/* The neighbours of `vertex` that nobody has reached yet are reached by this thread. */
static void visit(global const uint *first, global const uint *to, global uint *level, uint vertex, uint depth, local struct gather *found,
	global uint *next, global uint *count)
{
	for (uint k = first[vertex]; k < first[vertex + 1]; k++) {
		uint other = to[k];
		if (load_relaxed(&level[other]) == UNSEEN && atomic_cmpxchg(&level[other], UNSEEN, depth + 1) == UNSEEN)
			list_add(found, next, count, other);
	}
}

/* level: 0 of the source, else UNSEEN.  lists: two of `vertices` words; the first has the source.  counts: 1, 0, 0, and the level that
 * has no vertex, which the kernel writes. */
kernel void bfs(global uint *state, global uint *taking, global const uint *first, global const uint *to, global uint *level,
	global uint *lists, global uint *counts, uint vertices)
{
	local struct gather found;
	uint depth, count;
	p_context p;

	if (!enter(&p, state, taking))
		return;
	list_begin(&found);
	for (depth = 0; (count = counts[depth % 3]) > 0; depth++) {
		global uint *list = lists + depth % 2 * vertices, *next = lists + (depth + 1) % 2 * vertices;
		/* The number of the level before: all have read it before the last barrier, and none adds to it before the next. */
		if (p_get_global_id(&p) == 0)
			counts[(depth + 2) % 3] = 0;
		for (uint at = p_get_group_id(&p) * get_local_size(0); at < count; at += p_get_global_size(&p)) {
			if (at + get_local_id(0) < count)
				visit(first, to, level, list[at + get_local_id(0)], depth, &found, next, &counts[(depth + 1) % 3]);
			list_write(&found, next, &counts[(depth + 1) % 3]);
		}
		p_barrier_xf(&p);
	}
	if (p_get_global_id(&p) == 0)
		counts[3] = depth;
}
