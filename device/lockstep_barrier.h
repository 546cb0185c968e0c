/* A barrier between work-groups that needs no number of groups known before, in OpenCL C (2.0 and later, C11 atomics) and CUDA C++:
 * that of paper 4 (T. Sorensen and others, Portable Inter-workgroup Barrier Synchronisation for GPUs, OOPSLA 2016).  It needs nothing of
 * Lockstep.  Under Lockstep #include <lockstep_barrier.h> finds it; elsewhere copy this file.
 *
 *     kernel void work(global uint *state, ...)          CUDA: unsigned *state
 *     {
 *         p_context p;
 *         if (!p_discover(&p, state))                    this group does not take part
 *             return;
 *         for (uint k = p_get_global_id(&p); k < n; k += p_get_global_size(&p)) ...
 *         p_barrier_xf(&p);                              all that take part are here, and see what was written before
 *         ...
 *     }
 *
 * The host launches any number of groups of one size, up to P_MOST_GROUPS, and gives `state`: P_STATE_WORDS(groups) words of 32 bits in
 * global memory, all zero before each launch.  A host program in C may include this file, too, and gets these two.  All threads of a
 * group must call each function here that says "group".
 *
 * WHEN THEY END.  p_discover ends if a group that has started goes on running: groups that cannot start while it runs are left out.  The
 * barriers end if all groups of the context run together, which p_discover finds (section 3.2), and if all of them call the same barrier
 * equally often.  p_assume trusts the caller for the first: with more groups than are resident together, its barriers wait for ever.
 *
 * The poll is `closed` here, not `poll_open` as in Figure 3, and a place in M is one more than the group's new number, so that all that
 * the host must do is write zeros. */
#ifndef LOCKSTEP_BARRIER_H
#define LOCKSTEP_BARRIER_H

#define P_MOST_GROUPS 65536u
#define P_ROUNDS_ 16u /* of the dissemination barrier: 2^16 groups */
#define P_CHILDREN_ 4u /* of a node of the tree barrier */

/* Words of the state.  Those of the locks, of the poll and of the central barrier lie in one line each, of 128 bytes. */
enum {
	P_MUTEX_ = 0, /* spin lock: 1, it is taken.  Ticket lock: the next ticket */
	P_SERVING_ = 1, /* ticket lock: the ticket that is served */
	P_COUNT_ = 32, /* groups that take part; under the mutex until the poll is closed, then constant */
	P_CLOSED_ = 33, /* the poll; under the mutex */
	P_ARRIVED_ = 64, /* central barrier */
	P_RELEASED_ = 65,
	P_GRID_ = 66, /* grid barrier: the top bit changes with each; below it, how many have come */
	P_ARRAYS_ = 96 /* of as many words as there are groups: M, XF's flags, tree arrivals, tree releases, dissemination by round */
};
#define P_STATE_WORDS(groups) (96u + (4u + P_ROUNDS_) * (groups))

#if defined __OPENCL_C_VERSION__ || defined __CUDACC__ || defined __CUDA__

/* ---- What differs between the languages ---- */

