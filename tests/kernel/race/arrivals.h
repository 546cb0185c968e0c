/* Threads count themselves in by relaxed atomics, and the last one lets the others go on by a second word.  `order`
 * true has all fences; false lacks the one of the last between the two, so that those that are let go on have learnt of
 * the last alone, and of those that came before themselves.  Of three at least one lacks another's mark. */
#include "strong.h"

/* Work-groups, which count by additions. */
template <bool order> static __device__ void doors(unsigned *w)
{
	unsigned *count = w, *door = w + 8, *mark = w + 16, *seen = w + 24, sum = 0;

	if (threadIdx.x)
		return;
	mark[blockIdx.x] = 5;
	__threadfence();
	if (add(count, 1) == gridDim.x - 1) {
		if (order)
			__threadfence();
		exchange_relaxed(door, 1);
		return;
	}
	while (relaxed(door) == 0)
		;
	__threadfence();
	for (unsigned k = 0; k < gridDim.x; k++)
		sum += mark[k];
	seen[blockIdx.x] = sum;
}

/* Likewise by compare-and-swaps. */
template <bool order> static __device__ void turnstiles(unsigned *w)
{
	unsigned *count = w, *door = w + 8, *mark = w + 16, *seen = w + 24, sum = 0, before = 0, found;

	if (threadIdx.x)
		return;
	mark[blockIdx.x] = 5;
	__threadfence();
	while ((found = swap(count, before, before + 1)) != before)
		before = found;
	if (before == gridDim.x - 1) {
		if (order)
			__threadfence();
		set(door, 1);
		return;
	}
	while (relaxed(door) == 0)
		;
	__threadfence();
	for (unsigned k = 0; k < gridDim.x; k++)
		sum += mark[k];
	seen[blockIdx.x] = sum;
}

/* The mark comes after the flag, which an atomic without a result sets, and only then a fence. */
template <bool order> static __device__ void late(unsigned *w)
{
	unsigned *flag = w, *mark = w + 8;

	if (threadIdx.x)
		return;
	if (blockIdx.x == 0) {
		if (order) {
			*mark = 7;
			__threadfence();
		}
		atomicAdd(flag, 1);
		if (!order)
			*mark = 7;
		__threadfence();
	} else if (blockIdx.x == 1) {
		while (relaxed(flag) == 0)
			;
		__threadfence();
		w[16] = *mark;
	}
}
