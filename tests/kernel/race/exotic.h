/* Synchronisation as experts write it, each kind once: `order` true has all the orders that it needs, false lacks one
 * of them.  A kind is for four work-groups, whose first threads play, and has memory of its own. */
#include "strong.h"

/* A byte of its own for each of two writers, in one word. */
static __device__ inline unsigned acquire_byte(const unsigned char *p)
{
	unsigned short v;

	asm volatile("ld.acquire.gpu.u8 %0, [%1];" : "=h"(v) : "l"(p) : "memory");
	return v;
}

static __device__ inline void release_byte(unsigned char *p)
{
	asm volatile("st.release.gpu.u8 [%0], %1;" ::"l"(p), "h"((unsigned short)1) : "memory");
}

/* ---- Locks ---- */

template <bool order> static __device__ void ticket_lock(unsigned *w)
{
	unsigned mine = add(&w[0], 1);

	while ((order ? acquire(&w[1]) : relaxed(&w[1])) != mine)
		;
	w[2] += 1;
	release(&w[1], mine + 1);
}

/* A queue of nodes: next at w[4 + 2 * n], "wait" behind it; node n + 1 is group n's, 0 is none. */
template <bool order> static __device__ void mcs_lock(unsigned *w)
{
	for (unsigned round = 0; round < 2; round++) {
		unsigned me = blockIdx.x + 1, *node = w + 4 + 2 * me, before, next;

		set(&node[0], 0);
		set(&node[1], 1);
		before = exchange(&w[0], me);
		if (before) {
			set(&w[4 + 2 * before], me);
			while (acquire(&node[1]))
				;
		}
		w[2] += 1;
		if (swap_release(&w[0], me, 0) == me)
			continue;
		while (!(next = acquire(&node[0])))
			;
		if (order)
			release(&w[4 + 2 * next + 1], 0);
		else
			set(&w[4 + 2 * next + 1], 0);
	}
}

/* Of groups 0 and 1, by loads and stores alone. */
template <bool order> static __device__ void peterson(unsigned *w)
{
	unsigned me = blockIdx.x, other = 1 - me;

	if (me > 1)
		return;
	for (unsigned round = 0; round < 3; round++) {
		set(&w[me], 1);
		set(&w[2], other);
		fence_sc();
		while (relaxed(&w[other]) && relaxed(&w[2]) == other)
			;
		if (order)
			fence();
		w[3] += 1;
		fence();
		set(&w[me], 0);
	}
}

/* Many read, or one writes: the word counts readers, and has the high bit for the writer. */
template <bool order> static __device__ void readers_and_writer(unsigned *w)
{
	if (blockIdx.x == 0) {
		while (swap_acquire(&w[0], 0, 1u << 31))
			;
		w[1] = 5;
		w[2] = 6;
		set(&w[3], 1); /* orders nothing */
		if (order)
			add_release(&w[0], 1u << 31);
		else
			add(&w[0], 1u << 31);
		return;
	}
	while (!relaxed(&w[3]))
		;
	while (add_acquire(&w[0], 1) >> 31)
		add(&w[0], -1u);
	w[4 + blockIdx.x] = w[1] + w[2];
	add_release(&w[0], -1u);
}

/* ---- Publishing ---- */

/* The data are read between two reads of the sequence, and are strong accesses, since they may be overwritten
 * meanwhile. */
template <bool order> static __device__ void sequence_lock(unsigned *w)
{
	if (blockIdx.x == 0) {
		for (unsigned k = 1; k <= 3; k++) {
			while (k == 3 && relaxed(&w[3]) < 3) /* until all have read: orders nothing */
				;
			set(&w[0], 2 * k - 1);
			fence();
			if (order)
				set(&w[1], k);
			else
				w[1] = k;
			set(&w[2], k);
			fence();
			set(&w[0], 2 * k);
		}
		return;
	}
	for (unsigned before = 1, after = 0, told = 0; before != after || before & 1; told = 1) {
		before = acquire(&w[0]);
		unsigned sum = relaxed(&w[1]) + relaxed(&w[2]);
		if (!told)
			add(&w[3], 1);
		fence();
		after = relaxed(&w[0]);
		w[4 + blockIdx.x] = sum;
	}
}

