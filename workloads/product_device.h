/* What a task of cilk_strassen.cl, queue_strassen.cl and dynamic/strassen.cu does: a pair of blocks is divided, or
 * multiplied. */
#ifndef LOCKSTEP_WORKLOADS_PRODUCT_DEVICE_H
#define LOCKSTEP_WORKLOADS_PRODUCT_DEVICE_H

#include "language_device.h"

/* The block of A in row `row` and column `middle` of blocks, and that of B in row `middle` and column `column`. */
struct pair {
	uint row, column, middle;
};

/* Of the eight pairs of half the side. */
FUNCTION struct pair part_of(struct pair p, uint k)
{
	const struct pair part = {2 * p.row + (k >> 2), 2 * p.column + (k >> 1 & 1), 2 * p.middle + (k & 1)};
	return part;
}

/* A work-item's own product: blocks of side `base`. */
FUNCTION void product(
	struct pair p, const __global uint *a, const __global uint *b, __global uint *c, uint side, uint base)
{
	a += (p.row * side + p.middle) * base;
	b += (p.middle * side + p.column) * base;
	c += (p.row * side + p.column) * base;
	for (uint i = 0; i < base; i++)
		for (uint j = 0; j < base; j++) {
			uint sum = 0;
			for (uint k = 0; k < base; k++)
				sum += a[i * side + k] * b[k * side + j];
			ATOMIC_ADD(&c[i * side + j], sum);
		}
}

#endif