#ifdef __OPENCL_C_VERSION__
#if __OPENCL_C_VERSION__ < 200
#error "lockstep_barrier.h: OpenCL C before 2.0 has no acquire and release: build with -cl-std=CL2.0 or CL3.0"
#elif __OPENCL_C_VERSION__ >= 300 && !(defined __opencl_c_atomic_order_acq_rel && defined __opencl_c_atomic_scope_device)
#error "lockstep_barrier.h: this device has no acquire and release atomics at device scope (OpenCL C 3.0): work-groups cannot synchronise"
#endif
#define P_FUNCTION_ static inline
#define P_GLOBAL_ __global
#define P_ATOMIC_(word) ((volatile __global atomic_uint *)(word))
typedef uint p_uint_;
P_FUNCTION_ p_uint_ p_load_acquire_(P_GLOBAL_ p_uint_ *word)
{
	return atomic_load_explicit(P_ATOMIC_(word), memory_order_acquire, memory_scope_device);
}
P_FUNCTION_ void p_store_release_(P_GLOBAL_ p_uint_ *word, p_uint_ value)
{
	atomic_store_explicit(P_ATOMIC_(word), value, memory_order_release, memory_scope_device);
}
P_FUNCTION_ void p_store_relaxed_(P_GLOBAL_ p_uint_ *word, p_uint_ value)
{
	atomic_store_explicit(P_ATOMIC_(word), value, memory_order_relaxed, memory_scope_device);
}
P_FUNCTION_ p_uint_ p_swap_acq_rel_(P_GLOBAL_ p_uint_ *word, p_uint_ value)
{
	return atomic_exchange_explicit(P_ATOMIC_(word), value, memory_order_acq_rel, memory_scope_device);
}
P_FUNCTION_ p_uint_ p_add_relaxed_(P_GLOBAL_ p_uint_ *word, p_uint_ more)
{
	return atomic_fetch_add_explicit(P_ATOMIC_(word), more, memory_order_relaxed, memory_scope_device);
}
P_FUNCTION_ p_uint_ p_add_acq_rel_(P_GLOBAL_ p_uint_ *word, p_uint_ more)
{
	return atomic_fetch_add_explicit(P_ATOMIC_(word), more, memory_order_acq_rel, memory_scope_device);
}
#define P_GROUP_BARRIER_() barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#define P_ID_(what, d) ((p_uint_)get_##what(d))
#define P_LOCAL_ID_(d) P_ID_(local_id, d)
#define P_LOCAL_SIZE_(d) P_ID_(local_size, d)
#define P_GROUP_ID_(d) P_ID_(group_id, d)
#define P_GROUPS_(d) P_ID_(num_groups, d)

#else
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ < 300
/* J. Alglave and others, GPU concurrency (ASPLOS 2015): a load behind a fence still reads the old line on a Tesla C2075. */
#error "lockstep_barrier.h: compute capability 2.x: no fence empties an L1, so what other work-groups wrote would not be seen behind a barrier"
#endif
#define P_FUNCTION_ static __device__ __forceinline__
#define P_GLOBAL_
typedef unsigned p_uint_;
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ < 700
/* PTX before Volta has no orders.  Fences around volatile accesses, as the paper's own atomics for Nvidia: tested there, proved nowhere. */
P_FUNCTION_ p_uint_ p_load_acquire_(p_uint_ *word)
{
	p_uint_ value = *(volatile p_uint_ *)word;
	__threadfence();
	return value;
}
P_FUNCTION_ void p_store_release_(p_uint_ *word, p_uint_ value)
{
	__threadfence();
	*(volatile p_uint_ *)word = value;
}
P_FUNCTION_ void p_store_relaxed_(p_uint_ *word, p_uint_ value) { *(volatile p_uint_ *)word = value; }
P_FUNCTION_ p_uint_ p_swap_acq_rel_(p_uint_ *word, p_uint_ value)
{
	p_uint_ old;
	__threadfence();
	old = atomicExch(word, value);
	__threadfence();
	return old;
}
P_FUNCTION_ p_uint_ p_add_relaxed_(p_uint_ *word, p_uint_ more) { return atomicAdd(word, more); }
P_FUNCTION_ p_uint_ p_add_acq_rel_(p_uint_ *word, p_uint_ more)
{
	p_uint_ old;
	__threadfence();
	old = atomicAdd(word, more);
	__threadfence();
	return old;
}
#else
P_FUNCTION_ p_uint_ p_load_acquire_(p_uint_ *word)
{
	p_uint_ value;
	__asm__ volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(__cvta_generic_to_global(word)) : "memory");
	return value;
}
P_FUNCTION_ void p_store_release_(p_uint_ *word, p_uint_ value)
{
	__asm__ volatile("st.release.gpu.global.u32 [%0], %1;" : : "l"(__cvta_generic_to_global(word)), "r"(value) : "memory");
}
P_FUNCTION_ void p_store_relaxed_(p_uint_ *word, p_uint_ value)
{
	__asm__ volatile("st.relaxed.gpu.global.u32 [%0], %1;" : : "l"(__cvta_generic_to_global(word)), "r"(value) : "memory");
}
#define P_UPDATE_(name, instruction)                                                                                   \
	P_FUNCTION_ p_uint_ name(p_uint_ *word, p_uint_ operand)                                                       \
	{                                                                                                              \
		p_uint_ old;                                                                                           \
		__asm__ volatile(instruction " %0, [%1], %2;"                                                          \
				 : "=r"(old)                                                                           \
				 : "l"(__cvta_generic_to_global(word)), "r"(operand)                                   \
				 : "memory");                                                                          \
		return old;                                                                                            \
	}
