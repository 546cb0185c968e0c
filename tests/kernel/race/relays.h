/* What passes from thread to thread: tokens, tasks, counts, memory.  Each kind once: `order` true has all the orders
 * that it needs, false lacks one of them.  A kind is for four work-groups of 128 threads, all of which call it, and has
 * memory of its own; mostly the first thread of a group plays. */
#include "strong.h"

/* A token goes from one thread of a group to another, and on to the next group, each with a scope as wide as it has to
 * be. */
template <bool order> static __device__ void token(unsigned *w)
{
	__shared__ unsigned near;

	if (threadIdx.x == 0)
		near = 0;
	__syncthreads();
	for (unsigned lap = 0; lap < 2; lap++) {
		if (threadIdx.x == 0) {
			while (acquire(&w[0]) != lap * 4 + blockIdx.x)
				;
			w[1] += 1;
			release_cta(&near, lap + 1);
		}
		if (threadIdx.x == 64) {
			while (acquire_cta(&near) <= lap)
				;
			w[2] += 1;
			if (order)
				release(&w[0], lap * 4 + blockIdx.x + 1);
			else
				release_cta(&w[0], lap * 4 + blockIdx.x + 1);
		}
	}
	__syncthreads();
}

/* Fences that are each as wide as what comes behind them: a narrow one before a count of all groups is not. */
template <bool order> static __device__ void narrow_fence(unsigned *w)
{
	if (threadIdx.x)
		return;
	w[16 + blockIdx.x] = blockIdx.x;
	if (order)
		fence();
	else
		fence_cta();
	if (add(&w[0], 1) < 3)
		return;
	fence();
	w[1] = w[16] + w[17] + w[18] + w[19];
}

/* The last one to give up its share looks at what all have left. */
template <bool order> static __device__ void shares(unsigned *w)
{
	if (threadIdx.x)
		return;
	w[16 + blockIdx.x] = blockIdx.x;
	if (add_release(&w[0], 1) < 3)
		return;
	if (order)
		fence();
	w[1] = w[16] + w[17] + w[18] + w[19];
}

/* Counts of two, in a tree: the second that comes goes up, and at the root lets all go. */
template <bool order> static __device__ void tree(unsigned *w)
{
	unsigned me = blockIdx.x, *leaf = w + 16, *inner = w + 20;

	if (threadIdx.x)
		return;
	leaf[me] = me + 1;
	if (order ? add_both(&w[me / 2], 1) : add_release(&w[me / 2], 1)) {
		inner[me / 2] = leaf[me] + leaf[me ^ 1];
		if (add_both(&w[2], 1)) {
			w[24] = inner[0] + inner[1];
			release(&w[3], 1);
		}
	}
	while (!acquire(&w[3]))
		;
	w[28 + me] = w[24];
}

/* A barrier in rounds: in each a thread hears of twice as many. */
template <bool order> static __device__ void dissemination(unsigned *w)
{
	unsigned me = blockIdx.x, *part = w + 16;

	if (threadIdx.x)
		return;
	for (unsigned episode = 0; episode < 2; episode++) {
		part[episode * 4 + me] = me;
		for (unsigned round = 0; round < (order ? 2 : 1); round++) {
			release(&w[round * 4 + (me + 1 + round) % 4], episode + 1);
			while (acquire(&w[round * 4 + me]) <= episode)
				;
		}
		w[32 + me] += part[episode * 4 + (me + 1) % 4];
	}
}

/* ---- Locks and queues ---- */

/* A thread that waits polls the word of the one before it. */
template <bool order> static __device__ void clh_lock(unsigned *w)
{
	unsigned me = blockIdx.x + 1, *busy = w + 4, before;

	if (threadIdx.x)
		return;
	set(&busy[me], 1);
	before = exchange(&w[0], me);
	while (before && acquire(&busy[before]))
		;
	w[1] += 1;
	if (order)
		release(&busy[me], 0);
	else
		set(&busy[me], 0);
}

/* Each group has tasks behind a lock; where that is taken it goes on to those of the next. */
template <bool order> static __device__ void stealing(unsigned *w)
{
	unsigned *left = w + 4;

	if (threadIdx.x)
		return;
	for (unsigned k = 0; k < 8; k++) {
		unsigned n = (blockIdx.x + k / 2) % 4;

		if (swap_acquire(&w[n], 0, 1))
			continue;
		left[n] += 1;
		if (order)
			release(&w[n], 0);
		else
			set(&w[n], 0);
	}
}

