/* Shortest paths from one vertex, as products of a matrix and a vector with minimum and sum in place of sum and product
 * (Pannotia's sssp): in an iteration each vertex takes the least over its incoming edges, until no distance changes.  first, from, weight: the
 * rows of edges that end in a vertex. */
#include "steps_device.h"

#define INFINITE 0xffffffffu

/* ---- The steps of an iteration, for one vertex ---- */

static void relax_one(uint v, global const uint *first, global const uint *from, global const uint *weight, global const uint *distance,
	global uint *next)
{
	uint least = distance[v];
	for (uint k = first[v]; k < first[v + 1]; k++)
		least = min(least, add_sat(distance[from[k]], weight[k]));
	next[v] = least;
}

static void compare_one(uint v, global const uint *distance, global const uint *next, global uint *flag, uint iteration)
{
	if (next[v] != distance[v])
		ask_for_another(flag, iteration);
}

static void keep_one(uint v, global uint *distance, global const uint *next)
{
	distance[v] = next[v];
}

/* ---- A launch a step ---- */

kernel void relax(uint vertices, global const uint *first, global const uint *from, global const uint *weight, global const uint *distance,
	global uint *next)
{
	if (get_global_id(0) < vertices)
		relax_one(get_global_id(0), first, from, weight, distance, next);
}

kernel void compare(uint vertices, global const uint *distance, global const uint *next, global uint *flag, uint iteration)
{
	if (get_global_id(0) < vertices)
		compare_one(get_global_id(0), distance, next, flag, iteration);
}

kernel void keep(uint vertices, global uint *distance, global const uint *next)
{
	if (get_global_id(0) < vertices)
		keep_one(get_global_id(0), distance, next);
}

/* ---- One launch ---- */

kernel void portable(global uint *state, uint vertices, global const uint *first, global const uint *from, global const uint *weight,
	global uint *distance, global uint *next, global uint *flag)
{
	p_context p;
	uint iteration = 0;

	if (!p_discover(&p, state))
		return;
	do {
		iteration++;
		EACH(v)
			relax_one(v, first, from, weight, distance, next);
		p_barrier_xf(&p);
		EACH(v)
			compare_one(v, distance, next, flag, iteration);
		p_barrier_xf(&p);
		EACH(v)
			keep_one(v, distance, next);
		p_barrier_xf(&p);
	} while (asked(flag, iteration));
}