P_UPDATE_(p_swap_acq_rel_, "atom.acq_rel.gpu.global.exch.b32")
P_UPDATE_(p_add_relaxed_, "atom.relaxed.gpu.global.add.u32")
P_UPDATE_(p_add_acq_rel_, "atom.acq_rel.gpu.global.add.u32")
#undef P_UPDATE_
#endif
#define P_GROUP_BARRIER_() __syncthreads()
#define P_OF_(vector, d) ((d) == 0 ? (vector).x : (d) == 1 ? (vector).y : (vector).z)
#define P_LOCAL_ID_(d) P_OF_(threadIdx, d)
#define P_LOCAL_SIZE_(d) P_OF_(blockDim, d)
#define P_GROUP_ID_(d) P_OF_(blockIdx, d)
#define P_GROUPS_(d) P_OF_(gridDim, d)
#endif

/* ---- The environment: Table 2 ---- */

/* A thread has its own; all of a group have the same in it. */
typedef struct p_context {
	P_GLOBAL_ p_uint_ *state;
	p_uint_ launched; /* groups of the launch: how long the arrays of the state are */
	p_uint_ groups, group; /* that take part, and which of them this one is */
	p_uint_ episode; /* barriers that were passed, XF's not counted */
} p_context;

/* Grids and groups of several dimensions are numbered with x running fastest. */
P_FUNCTION_ p_uint_ p_native_groups_(void) { return P_GROUPS_(0) * P_GROUPS_(1) * P_GROUPS_(2); }
P_FUNCTION_ p_uint_ p_native_group_(void)
{
	return P_GROUP_ID_(0) + P_GROUPS_(0) * (P_GROUP_ID_(1) + P_GROUPS_(1) * P_GROUP_ID_(2));
}
P_FUNCTION_ p_uint_ p_local_size_(void) { return P_LOCAL_SIZE_(0) * P_LOCAL_SIZE_(1) * P_LOCAL_SIZE_(2); }
P_FUNCTION_ p_uint_ p_local_id_(void)
{
	return P_LOCAL_ID_(0) + P_LOCAL_SIZE_(0) * (P_LOCAL_ID_(1) + P_LOCAL_SIZE_(1) * P_LOCAL_ID_(2));
}

/* Array `which` of the state, of those behind P_ARRAYS_. */
P_FUNCTION_ P_GLOBAL_ p_uint_ *p_array_(const p_context *p, p_uint_ which)
{
	return p->state + P_ARRAYS_ + which * p->launched;
}
#define P_PLACES_(p) p_array_(p, 0) /* M of Figure 3 */
#define P_FLAGS_(p) p_array_(p, 1) /* XF: 1, the group is there and not yet let go */
#define P_TREE_ARRIVED_(p) p_array_(p, 2) /* children that are there */
#define P_TREE_RELEASED_(p) p_array_(p, 3) /* the episode that the group may leave */
#define P_HEARD_(p, round) p_array_(p, 4 + (round)) /* dissemination: the latest episode in which this round's partner came */

P_FUNCTION_ p_uint_ p_get_num_groups(const p_context *p) { return p->groups; }
P_FUNCTION_ p_uint_ p_get_group_id(const p_context *p) { return p->group; }
P_FUNCTION_ p_uint_ p_get_global_id(const p_context *p) { return p->group * p_local_size_() + p_local_id_(); }
P_FUNCTION_ p_uint_ p_get_global_size(const p_context *p) { return p->groups * p_local_size_(); }

/* ---- Discovery: Figure 3 ---- */

enum { P_TICKET_LOCK, P_SPIN_LOCK };

