/* Orders that are seldom used, and locks, queues and barriers that hand things on in more than one way.  Each kind
 * once: `order` true has all the orders that it needs, false lacks one of them.  A kind is for four work-groups of 128
 * threads, all of which call it, and has memory of its own.  By PTX ISA, chapter 8. */
#include "async.h"
#include "strong.h"

static __device__ inline void red_add(unsigned *p, unsigned v)
{
	asm volatile("red.relaxed.gpu.add.u32 [%0], %1;" ::"l"(p), "r"(v) : "memory");
}
static __device__ inline void add_all(unsigned *p, unsigned v)
{
	asm volatile("red.relaxed.sys.add.u32 [%0], %1;" ::"l"(p), "r"(v) : "memory");
}

#define fence_to_release() asm volatile("fence.release.gpu;" ::: "memory")
#define fence_to_acquire() asm volatile("fence.acquire.gpu;" ::: "memory")
#define fence_cluster() asm volatile("fence.acq_rel.cluster;" ::: "memory")
#define arrive_relaxed(bar)                                                                                            \
	asm volatile("mbarrier.arrive.relaxed.cta.shared::cta.b64 _, [%0];" ::"r"(in_shared(bar)) : "memory")

static __device__ inline void wait_relaxed(unsigned long long *bar, unsigned parity)
{
	unsigned over;

	do
		asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.relaxed.cta.shared::cta.b64 p, [%1], %2; "
			     "selp.u32 %0, 1, 0, p; }"
			     : "=r"(over)
			     : "r"(in_shared(bar)), "r"(parity)
			     : "memory");
	while (!over);
}

/* Orders nothing, as none of those that use it fences behind it. */
static __device__ inline void wait_for(unsigned *p, unsigned n)
{
	while (relaxed(p) != n)
		;
}

/* ---- 8.8: release and acquire patterns ---- */

/* A strong read and then an acquire of the same word are one pattern: the first sees the release, and it does not
 * matter that the second finds what another has stored meanwhile. */
template <bool order> static __device__ void late_acquire(unsigned *w)
{
	if (threadIdx.x)
		return;
	if (blockIdx.x == 0) {
		w[4] = 5;
		release(&w[0], 1);
	} else if (blockIdx.x == 1) {
		wait_for(&w[1], 1);
		set(&w[0], 2);
		set(&w[2], 1);
	} else if (blockIdx.x == 2) {
		wait_for(&w[0], 1);
		set(&w[1], 1);
		wait_for(&w[2], 1);
		acquire(order ? &w[0] : &w[3]);
		w[8] = w[4];
	}
}

/* The same where another word that was released has been read in between, and in shared memory. */
template <bool order> static __device__ void late_acquire_near(unsigned *w)
{
	__shared__ unsigned flag, second, now, stored, box;
	unsigned t = threadIdx.x;

	if (t == 0)
		flag = second = now = stored = 0;
	__syncthreads();
	if (t == 0) {
		box = 5;
		release_cta(&flag, 1);
	}
	if (t == 32) {
		release_cta(&second, 1);
		while (!relaxed_cta(&now))
			;
		set_cta(&flag, 2);
		set_cta(&stored, 1);
	}
	if (t == 64) {
		while (!relaxed_cta(&flag))
			;
		while (!relaxed_cta(&second))
			;
		set_cta(&now, 1);
		while (!relaxed_cta(&stored))
			;
		acquire_cta(order ? &flag : &second);
		w[blockIdx.x] = box;
	}
	__syncthreads();
}

/* Fences that only release, or only acquire. */
template <bool order> static __device__ void half_fences(unsigned *w)
{
	if (threadIdx.x)
		return;
	if (blockIdx.x == 0) {
		w[4] = 5;
		fence_to_release();
		set(&w[0], 1);
	} else if (blockIdx.x == 1) {
		wait_for(&w[0], 1);
		if (order)
			fence_to_acquire();
		else
			fence_to_release();
		w[8] = w[4];
		w[5] = 6;
		if (order)
			fence_to_release();
		else
			fence_to_acquire();
		set(&w[1], 1);
	} else if (blockIdx.x == 2) {
		wait_for(&w[1], 1);
		fence_to_acquire();
		w[9] = w[5];
	}
}