/* A bounded queue of many to many, whose cells count the turns.  Two groups put in, two take out. */
template <bool order> static __device__ void cells(unsigned *w)
{
	unsigned *turn = w + 4, *cell = w + 8;

	if (threadIdx.x)
		return;
	for (unsigned k = 0; k < 5; k++) {
		unsigned at = add(&w[blockIdx.x / 2], 1), c = at % 4, now = at / 4 * 2;

		if (blockIdx.x < 2) {
			while (acquire(&turn[c]) != now)
				;
			cell[c] = at;
			if (order)
				release(&turn[c], now + 1);
			else
				set(&turn[c], now + 1);
		} else {
			while (acquire(&turn[c]) != now + 1)
				;
			w[16 + at] = cell[c];
			release(&turn[c], now + 2);
		}
	}
}

/* One does for all what they ask for: here groups 1 to 3, and group 0 only asks. */
template <bool order> static __device__ void combining(unsigned *w)
{
	unsigned me = blockIdx.x, *asked = w + 4, *argument = w + 8, *answer = w + 12;

	if (threadIdx.x)
		return;
	while (me && !relaxed(&asked[0])) /* orders nothing */
		;
	argument[me] = me + 1;
	release(&asked[me], 1);
	while ((order ? acquire(&asked[me]) : relaxed(&asked[me])) != 2) {
		if (me == 0 || swap_acquire(&w[0], 0, 1))
			continue;
		for (unsigned k = 0; k < 4; k++)
			if (acquire(&asked[k]) == 1) {
				answer[k] = w[1] += argument[k];
				release(&asked[k], 2);
			}
		release(&w[0], 0);
	}
	w[16 + me] = answer[me];
}

/* ---- Memory ---- */

/* Blocks that a bit each says are taken; there are fewer than groups. */
template <bool order> static __device__ void bitmap(unsigned *w)
{
	unsigned *block = w + 4;

	if (threadIdx.x)
		return;
	for (unsigned k = 0; k < 3; k++) {
		unsigned b;

		do
			b = relaxed(&w[0]) & 1;
		while (or_acquire(&w[0], 1u << b) >> b & 1);
		block[b] += 1;
		if (order)
			and_release(&w[0], ~(1u << b));
		else
			and_relaxed(&w[0], ~(1u << b));
	}
}

/* A node is filled again when no reader is left that came before it was taken away. */
template <bool order> static __device__ void epochs(unsigned *w)
{
	unsigned *now = w, *head = w + 1, *reads = w + 2, *since = w + 4, *node = w + 8;

	if (threadIdx.x)
		return;
	if (blockIdx.x == 0) {
		for (unsigned k = 1; k < 5; k++) {
			while (k == 2 && relaxed(reads) < 3) /* until all read: orders nothing */
				;
			for (unsigned r = 1; r < 4; r++)
				for (unsigned e = 1; e && e < k;)
					e = order ? acquire(&since[r]) : relaxed(&since[r]);
			node[k & 1] = k;
			release(head, 1 + (k & 1));
			fence_sc();
			set(now, k);
			fence_sc();
		}
		return;
	}
	while (!relaxed(now))
		;
	for (unsigned k = 0; k < 3; k++) {
		set(&since[blockIdx.x], 1 + relaxed(now));
		fence_sc();
		unsigned n = acquire(head) - 1;
		if (k == 0)
			add(reads, 1);
		while (relaxed(now) < 2) /* it is taken away meanwhile; orders nothing */
			;
		w[16 + blockIdx.x] += node[n];
		release(&since[blockIdx.x], 0);
	}
}

/* A sequence lock in shared memory, whose word leads to what is not written again. */
template <bool order> static __device__ void near_sequence(unsigned *w)
{
	__shared__ unsigned sequence, index, node[4];

	if (threadIdx.x == 0)
		sequence = index = 0;
	__syncthreads();
	if (threadIdx.x == 0)
		for (unsigned k = 1; k < 4; k++) {
			node[k] = k;
			set_cta(&sequence, 2 * k - 1);
			fence_cta();
			set_cta(&index, k);
			release_cta(&sequence, 2 * k);
		}
	if (threadIdx.x == 64)
		for (unsigned n = 0, before; n < 3;) {
			before = order ? acquire_cta(&sequence) : relaxed_cta(&sequence);
			n = relaxed_cta(&index);
			if (order)
				fence_cta();
			if (before & 1 || !before || relaxed_cta(&sequence) != before)
				n = 0;
			else
				w[16 + blockIdx.x] = node[n];
		}
	__syncthreads();
}