/* The exchange is a release, too, as in the paper's published code.  A lock needs an acquire only; but then the request of a thread that has
 * just given the lock back follows right behind its own store, before those of all others.  A release waits for the store first. */
P_FUNCTION_ void p_lock_(P_GLOBAL_ p_uint_ *state, int kind)
{
	if (kind == P_SPIN_LOCK) {
		while (p_swap_acq_rel_(state + P_MUTEX_, 1) != 0)
			;
	} else {
		p_uint_ ticket = p_add_relaxed_(state + P_MUTEX_, 1);
		while (p_load_acquire_(state + P_SERVING_) != ticket)
			;
	}
}

P_FUNCTION_ void p_unlock_(P_GLOBAL_ p_uint_ *state, int kind)
{
	if (kind == P_SPIN_LOCK)
		p_store_release_(state + P_MUTEX_, 0);
	else /* only the holder writes it */
		p_store_release_(state + P_SERVING_, p_load_acquire_(state + P_SERVING_) + 1);
}

/* One thread of a group: the poll.  Writes its place in M, or leaves the 0 there. */
P_FUNCTION_ void p_poll_(const p_context *p, int lock, p_uint_ delay)
{
	P_GLOBAL_ p_uint_ *state = p->state;
	p_uint_ closed;

	p_lock_(state, lock);
	closed = state[P_CLOSED_];
	if (!closed)
		P_PLACES_(p)[p_native_group_()] = ++state[P_COUNT_];
	p_unlock_(state, lock);
	if (closed)
		return;
	for (p_uint_ k = 0; k < delay; k++) { /* others may queue in front of the closing phase (section 5.4) */
		p_lock_(state, lock);
		p_unlock_(state, lock);
	}
	p_lock_(state, lock);
	if (!state[P_CLOSED_])
		state[P_CLOSED_] = 1;
	p_unlock_(state, lock);
}

/* Tells Lockstep, for what it says of a hang; nothing elsewhere. */
P_FUNCTION_ void p_say_that_it_takes_part_(const p_context *p)
{
#ifdef __LOCKSTEP__
	__asm__ volatile("participant.u32 %0, %1;" : : "r"(p->group), "r"(p->groups));
#else
	(void)p;
#endif
}

/* Group: 1 in all its threads if it takes part, else 0.  `lock` is P_TICKET_LOCK, which finds nearly all groups that are resident, or
 * P_SPIN_LOCK, which finds few; `delay`, how often the lock is taken and given back between the two phases. */
P_FUNCTION_ int p_discover_with(p_context *p, P_GLOBAL_ p_uint_ *state, int lock, p_uint_ delay)
{
	p_uint_ place;

	p->state = state;
	p->launched = p_native_groups_();
	p->episode = 0;
	if (p_local_id_() == 0)
		p_poll_(p, lock, delay);
	P_GROUP_BARRIER_();
	place = P_PLACES_(p)[p_native_group_()];
	p->group = place - 1;
	p->groups = state[P_COUNT_];
	if (place != 0)
		p_say_that_it_takes_part_(p);
	return place != 0;
}

/* Group: the same, with the ticket lock and no delay, as the paper recommends for GPUs. */
P_FUNCTION_ int p_discover(p_context *p, P_GLOBAL_ p_uint_ *state) { return p_discover_with(p, state, P_TICKET_LOCK, 0); }

/* No discovery: all groups of the launch take part, under their own numbers.  The caller answers for it that they are resident together. */
P_FUNCTION_ void p_assume(p_context *p, P_GLOBAL_ p_uint_ *state)
{
	p->state = state;
	p->launched = p->groups = p_native_groups_();
	p->group = p_native_group_();
	p->episode = 0;
}

/* ---- Barriers.  Group: all threads of all groups that take part call the same one ---- */

/* Xiao and Feng's, with the orders that the paper proves (section 4.2): the flags are written by releases and read by acquires at device
 * scope, and nothing else is.  Group 0 is the master; each of its threads waits for the groups whose number is its own plus 1, modulo
 * the size of a group, and lets them go.  No read-modify-write. */
