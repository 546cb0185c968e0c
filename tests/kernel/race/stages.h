/* Pipelines and barriers of one's own, each kind once: `order` true has all the orders that it needs, false lacks one
 * of them.  A kind is for four work-groups of 128 threads, all of which call it, and has memory of its own. */
#include "async.h"
#include "strong.h"

#define bar_sync(id) asm volatile("bar.sync %0, 128;" ::"n"(id) : "memory")
#define bar_arrive(id) asm volatile("bar.arrive %0, 128;" ::"n"(id) : "memory")

/* Each group hands tiles to the next through two slots.  Flags count the tiles that are there, and those that have been
 * taken, by which a slot is free again. */
template <bool order> static __device__ void groups_in_line(unsigned *w)
{
	unsigned me = blockIdx.x, t = threadIdx.x, *full = w, *taken = w + 4, *tile = w + 48 + me * 32, sum = 0;

	for (unsigned k = 0; k < 4; k++) {
		if (me > 0) {
			if (t == 0)
				while (acquire(&full[me - 1]) <= k)
					;
			__syncthreads();
			if (t < 16)
				sum = (tile - 32)[k % 2 * 16 + 15 - t];
			__syncthreads();
			if (t == 0)
				release(&taken[me - 1], k + 1);
		}
		if (me < 3) {
			if (t == 0)
				while (k - (order ? acquire(&taken[me]) : relaxed(&taken[me])) == 2)
					;
			__syncthreads();
			if (t < 16)
				tile[k % 2 * 16 + t] = sum + 1;
			__syncthreads();
			if (t == 0)
				release(&full[me], k + 1);
		}
	}
}

/* A ring of three stages in shared memory, from a warp to another; their first lanes look at the counts. */
template <bool order> static __device__ void ring_of_stages(unsigned *w)
{
	__shared__ unsigned full, taken, stage[3][32];
	unsigned lane = threadIdx.x % 64, sum = 0;

	if (threadIdx.x == 0)
		full = taken = 0;
	__syncthreads();
	for (unsigned k = 0; k < 7 && lane < 32; k++)
		if (threadIdx.x < 64) {
			if (lane == 0)
				while (k - (order ? acquire_cta(&taken) : relaxed_cta(&taken)) == 3)
					;
			sync_warp();
			stage[k % 3][lane] = k + lane;
			sync_warp();
			if (lane == 0)
				release_cta(&full, k + 1);
		} else {
			if (lane == 0)
				while (acquire_cta(&full) <= k)
					;
			sync_warp();
			sum += stage[k % 3][31 - lane];
			sync_warp();
			if (lane == 0)
				release_cta(&taken, k + 1);
		}
	if (lane < 32)
		w[blockIdx.x * 64 + threadIdx.x / 64 * 32 + lane] = sum;
	__syncthreads();
}

/* Two buffers and named barriers: half of the threads fill, and only arrive where the others wait. */
template <bool order> static __device__ void named_barriers(unsigned *w)
{
	__shared__ unsigned buffer[2][64];
	unsigned t = threadIdx.x % 64, sum;

	if (threadIdx.x < 64) {
		buffer[0][t] = t;
		bar_arrive(1);
		buffer[1][t] = t + 1;
		bar_arrive(2);
		if (order)
			bar_sync(4);
		else
			bar_arrive(4);
		buffer[0][t] = t + 2;
		bar_arrive(3);
	} else {
		bar_sync(1);
		sum = buffer[0][63 - t];
		bar_arrive(4);
		bar_sync(2);
		sum += buffer[1][63 - t];
		bar_sync(3);
		w[blockIdx.x * 64 + t] = sum + buffer[0][63 - t];
	}
	__syncthreads();
}

/* One barrier for each step: it takes two buffers. */
template <bool order> static __device__ void one_barrier_a_step(unsigned *w)
{
	__shared__ unsigned buffer[2][128];
	unsigned t = threadIdx.x, sum = 0;

	for (unsigned k = 0; k < 4; k++) {
		buffer[order ? k % 2 : 0][t] = k + t;
		__syncthreads();
		sum += buffer[order ? k % 2 : 0][t ^ 64];
	}
	if (t < 64)
		w[blockIdx.x * 64 + t] = sum;
	__syncthreads();
}

/* mbarriers for full and free stages, and no asynchronous copies: those that take arrive when they have read. */
template <bool order> static __device__ void objects(unsigned *w)
{
	__shared__ unsigned long long full[2], taken[2];
	__shared__ unsigned stage[2][64];
	unsigned t = threadIdx.x % 64, sum = 0;

	if (threadIdx.x < 2) {
		init(&full[threadIdx.x], 64);
		init(&taken[threadIdx.x], 64);
	}
	__syncthreads();
	for (unsigned k = 0; k < 5; k++) {
		unsigned s = k % 2, round = k / 2;

		if (threadIdx.x < 64) {
			if (round)
				wait_phase(&taken[s], (round - 1) & 1);
			stage[s][t] = k + t;
			arrive(&full[s]);
		} else {
			wait_phase(&full[s], round & 1);
			if (!order)
				arrive(&taken[s]);
			sum += stage[s][63 - t];
			if (order)
				arrive(&taken[s]);
		}
	}
	if (threadIdx.x >= 64)
		w[blockIdx.x * 64 + t] = sum;
	__syncthreads();
}

/* A barrier of four times 32 threads in two halves, with other work in between: what comes behind the first half is not
 * before what others do behind the second. */
template <bool order> static __device__ void two_halves(unsigned *w)
{
	__shared__ unsigned count, part[128];
	unsigned t = threadIdx.x, sum = 0;

	if (t == 0)
		count = 0;
	__syncthreads();
	for (unsigned k = 1; k < 5; k++) {
		if (order ? k & 1 : k == 1)
			part[t] = t + k;
		sync_warp();
		if (t % 32 == 0)
			add_release_cta(&count, 1);
		if (!order && k == 3)
			part[t] = t + k;
		w[blockIdx.x * 128 + t] = sum;
		if (t % 32 == 0)
			while (acquire_cta(&count) < 4 * k)
				;
		sync_warp();
		if (k & 1)
			sum += part[t ^ 64];
	}
	__syncthreads();
}

/* Lanes exchange values through shared memory.  That they shuffle, too, orders nothing. */
template <bool order> static __device__ void lanes(unsigned *w)
{
	__shared__ unsigned room[32];
	unsigned t = threadIdx.x, sum = t;

	if (t < 32) {
		room[t] = t;
		if (order)
			sync_warp();
		sum = __shfl_xor_sync(~0u, sum, 1);
		sum += room[t ^ 1];
		w[blockIdx.x * 32 + t] = sum;
	}
	__syncthreads();
}

/* One thread takes a number for all, until all have read it. */
template <bool order> static __device__ void number_for_all(unsigned *w)
{
	__shared__ unsigned item;
	unsigned t = threadIdx.x;

	for (unsigned k = 0; k < 3; k++) {
		if (t == 0)
			item = add(&w[0], 1);
		__syncthreads();
		if (t >= 64)
			w[16 + item * 16 + t % 16] = t % 16;
		if (order)
			__syncthreads();
	}
	__syncthreads();
}
