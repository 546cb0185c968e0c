/* Cilk's sort as in cilk_sort.cl: a part launches its quarters, behind them the merges of two pairs of these, behind those that of the
 * halves. */
#include "../sort_device.h"
#include "device.h"

struct arrays {
	uint *values, *other;
	uint base, least; /* numbers that a thread sorts, and merges, alone */
};

/* The k-th of two merges, k being the task's number. */
extern "C" __global__ void merge(struct run *run, unsigned first, struct arrays a, struct merge one, struct merge two)
{
	const struct merge m = first + threadIdx.x ? two : one;
	const uint *from = m.back ? a.other : a.values;

	if (m.size1 + m.size2 <= a.least) {
		merge_alone(from, m.back ? a.values : a.other, m);
		return;
	}
	divide(from, m, &one, &two);
	SPAWN(2, merge, a, one, two);
	launched(run);
}

/* The pairs are merged. */
extern "C" __global__ void merge_halves(struct run *run, struct arrays a, struct part p)
{
	const uint middle = p.size / 4 * 2;
	const struct merge m = {p.low, middle, p.low + middle, p.size - middle, p.low, 1};

	SPAWN(1, merge, a, m, m);
	launched(run);
}

/* The quarters are sorted. */
extern "C" __global__ void merge_pairs(struct run *run, struct arrays a, struct part p)
{
	const uint quarter = p.size / 4, middle = p.low + 2 * quarter;
	const struct merge one = {p.low, quarter, p.low + quarter, quarter, p.low, 0};
	const struct merge two = {middle, quarter, middle + quarter, p.size - 3 * quarter, middle, 0};

	SPAWN(2, merge, a, one, two);
	BEHIND(merge_halves, a, p);
	launched(run);
}

/* The k-th quarter of a part, k being the task's number; `whole`: the part itself. */
extern "C" __global__ void sort(struct run *run, unsigned first, struct arrays a, struct part p, uint whole)
{
	if (!whole) {
		const uint k = first + threadIdx.x, quarter = p.size / 4;
		p.low += k * quarter;
		p.size = k < 3 ? quarter : p.size - 3 * quarter;
	}
	if (p.size <= a.base) {
		sort_alone(a.values + p.low, p.size);
		return;
	}
	SPAWN(4, sort, a, p, 0u);
	BEHIND(merge_pairs, a, p);
	launched(run);
}
