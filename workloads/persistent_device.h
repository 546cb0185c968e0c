/* What kernels of persistent work-groups share: who takes part, and lists of work that all groups fill.  OpenCL C 2.0.
 * TRUST, which the host defines or not, is the form: the groups of the launch are resident together and all take part,
 * or it is found out which are. */
#ifndef LOCKSTEP_WORKLOADS_PERSISTENT_DEVICE_H
#define LOCKSTEP_WORKLOADS_PERSISTENT_DEVICE_H

#include <lockstep_barrier.h>

/* Group: 1 in all its threads if it takes part, else 0. */
static inline int enter(p_context *p, global uint *state, global uint *taking)
{
#ifdef TRUST
	p_assume(p, state);
#else
	if (!p_discover(p, state))
		return 0;
#endif
	if (p_get_global_id(p) == 0)
		*taking = p_get_num_groups(p);
	return 1;
}

/* A word that threads of several groups write between two barriers. */
static inline uint load_relaxed(global uint *word)
{
	return atomic_load_explicit((volatile global atomic_uint *)word, memory_order_relaxed, memory_scope_device);
}
static inline void store_relaxed(global uint *word, uint value)
{
	atomic_store_explicit((volatile global atomic_uint *)word, value, memory_order_relaxed, memory_scope_device);
}

/* ---- A work list ----
 *
 * Words in global memory and their number; readable behind the next barrier between groups.  A group gathers what its
 * threads add in local memory, and writes it behind the rest in one piece: one atomic operation on the number for many
 * words. */

#define GATHERED 1024u /* words that a group keeps; what is more goes to the list one by one */

struct gather {
	uint words[GATHERED];
	uint count, base;
};

/* Group.  Before the first list_add. */
static inline void list_begin(local struct gather *gather)
{
	if (get_local_id(0) == 0)
		gather->count = 0;
	barrier(CLK_LOCAL_MEM_FENCE);
}

static inline void list_add(local struct gather *gather, global uint *list, global uint *count, uint word)
{
	uint at = atomic_inc(&gather->count);

	if (at < GATHERED)
		gather->words[at] = word;
	else
		list[atomic_inc(count)] = word;
}

/* Group.  After this its threads may add again. */
static inline void list_write(local struct gather *gather, global uint *list, global uint *count)
{
	uint gathered;

	barrier(CLK_LOCAL_MEM_FENCE);
	gathered = min(gather->count, GATHERED);
	if (get_local_id(0) == 0 && gathered > 0)
		gather->base = atomic_add(count, gathered);
	barrier(CLK_LOCAL_MEM_FENCE);
	if (get_local_id(0) == 0)
		gather->count = 0;
	for (uint k = get_local_id(0); k < gathered; k += get_local_size(0))
		list[gather->base + k] = gather->words[k];
	barrier(CLK_LOCAL_MEM_FENCE);
}

#endif