P_FUNCTION_ void p_barrier_xf(p_context *p)
{
	P_GLOBAL_ p_uint_ *flag = P_FLAGS_(p);
	p_uint_ first = p_local_id_() + 1, threads = p_local_size_();

	if (p->group == 0) {
		for (p_uint_ k = first; k < p->groups; k += threads)
			while (p_load_acquire_(flag + k) == 0)
				;
		P_GROUP_BARRIER_();
		for (p_uint_ k = first; k < p->groups; k += threads)
			p_store_release_(flag + k, 0);
	} else {
		P_GROUP_BARRIER_();
		if (p_local_id_() == 0) {
			p_store_release_(flag + p->group, 1);
			while (p_load_acquire_(flag + p->group) == 1)
				;
		}
		P_GROUP_BARRIER_();
	}
}

/* Those below, to compare: one thread of each group arrives and waits, between two barriers of the group.  Instead of a sense that is
 * reversed they use the number of the episode, but for the grid's. */

P_FUNCTION_ void p_arrive_central_(const p_context *p)
{
	P_GLOBAL_ p_uint_ *arrived = p->state + P_ARRIVED_, *released = p->state + P_RELEASED_;

	if (p_add_acq_rel_(arrived, 1) == p->groups - 1) {
		p_store_relaxed_(arrived, 0); /* before the release: the next to come has acquired it */
		p_store_release_(released, p->episode);
	} else {
		while (p_load_acquire_(released) != p->episode)
			;
	}
}

/* As the grid's barrier of CUDA's cooperative groups: a single word, to which group 0 adds what changes its top bit when all others have
 * added 1. */
P_FUNCTION_ void p_arrive_grid_(const p_context *p)
{
	P_GLOBAL_ p_uint_ *word = p->state + P_GRID_;
	p_uint_ old = p_add_acq_rel_(word, p->group == 0 ? 0x80000000u - (p->groups - 1) : 1);

	while (((old ^ p_load_acquire_(word)) & 0x80000000u) == 0)
		;
}

/* A node of the tree is a group; its children are the P_CHILDREN_ that follow P_CHILDREN_ times its number. */
P_FUNCTION_ void p_arrive_tree_(const p_context *p)
{
	P_GLOBAL_ p_uint_ *arrived = P_TREE_ARRIVED_(p), *released = P_TREE_RELEASED_(p);
	p_uint_ first = p->group * P_CHILDREN_ + 1, end = first + P_CHILDREN_;

	end = end < p->groups ? end : p->groups;
	if (first < end) {
		while (p_load_acquire_(arrived + p->group) != end - first)
			;
		p_store_relaxed_(arrived + p->group, 0);
	}
	if (p->group != 0) {
		p_add_acq_rel_(arrived + (p->group - 1) / P_CHILDREN_, 1);
		while (p_load_acquire_(released + p->group) != p->episode)
			;
	}
	for (p_uint_ k = first; k < end; k++)
		p_store_release_(released + k, p->episode);
}

/* Round r tells the group 2^r further on.  A partner may be an episode ahead, never behind what it has told. */
P_FUNCTION_ void p_arrive_dissemination_(const p_context *p)
{
	p_uint_ round = 0;

	for (p_uint_ step = 1; step < p->groups; step *= 2, round++) {
		P_GLOBAL_ p_uint_ *heard = P_HEARD_(p, round);
		p_store_release_(heard + (p->group + step) % p->groups, p->episode);
		while ((int)(p_load_acquire_(heard + p->group) - p->episode) < 0)
			;
	}
}

#define P_BARRIER_OF_(kind)                                                                                            \
	P_FUNCTION_ void p_barrier_##kind(p_context *p)                                                                \
	{                                                                                                              \
		p->episode++;                                                                                          \
		P_GROUP_BARRIER_();                                                                                    \
		if (p_local_id_() == 0)                                                                                \
			p_arrive_##kind##_(p);                                                                         \
		P_GROUP_BARRIER_();                                                                                    \
	}
P_BARRIER_OF_(central)
P_BARRIER_OF_(grid)
P_BARRIER_OF_(tree)
P_BARRIER_OF_(dissemination)
#undef P_BARRIER_OF_

#endif /* of device code */
#endif
