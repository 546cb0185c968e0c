/* A maximal independent set by Luby's algorithm with priorities that stay (Pannotia's mis).  In an iteration a vertex that precedes all its
 * undecided neighbours joins, and its neighbours drop out.  priority: all different, the least comes first. */
#include "steps_device.h"

enum { UNDECIDED, IN, OUT };

/* ---- The steps of an iteration, for one vertex ---- */

static void find_least_one(uint v, global const uint *first, global const uint *to, global const uint *priority, global const uint *status,
	global uint *least)
{
	uint found = 0xffffffffu;
	if (status[v] != UNDECIDED)
		return;
	for (uint k = first[v]; k < first[v + 1]; k++)
		if (status[to[k]] == UNDECIDED)
			found = min(found, priority[to[k]]);
	least[v] = found;
}

/* Several may cover the same vertex: the stores are atomic, and all of 1. */
static void join_one(uint v, global const uint *first, global const uint *to, global const uint *priority, global uint *status,
	global const uint *least, global uint *covered)
{
	if (status[v] != UNDECIDED || priority[v] >= least[v])
		return;
	status[v] = IN;
	for (uint k = first[v]; k < first[v + 1]; k++)
		atomic_store_explicit((volatile global atomic_uint *)&covered[to[k]], 1, memory_order_relaxed, memory_scope_device);
}

static void drop_one(uint v, global uint *status, global const uint *covered, global uint *flag, uint iteration)
{
	if (status[v] != UNDECIDED)
		return;
	if (covered[v])
		status[v] = OUT;
	else
		ask_for_another(flag, iteration);
}

/* ---- A launch a step ---- */

kernel void find_least(uint vertices, global const uint *first, global const uint *to, global const uint *priority, global const uint *status,
	global uint *least)
{
	if (get_global_id(0) < vertices)
		find_least_one(get_global_id(0), first, to, priority, status, least);
}

kernel void join(uint vertices, global const uint *first, global const uint *to, global const uint *priority, global uint *status,
	global const uint *least, global uint *covered)
{
	if (get_global_id(0) < vertices)
		join_one(get_global_id(0), first, to, priority, status, least, covered);
}

kernel void drop(uint vertices, global uint *status, global const uint *covered, global uint *flag, uint iteration)
{
	if (get_global_id(0) < vertices)
		drop_one(get_global_id(0), status, covered, flag, iteration);
}

/* ---- One launch ---- */

kernel void portable(global uint *state, uint vertices, global const uint *first, global const uint *to, global const uint *priority,
	global uint *status, global uint *least, global uint *covered, global uint *flag)
{
	p_context p;
	uint iteration = 0;

	if (!p_discover(&p, state))
		return;
	do {
		iteration++;
		EACH(v)
			find_least_one(v, first, to, priority, status, least);
		p_barrier_xf(&p);
		EACH(v)
			join_one(v, first, to, priority, status, least, covered);
		p_barrier_xf(&p);
		EACH(v)
			drop_one(v, status, covered, flag, iteration);
		p_barrier_xf(&p);
	} while (asked(flag, iteration));
}
