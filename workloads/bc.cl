/* Betweenness centrality by Brandes' algorithm (Pannotia's bc).  From each source: forwards, level by level, how far each vertex is and how
 * many shortest paths lead there; then backwards what share of the paths goes through it.  first, to: rows of edges that begin in a vertex. */
#include "steps_device.h"

#define UNSEEN 0xffffffffu

static uint level_of(global uint *level, uint v)
{
	return atomic_load_explicit((volatile global atomic_uint *)&level[v], memory_order_relaxed, memory_scope_device);
}

/* ---- The steps, for one vertex ---- */

static void begin_one(uint v, uint source, global uint *level, global uint *paths, global float *share)
{
	level[v] = v == source ? 0 : UNSEEN;
	paths[v] = v == source;
	share[v] = 0;
}

/* Several may find the same vertex: the stores are atomic, and all of one level. */
static void forward_one(uint v, uint depth, global const uint *first, global const uint *to, global uint *level, global uint *paths,
	global uint *flag, uint iteration)
{
	if (level_of(level, v) != depth)
		return;
	for (uint k = first[v]; k < first[v + 1]; k++) {
		uint w = to[k], there = level_of(level, w);
		if (there == UNSEEN) {
			atomic_store_explicit((volatile global atomic_uint *)&level[w], depth + 1, memory_order_relaxed, memory_scope_device);
			ask_for_another(flag, iteration);
		}
		if (there == UNSEEN || there == depth + 1)
			atomic_fetch_add_explicit((volatile global atomic_uint *)&paths[w], paths[v], memory_order_relaxed, memory_scope_device);
	}
}

static void backward_one(uint v, uint depth, global const uint *first, global const uint *to, global const uint *level, global const uint *paths,
	global float *share, global float *centrality)
{
	float sum = 0;
	if (level[v] != depth)
		return;
	for (uint k = first[v]; k < first[v + 1]; k++)
		if (level[to[k]] == depth + 1)
			sum += (float)paths[v] / (float)paths[to[k]] * (1 + share[to[k]]);
	share[v] = sum;
	centrality[v] += sum;
}

/* ---- A launch a step ---- */

kernel void begin(uint vertices, uint source, global uint *level, global uint *paths, global float *share)
{
	if (get_global_id(0) < vertices)
		begin_one(get_global_id(0), source, level, paths, share);
}

kernel void forward(uint vertices, uint depth, global const uint *first, global const uint *to, global uint *level, global uint *paths,
	global uint *flag, uint iteration)
{
	if (get_global_id(0) < vertices)
		forward_one(get_global_id(0), depth, first, to, level, paths, flag, iteration);
}

kernel void backward(uint vertices, uint depth, global const uint *first, global const uint *to, global const uint *level,
	global const uint *paths, global float *share, global float *centrality)
{
	if (get_global_id(0) < vertices)
		backward_one(get_global_id(0), depth, first, to, level, paths, share, centrality);
}

/* ---- One launch ---- */

/* The iterations of all sources are numbered on. */
kernel void portable(global uint *state, uint vertices, global const uint *sources, uint count, global const uint *first, global const uint *to,
	global uint *level, global uint *paths, global float *share, global float *centrality, global uint *flag)
{
	p_context p;
	uint iteration = 0;

	if (!p_discover(&p, state))
		return;
	for (uint k = 0; k < count; k++) {
		uint depth = 0;
		EACH(v)
			begin_one(v, sources[k], level, paths, share);
		p_barrier_xf(&p);
		do {
			iteration++;
			EACH(v)
				forward_one(v, depth, first, to, level, paths, flag, iteration);
			p_barrier_xf(&p);
			depth++;
		} while (asked(flag, iteration));
		for (uint d = depth - 1; d-- > 1;) { /* the last level has no share; level 0 is the source */
			EACH(v)
				backward_one(v, d, first, to, level, paths, share, centrality);
			p_barrier_xf(&p);
		}
	}
}