/* A reduction without a result hands on what was released; a store of another does not. */
template <bool order> static __device__ void reduction(unsigned *w)
{
	if (threadIdx.x)
		return;
	if (blockIdx.x == 0) {
		w[4] = 5;
		release(&w[0], 1);
	} else if (blockIdx.x == 1) {
		wait_for(&w[0], 1);
		if (order)
			red_add(&w[0], 1);
		else
			set(&w[0], 2);
		set(&w[1], 1);
	} else if (blockIdx.x == 3) {
		wait_for(&w[1], 1);
		acquire(&w[0]);
		w[8] = w[4];
	}
}

/* ---- Scopes ---- */

/* A cluster is one work-group where nothing asks for more. */
template <bool order> static __device__ void cluster(unsigned *w)
{
	if (threadIdx.x)
		return;
	if (blockIdx.x == 0) {
		w[4] = 5;
		if (order)
			fence();
		else
			fence_cluster();
		set(&w[0], 1);
	} else if (blockIdx.x == 1) {
		wait_for(&w[0], 1);
		fence();
		w[8] = w[4];
	}
}

/* All groups count, some for the GPU and some for the system; others than those that count look. */
template <bool order> static __device__ void system(unsigned *w)
{
	unsigned me = blockIdx.x;

	if (threadIdx.x == 0) {
		w[16 + me] = me;
		if (order)
			__threadfence_system();
		if (me & 1)
			add_all(&w[0], 1);
		else
			red_add(&w[0], 1);
		while (acquire(&w[0]) < 4)
			;
	}
	__syncthreads();
	if (threadIdx.x >= 64 && threadIdx.x < 68)
		w[32 + me * 4 + threadIdx.x % 4] = w[16 + threadIdx.x % 4];
}

/* A lock of two levels: groups take turns, and of a group's warps two have it before it goes on. */
template <bool order> static __device__ void cohort(unsigned *w)
{
	__shared__ unsigned next, serving, have;

	if (threadIdx.x == 0)
		next = serving = have = 0;
	__syncthreads();
	if (threadIdx.x % 32 == 0) {
		unsigned mine = atomicAdd_block(&next, 1), turn;

		while (acquire_cta(&serving) != mine)
			;
		if (!have) {
			turn = add(&w[0], 1);
			while (acquire(&w[1]) != turn)
				;
			have = 1;
		}
		w[4] += 1;
		if (mine & 1) {
			have = 0;
			if (!order)
				fence_cta();
			else
				fence();
			set(&w[1], relaxed(&w[1]) + 1);
		}
		release_cta(&serving, mine + 1);
	}
	__syncthreads();
}

/* ---- Barriers ---- */

/* One thread fences for its group, behind the barrier at which the others come; before it the fence covers only itself.
 */
template <bool order> static __device__ void one_for_group(unsigned *w)
{
	unsigned t = threadIdx.x;

	if (blockIdx.x == 0) {
		w[64 + t] = t;
		if (t == 0 && !order)
			fence();
		__syncthreads();
		if (t == 0 && order)
			fence();
		if (t == 0)
			set(&w[0], 1);
	} else if (blockIdx.x == 1) {
		if (t == 0) {
			wait_for(&w[0], 1);
			fence();
		}
		__syncthreads();
		if (t >= 64)
			w[256 + t] = w[64 + 127 - t] + w[64 + t];
	}
}

/* Flags of all groups, each looked at by a thread of its own (Xiao and Feng, IPDPS 2010). */
template <bool order> static __device__ void flags(unsigned *w)
{
	volatile unsigned *in = w, *out = w + 4;
	unsigned t = threadIdx.x, me = blockIdx.x;

	w[64 + me * 128 + t] = t;
	__threadfence();
	__syncthreads();
	if (t == 0)
		in[me] = 1;
	if (me == 0) {
		while (t < 4 && !in[t])
			;
		__syncthreads();
		if (t < 4) {
			__threadfence();
			out[t] = 1;
		}
	}
	if (t == 0) {
		while (!out[me])
			;
		if (order)
			__threadfence();
	}
	__syncthreads();
	w[1024 + me * 128 + t] = w[64 + (me * 128 + t + 128) % 512];
}

