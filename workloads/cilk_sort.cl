/* Cilk's sort (paper 5, 7.1): four quarters are sorted, two pairs of them merged into another array, and the two halves there merged back. */
#include <lockstep_flow.h>

#include "sort_device.h"

/* ---- Tasks ---- */

#define PART(c, element) (*(global struct part *)ch_at(c, element))
#define MERGE(c, element) (*(global struct merge *)ch_at(c, element))

void sort_task(fl_task t, uint pairs, global uint *values, uint base)
{
	if (get_global_id(0) >= t.count)
		return;
	ch_channel c = fl_channel(t.graph, t.node, t.level);
	const uint element = ch_deq(&c, t.offset + get_global_id(0));
	const struct part p = PART(&c, element);
	if (p.size <= base) {
		sort_alone(values + p.low, p.size);
	} else {
		ch_channel below = fl_channel(t.graph, t.node, t.level + 1), here = fl_channel(t.graph, pairs, t.level);
		const uint quarter = p.size / 4;
		FL_PLACED_BEGIN(here, 1, behind)
			PART(&here, behind) = p;
			FL_PLACED_BEGIN(below, 4, first)
				for (uint k = 0; k < 4; k++)
					PART(&below, first + k) =
						(struct part){p.low + k * quarter, k < 3 ? quarter : p.size - 3 * quarter};
				ch_enq(&below, first, 4);
			FL_PLACED_END(t, t.node, t.level + 1, first)
			ch_enq(&here, behind, 1);
		FL_PLACED_END(t, pairs, t.level, behind)
	}
	ch_tfree(&c, element);
}

/* The quarters are sorted. */
void pairs_task(fl_task t, uint merges, uint halves)
{
	if (get_global_id(0) >= t.count)
		return;
	ch_channel c = fl_channel(t.graph, t.node, t.level), here = fl_channel(t.graph, halves, t.level);
	ch_channel below = fl_channel(t.graph, merges, t.level + 1);
	const uint element = ch_deq(&c, t.offset + get_global_id(0));
	const struct part p = PART(&c, element);
	const uint quarter = p.size / 4, middle = p.low + 2 * quarter;
	FL_PLACED_BEGIN(here, 1, behind)
		PART(&here, behind) = p;
		FL_PLACED_BEGIN(below, 2, first)
			MERGE(&below, first) = (struct merge){p.low, quarter, p.low + quarter, quarter, p.low, 0};
			MERGE(&below, first + 1) =
				(struct merge){middle, quarter, middle + quarter, p.size - 3 * quarter, middle, 0};
			ch_enq(&below, first, 2);
		FL_PLACED_END(t, merges, t.level + 1, first)
		ch_enq(&here, behind, 1);
	FL_PLACED_END(t, halves, t.level, behind)
	ch_tfree(&c, element);
}

/* The pairs are merged. */
void halves_task(fl_task t, uint merges)
{
	if (get_global_id(0) >= t.count)
		return;
	ch_channel c = fl_channel(t.graph, t.node, t.level), below = fl_channel(t.graph, merges, t.level + 1);
	const uint element = ch_deq(&c, t.offset + get_global_id(0));
	const struct part p = PART(&c, element);
	const uint middle = p.size / 4 * 2;
	FL_PLACED_BEGIN(below, 1, first)
		MERGE(&below, first) = (struct merge){p.low, middle, p.low + middle, p.size - middle, p.low, 1};
		ch_enq(&below, first, 1);
	FL_PLACED_END(t, merges, t.level + 1, first)
	ch_tfree(&c, element);
}

void merge_task(fl_task t, global uint *values, global uint *other, uint least)
{
	if (get_global_id(0) >= t.count)
		return;
	ch_channel c = fl_channel(t.graph, t.node, t.level);
	const uint element = ch_deq(&c, t.offset + get_global_id(0));
	const struct merge m = MERGE(&c, element);
	const global uint *from = m.back ? other : values;
	if (m.size1 + m.size2 <= least) {
		merge_alone(from, m.back ? values : other, m);
	} else {
		ch_channel below = fl_channel(t.graph, t.node, t.level + 1);
		struct merge before, behind;
		divide(from, m, &before, &behind);
		FL_PLACED_BEGIN(below, 2, first)
			MERGE(&below, first) = before;
			MERGE(&below, first + 1) = behind;
			ch_enq(&below, first, 2);
		FL_PLACED_END(t, t.node, t.level + 1, first)
	}
	ch_tfree(&c, element);
}

/* ---- Kernels ---- */

#ifdef LOCKSTEP_FLOW_FIRMWARE
global struct {
	global uint *values, *other;
	uint pairs, halves, merges, base, least;
} own;

kernel void sort(ulong told) { sort_task(fl_told(told), own.pairs, own.values, own.base); }
kernel void merge_pairs(ulong told) { pairs_task(fl_told(told), own.merges, own.halves); }
kernel void merge_halves(ulong told) { halves_task(fl_told(told), own.merges); }
kernel void merge(ulong told) { merge_task(fl_told(told), own.values, own.other, own.least); }

kernel void schedule(global void *graph, uint group, uint pairs, uint halves, uint merges, global uint *values, global uint *other,
	uint base, uint least)
{
	own.pairs = pairs;
	own.halves = halves;
	own.merges = merges;
	own.values = values;
	own.other = other;
	own.base = base;
	own.least = least;
	fl_serve(graph, group);
}
#else
kernel void sort(global void *graph, uint node, uint level, uint offset, uint count, uint pairs, global uint *values, uint base)
{
	sort_task((fl_task){graph, node, level, offset, count}, pairs, values, base);
}
kernel void merge_pairs(global void *graph, uint node, uint level, uint offset, uint count, uint merges, uint halves)
{
	pairs_task((fl_task){graph, node, level, offset, count}, merges, halves);
}
kernel void merge_halves(global void *graph, uint node, uint level, uint offset, uint count, uint merges)
{
	halves_task((fl_task){graph, node, level, offset, count}, merges);
}
kernel void merge(global void *graph, uint node, uint level, uint offset, uint count, global uint *values, global uint *other, uint least)
{
	merge_task((fl_task){graph, node, level, offset, count}, values, other, least);
}
#endif