/* A node is given out by its number, and filled again when no reader names it as its own. */
template <bool order> static __device__ void hazard_pointers(unsigned *w)
{
	unsigned *head = w, *hazard = w + 4, *node = w + 16;

	if (blockIdx.x == 0) {
		for (unsigned k = 1; k <= 4; k++) {
			unsigned next = 1 + k % 2;

			while (k == 3 && relaxed(&w[8]) < 3) /* until all have read: orders nothing */
				;
			for (unsigned r = 1; order && r < 4; r++)
				while (acquire(&hazard[r]) == next)
					;
			node[next] = k;
			release(head, next);
			fence_sc();
		}
		return;
	}
	while (!relaxed(head))
		;
	for (unsigned k = 0; k < 4; k++) {
		unsigned n = acquire(head);

		set(&hazard[blockIdx.x], n);
		fence_sc();
		if (acquire(head) == n)
			w[32 + blockIdx.x] += node[n];
		release(&hazard[blockIdx.x], 0);
		if (k == 2)
			add(&w[8], 1);
	}
}

/* Read, copy, update: an index to the newest copy. */
template <bool order> static __device__ void publish(unsigned *w)
{
	unsigned n = 0;

	if (blockIdx.x == 0) {
		w[4] = 7;
		release(&w[0], 4);
		w[5] = 8;
		release(&w[0], 5);
		return;
	}
	while (!n)
		n = order ? acquire(&w[0]) : relaxed(&w[0]);
	w[8 + blockIdx.x] = w[n];
}

/* The first that comes makes it, others wait for the lock or see that it is there. */
template <bool order> static __device__ void once(unsigned *w)
{
	while (blockIdx.x > 1 && !relaxed(&w[0])) /* the others come later: orders nothing */
		;
	if (!acquire(&w[0])) {
		while (swap_acquire(&w[1], 0, 1))
			;
		if (!relaxed(&w[0])) {
			w[2] = 5;
			if (order)
				release(&w[0], 1);
			else
				set(&w[0], 1);
		}
		release(&w[1], 0);
	}
	w[4 + blockIdx.x] = w[2];
}

/* Byte flags in one word, each with data of its own. */
template <bool order> static __device__ void byte_flags(unsigned *w)
{
	unsigned char *flag = (unsigned char *)w;

	w[4 + blockIdx.x] = blockIdx.x;
	release_byte(&flag[blockIdx.x]);
	if (order)
		while (!acquire_byte(&flag[(blockIdx.x + 1) % 4]))
			;
	else
		while (!(acquire(w) >> (blockIdx.x + 1) % 4 * 8 & 1))
			;
	w[8 + blockIdx.x] = w[4 + (blockIdx.x + 1) % 4];
}

/* Flag and value in one word of 64 bits: nothing else is handed on. */
template <bool order> static __device__ void one_word(unsigned *w)
{
	word64 seen = 0, *box = (word64 *)w;

	if (blockIdx.x == 0) {
		w[4] = 3;
		set64(box, 1ull << 32 | 7);
		return;
	}
	while (!(seen >> 32))
		seen = relaxed64(box);
	w[8 + blockIdx.x] = (unsigned)seen + (order ? 0 : w[4]);
}

/* ---- Queues and scans ---- */

/* Owner 0 pushes and pops at the bottom, others steal at the top (Le et al., PPoPP 2013); what a task is comes with the
 * bottom. */
template <bool order> static __device__ void deque(unsigned *w)
{
	unsigned *top = w, *bottom = w + 1, *item = w + 2, *task = w + 16;

	if (blockIdx.x == 0) {
		for (unsigned k = 0; k < 8; k++) {
			task[k] = k + 1;
			set(&item[k], k);
			if (order)
				fence();
			set(bottom, k + 1);
		}
		while (!relaxed(top)) /* until one is stolen */
			;
		for (unsigned b = 8; b-- > 0;) {
			set(bottom, b);
			fence_sc();
			unsigned t = relaxed(top);
			bool mine = (int)t < (int)b || (t == b && swap(top, t, t + 1) == t);
			if (mine)
				w[32] += task[relaxed(&item[b])];
			if ((int)t >= (int)b) {
				set(bottom, b + 1);
				break;
			}
		}
		return;
	}
	for (unsigned tries = 0; tries < 6 || !relaxed(top); tries++) {
		unsigned t = acquire(top), b;

		fence_sc();
		b = acquire(bottom);
		if ((int)t >= (int)b)
			continue;
		unsigned n = relaxed(&item[t]);
		fence_sc();
		if (swap(top, t, t + 1) == t)
			w[32 + blockIdx.x] += task[n];
	}
}