/* mbarriers whose arrivals and waits order nothing by themselves. */
template <bool order> static __device__ void relaxed_objects(unsigned *w)
{
	__shared__ unsigned long long bar[2];
	__shared__ unsigned box[128];
	unsigned t = threadIdx.x;

	if (t < 2)
		init(&bar[t], 128);
	__syncthreads();
	box[t] = t;
	fence_cta();
	arrive_relaxed(&bar[0]);
	wait_relaxed(&bar[0], 0);
	fence_cta();
	w[blockIdx.x * 128 + t] = box[127 - t];
	if (order)
		arrive(&bar[1]);
	else
		arrive_relaxed(&bar[1]);
	wait_phase(&bar[1], 0);
	box[t] = 0;
	__syncthreads();
}

/* Each lane acquires a flag of its own; the vote that follows orders nothing. */
template <bool order> static __device__ void flag_of_lane(unsigned *w)
{
	unsigned t = threadIdx.x, n = (blockIdx.x - 1) * 8 + t;

	if (blockIdx.x && t < 8) {
		w[64 + n] = t;
		release(&w[n], 1);
	}
	if (blockIdx.x || t >= 24)
		return;
	while (!acquire(&w[t]))
		;
	__all_sync(0xffffff, 1);
	if (order)
		__syncwarp(0xffffff);
	w[128 + t] = w[64 + (t + 8) % 24];
}

/* ---- Locks and queues ---- */

/* One thread takes the lock for its group and another gives it back. */
template <bool order> static __device__ void lock_for_group(unsigned *w)
{
	if (threadIdx.x == 0)
		while (swap_acquire(&w[0], 0, 1))
			;
	__syncthreads();
	w[64 + threadIdx.x] += blockIdx.x;
	__syncthreads();
	if (threadIdx.x == 64) {
		if (order)
			release(&w[0], 0);
		else
			set(&w[0], 0);
	}
}

/* Many put in, by an exchange and then the link, and one takes out (Vyukov). */
template <bool order> static __device__ void many_to_one(unsigned *w)
{
	unsigned *head = w, *next = w + 4, *value = w + 16, at = 0, n;

	if (threadIdx.x)
		return;
	for (unsigned k = 0; k < 2 && blockIdx.x; k++) {
		unsigned node = blockIdx.x * 2 + k - 1, before;

		value[node] = node;
		before = exchange_relaxed(head, node);
		if (order)
			release(&next[before], node);
		else
			set(&next[before], node);
	}
	for (unsigned got = 0; got < 6 && !blockIdx.x; got++, at = n) {
		while (!(n = acquire(&next[at])))
			;
		w[32 + got] = value[n];
	}
}

/* Nodes that are linked by a compare-and-swap, which releases them, and counted by another (Michael and Scott). */
template <bool order> static __device__ void linked_queue(unsigned *w)
{
	unsigned *head = w, *tail = w + 1, *next = w + 4, *value = w + 20;

	if (threadIdx.x)
		return;
	for (unsigned k = 0; k < 3 && blockIdx.x < 2;) {
		unsigned node = 1 + blockIdx.x * 3 + k, last = acquire(tail), n = acquire(&next[last]);

		value[node] = node;
		if (n)
			swap(tail, last, n);
		else if ((order ? swap_release(&next[last], 0, node) : swap(&next[last], 0, node)) == 0)
			k++;
	}
	for (unsigned got = 0; got < 3 && blockIdx.x >= 2;) {
		unsigned first = acquire(head), n = acquire(&next[first]);

		if (!n)
			continue;
		unsigned v = value[n];
		if (swap(head, first, n) == first) {
			w[40 + n] = v;
			got++;
		}
	}
}
