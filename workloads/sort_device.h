/* What a work-item of the sorts does alone: of cilk_sort.cl, queue_sort.cl and dynamic/sort.cu. */
#ifndef LOCKSTEP_WORKLOADS_SORT_DEVICE_H
#define LOCKSTEP_WORKLOADS_SORT_DEVICE_H

#include "language_device.h"

struct part {
	uint low, size;
};
struct merge {
	uint low1, size1, low2, size2, to, back; /* back: from the other array into that of the values */
};

#define INSERTION 20 /* numbers that are sorted by insertion, as Cilk's example does */

FUNCTION void insert_all(__global uint *a, uint size)
{
	for (uint k = 1; k < size; k++) {
		uint value = a[k], at = k;
		for (; at > 0 && a[at - 1] > value; at--)
			a[at] = a[at - 1];
		a[at] = value;
	}
}

FUNCTION uint middle_of(uint x, uint y, uint z)
{
	return max(min(x, y), min(max(x, y), z));
}

/* Hoare's partition: how many numbers come before; none of them is greater than one of the others. */
FUNCTION uint partition(__global uint *a, uint size)
{
	const uint pivot = middle_of(a[0], a[size / 2], a[size - 1]);
	uint i = 0, j = size - 1;

	for (;;) {
		while (a[i] < pivot)
			i++;
		while (a[j] > pivot)
			j--;
		if (i >= j)
			return j + 1;
		uint value = a[i];
		a[i++] = a[j];
		a[j--] = value;
	}
}

/* Quicksort; the greater part waits, so that no more parts wait than sizes can be halved. */
FUNCTION void sort_alone(__global uint *a, uint size)
{
	struct part waits[16];
	uint waiting = 0, low = 0;

	for (;;) {
		if (size <= INSERTION) {
			insert_all(a + low, size);
			if (waiting == 0)
				return;
			waiting--;
			low = waits[waiting].low;
			size = waits[waiting].size;
		} else {
			uint before = partition(a + low, size);
			bool first = before < size - before;
			waits[waiting].low = first ? low + before : low;
			waits[waiting++].size = first ? size - before : before;
			low = first ? low : low + before;
			size = first ? before : size - before;
		}
	}
}

FUNCTION void merge_alone(const __global uint *from, __global uint *to, struct merge m)
{
	const uint end1 = m.low1 + m.size1, end2 = m.low2 + m.size2;

	for (uint k = m.to; k < m.to + m.size1 + m.size2; k++) {
		bool first = m.low2 == end2 || (m.low1 != end1 && from[m.low1] <= from[m.low2]);
		to[k] = from[first ? m.low1++ : m.low2++];
	}
}

/* Divides a merge at the middle of the longer part: what comes before it in the other, both ways. */
FUNCTION void divide(const __global uint *from, struct merge m, struct merge *before, struct merge *behind)
{
	const bool longer = m.size1 >= m.size2;
	const uint middle = (longer ? m.size1 : m.size2) / 2, low = longer ? m.low2 : m.low1;
	const uint value = from[(longer ? m.low1 : m.low2) + middle];
	uint least = 0, most = longer ? m.size2 : m.size1;

	while (least < most) {
		uint at = (least + most) / 2;
		if (from[low + at] < value)
			least = at + 1;
		else
			most = at;
	}
	const uint size1 = longer ? middle : least, size2 = longer ? least : middle;
	const struct merge one = {m.low1, size1, m.low2, size2, m.to, m.back};
	const struct merge two = {
		m.low1 + size1, m.size1 - size1, m.low2 + size2, m.size2 - size2, m.to + size1 + size2, m.back};
	*before = one;
	*behind = two;
}

#endif