/* A ring with one that puts in and one that takes out. */
template <bool order> static __device__ void ring(unsigned *w)
{
	unsigned *in = w, *out = w + 1, *slot = w + 4;

	if (blockIdx.x == 0)
		for (unsigned k = 0; k < 8; k++) {
			while (k - (order ? acquire(out) : relaxed(out)) == 4)
				;
			slot[k % 4] = k;
			release(in, k + 1);
		}
	if (blockIdx.x == 1)
		for (unsigned k = 0; k < 8; k++) {
			while (acquire(in) == k)
				;
			w[8] += slot[k % 4];
			release(out, k + 1);
		}
}

/* Decoupled look-back: state 1 has the part's sum, state 2 the sum of all up to it. */
template <bool order> static __device__ void look_back(unsigned *w)
{
	unsigned part = add(&w[0], 1), *state = w + 4, *sum = w + 8, *prefix = w + 12, before = 0;

	sum[part] = part + 1;
	release(&state[part], 1);
	for (unsigned k = part; k-- > 0;) {
		unsigned s;

		while (!(s = order ? acquire(&state[k]) : relaxed(&state[k])))
			;
		before += s == 2 ? prefix[k] : sum[k];
		if (s == 2)
			break;
	}
	prefix[part] = before + part + 1;
	release(&state[part], 2);
}

/* ---- Orders that are handed on ---- */

/* Release in the group, then from the group to others: each scope is as wide as it has to be. */
template <bool order> static __device__ void scopes(unsigned *w)
{
	__shared__ unsigned near;
	unsigned t = threadIdx.x;

	if (t == 0)
		near = 0;
	__syncthreads();
	if (blockIdx.x == 0 && t == 64) {
		w[4] = 5;
		release_cta(&near, 1);
	}
	if (blockIdx.x == 0 && t == 0) {
		while (!acquire_cta(&near))
			;
		if (order)
			release(&w[0], 1);
		else
			release_cta(&w[0], 1);
	}
	if (blockIdx.x == 1 && t == 0) {
		while (!acquire(&w[0]))
			;
		w[8] = w[4];
	}
	__syncthreads();
}

/* A relaxed atomic in between hands on, as a store of another does not; so does a later store of the one that released.
 */
template <bool order> static __device__ void handed_on(unsigned *w)
{
	if (blockIdx.x == 0) {
		w[4] = 5;
		release(&w[0], 1);
		set(&w[0], 2);
	} else if (blockIdx.x == 1 && order) {
		while (swap(&w[0], 2, 3) != 2)
			;
	} else if (blockIdx.x == 1) {
		while (relaxed(&w[0]) != 2)
			;
		set(&w[0], 3);
	} else {
		while (relaxed(&w[0]) < 3)
			;
		swap_acquire(&w[0], 99, 99);
		w[8 + blockIdx.x] = w[4];
	}
}

/* Lanes store, meet, and one of them counts for all. */
template <bool order> static __device__ void one_for_all(unsigned *w)
{
	unsigned t = threadIdx.x;

	if (t < 32) {
		w[64 + blockIdx.x * 32 + t] = t;
		if (order)
			asm volatile("bar.warp.sync 0xffffffff;" ::: "memory");
		if (t == 0)
			add_release(&w[0], 1);
	}
	if (t == 64) {
		while (acquire(&w[0]) < 4)
			;
	}
	__syncthreads();
	if (t >= 64 && t < 80)
		w[128 + blockIdx.x * 16 + t] = w[64 + (blockIdx.x + 1) % 4 * 32 + t - 64];
}

/* A barrier between groups by the parity of rounds. */
template <bool order> static __device__ void sense(unsigned *w)
{
	for (unsigned round = 0; round < 3; round++) {
		unsigned now = relaxed(&w[1]);

		w[4 + blockIdx.x + 4 * round] = round;
		if (order)
			fence();
		if (add(&w[0], 1) == 3) {
			set(&w[0], 0);
			fence();
			set(&w[1], 1 - now);
		} else {
			while (relaxed(&w[1]) == now)
				;
		}
		fence();
		w[20 + blockIdx.x] += w[4 + (blockIdx.x + 1) % 4 + 4 * round];
	}
}
