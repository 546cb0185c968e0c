/* How libraries hand work from group to group, and warps of a group to each other: each kind once.  `order` true has
 * all the orders that it needs, false lacks one of them.  A kind is for four work-groups of 128 threads, all of which
 * call it, and has memory of its own. */
#include "strong.h"

static __device__ inline void bar_three(void)
{
	asm volatile("bar.sync 1, 96;" ::: "memory");
}

/* Groups add to one tile in turns, as the fix-up of stream-K matrix products does: a thread of each polls the number of
 * the group that may, and counts on. */
template <bool order> static __device__ void turns(unsigned *w)
{
	unsigned t = threadIdx.x, *turn = w, *tile = w + 8;

	if (t == 0)
		while (acquire(turn) != blockIdx.x)
			;
	__syncthreads();
	tile[t] += blockIdx.x;
	if (order)
		__syncthreads();
	if (t == 0)
		add_release(turn, 1);
}

/* Value and flag in one store, twice, as the LL protocol of collectives has them: the flags say that the values are
 * there, since a vector of such words comes whole in pieces of eight bytes. */
template <bool order> static __device__ void flags_beside(unsigned *w)
{
	unsigned t = threadIdx.x, *slot = w + 4 * t, *out = w + 512, value[2], flag[2];

	if (blockIdx.x == 0) {
		if (order) {
			asm volatile(
				"st.volatile.v4.u32 [%0], {%1, %2, %3, %2};" ::"l"(slot), "r"(t), "r"(1), "r"(t + 1)
				: "memory");
		} else {
			slot[0] = t;
			slot[2] = t + 1;
			set(&slot[1], 1);
			set(&slot[3], 1);
		}
	} else if (blockIdx.x == 1) {
		do
			asm volatile("ld.volatile.v4.u32 {%0, %1, %2, %3}, [%4];"
				     : "=r"(value[0]), "=r"(flag[0]), "=r"(value[1]), "=r"(flag[1])
				     : "l"(slot)
				     : "memory");
		while (!flag[0] || !flag[1]);
		out[t] = value[0] + value[1];
	}
}

/* Slots of a ring between two groups, as their simple protocol has them: three warps of each copy, meet at a barrier of
 * their own, and one of their threads posts. */
template <bool order> static __device__ void slots(unsigned *w)
{
	unsigned t = threadIdx.x, *head = w, *tail = w + 1, *ring = w + 64, *out = w + 512;

	if (blockIdx.x > 1 || t >= 96)
		return;
	for (unsigned step = 0; step < 6; step++) {
		unsigned *slot = ring + step % 2 * 96;

		if (blockIdx.x == 0) {
			if (t == 0)
				while (acquire(head) + 2 <= step)
					;
			bar_three();
			slot[t] = step * 100 + t;
			bar_three();
			if (t == 32) {
				if (order)
					release(tail, step + 1);
				else
					set(tail, step + 1);
			}
		} else {
			if (t == 64)
				while (acquire(tail) <= step)
					;
			bar_three();
			out[t] += slot[95 - t];
			bar_three();
			if (t == 0)
				release(head, step + 1);
		}
	}
}

/* Warps meet in pairs in shared memory, then the winners, and the last lets all go: each first lane for its warp. */
template <bool order> static __device__ void tournament(unsigned *w)
{
	__shared__ unsigned flag[4], go, box[128];
	unsigned t = threadIdx.x, warp = t / 32;

	if (t < 4)
		flag[t] = 0;
	if (t == 4)
		go = 0;
	__syncthreads();
	box[t] = 2 * t;
	__syncwarp();
	if (t % 32 == 0) {
		if (warp % 2) {
			release_cta(&flag[warp], 1);
		} else {
			while (!(order || warp ? acquire_cta(&flag[warp + 1]) : relaxed_cta(&flag[warp + 1])))
				;
		}
		if (warp == 2)
			release_cta(&flag[2], 1);
		if (warp == 0) {
			while (!acquire_cta(&flag[2]))
				;
			release_cta(&go, 1);
		} else {
			while (!acquire_cta(&go))
				;
		}
	}
	__syncwarp();
	w[blockIdx.x * 128 + t] = box[t ^ 32] + box[127 - t];
}
