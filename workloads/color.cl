/* Colours for vertices, neighbours' different, by priorities (Jones and Plassmann; Pannotia's color_max).  In an iteration each vertex that comes
 * before all its neighbours without colour gets the iteration's number.  priority: all different, the greatest comes first. */
#include "steps_device.h"

/* ---- The steps of an iteration, for one vertex.  Without a colour it has 0; priorities are from 1 on ---- */

static void find_greatest_one(uint v, global const uint *first, global const uint *to, global const uint *priority, global const uint *colour,
	global uint *greatest)
{
	uint found = 0;
	if (colour[v])
		return;
	for (uint k = first[v]; k < first[v + 1]; k++)
		if (!colour[to[k]])
			found = max(found, priority[to[k]]);
	greatest[v] = found;
}

static void paint_one(uint v, global const uint *priority, global uint *colour, global const uint *greatest, global uint *flag, uint iteration)
{
	if (colour[v])
		return;
	if (priority[v] > greatest[v])
		colour[v] = iteration;
	else
		ask_for_another(flag, iteration);
}

/* ---- A launch a step ---- */

kernel void find_greatest(uint vertices, global const uint *first, global const uint *to, global const uint *priority, global const uint *colour,
	global uint *greatest)
{
	if (get_global_id(0) < vertices)
		find_greatest_one(get_global_id(0), first, to, priority, colour, greatest);
}

kernel void paint(uint vertices, global const uint *priority, global uint *colour, global const uint *greatest, global uint *flag, uint iteration)
{
	if (get_global_id(0) < vertices)
		paint_one(get_global_id(0), priority, colour, greatest, flag, iteration);
}

/* ---- One launch ---- */

kernel void portable(global uint *state, uint vertices, global const uint *first, global const uint *to, global const uint *priority,
	global uint *colour, global uint *greatest, global uint *flag)
{
	p_context p;
	uint iteration = 0;

	if (!p_discover(&p, state))
		return;
	do {
		iteration++;
		EACH(v)
			find_greatest_one(v, first, to, priority, colour, greatest);
		p_barrier_xf(&p);
		EACH(v)
			paint_one(v, priority, colour, greatest, flag, iteration);
		p_barrier_xf(&p);
	} while (asked(flag, iteration));
}
