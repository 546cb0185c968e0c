/* Shortest paths from one vertex: those whose distance fell are the list of the next step (Bellman and Ford, with lists).  All steps are
 * one launch, with a barrier between work-groups behind each. */
#include "persistent_device.h"

#define FAR 0xffffffffu

/* Follows the edges of `vertex`.  A neighbour that comes nearer is listed once a step: `listed` is the last step that it is listed for. */
static void relax(global const uint *first, global const uint *to, global const uint *weight, global uint *distance, global uint *listed,
	uint vertex, uint step, local struct gather *found, global uint *next, global uint *count)
{
	uint here = load_relaxed(&distance[vertex]);

	for (uint k = first[vertex]; k < first[vertex + 1]; k++) {
		uint other = to[k], there = here + weight[k];
		if (load_relaxed(&distance[other]) <= there || atomic_min(&distance[other], there) <= there)
			continue;
		if (atomic_xchg(&listed[other], step + 1) != step + 1)
			list_add(found, next, count, other);
	}
}

/* distance: 0 of the source, else FAR; listed: 0.  lists: two of `vertices` words; the first has the source.  counts: 1, 0, 0, and the
 * number of steps, which the kernel writes. */
kernel void sssp(global uint *state, global uint *taking, global const uint *first, global const uint *to, global const uint *weight,
	global uint *distance, global uint *listed, global uint *lists, global uint *counts, uint vertices)
{
	local struct gather found;
	uint step, count;
	p_context p;

	if (!enter(&p, state, taking))
		return;
	list_begin(&found);
	for (step = 0; (count = counts[step % 3]) > 0; step++) {
		global uint *list = lists + step % 2 * vertices, *next = lists + (step + 1) % 2 * vertices;
		/* The number of the step before: all have read it before the last barrier, and none adds to it before the next. */
		if (p_get_global_id(&p) == 0)
			counts[(step + 2) % 3] = 0;
		for (uint at = p_get_group_id(&p) * get_local_size(0); at < count; at += p_get_global_size(&p)) {
			if (at + get_local_id(0) < count)
				relax(first, to, weight, distance, listed, list[at + get_local_id(0)], step, &found, next,
					&counts[(step + 1) % 3]);
			list_write(&found, next, &counts[(step + 1) % 3]);
		}
		p_barrier_xf(&p);
	}
	if (p_get_global_id(&p) == 0)
		counts[3] = step;
}
