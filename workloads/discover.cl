/* One microbenchmark of paper 4, section 5.1, with the language's atomics: discovery, or all groups on trust, then barriers.  LOCK, DELAY
 * and BARRIER are what the program chooses.  `room` is the local memory that limits how many groups are resident. */
#include <lockstep_barrier.h>
#ifndef LOCK
#define LOCK P_TICKET_LOCK
#define DELAY 0
#define BARRIER p_barrier_xf
#endif

/* found: how many take part, and for each number how often it was given; sums: what each thread counted. */
kernel void discover(global uint *state, global uint *found, global uint *sums, uint trust, uint times, local uchar *room)
{
	p_context p;

	if (get_local_id(0) == 0)
		room[0] = 1;
	if (trust)
		p_assume(&p, state);
	else if (!p_discover_with(&p, state, LOCK, DELAY))
		return;
	if (get_local_id(0) == 0) {
		atomic_fetch_add_explicit((volatile global atomic_uint *)&found[1 + p_get_group_id(&p)], room[0],
			memory_order_relaxed, memory_scope_device);
		if (p_get_group_id(&p) == 0)
			found[0] = p_get_num_groups(&p);
	}
	/* A turn adds what the next group has come to, and 1: all are at the same number, or a barrier has let a thread through. */
	uint size = p_get_global_size(&p), me = p_get_global_id(&p), next = (me + get_local_size(0)) % size;
	for (uint k = 0; k < times; k++) {
		uint before = k == 0 ? 0 : sums[(k + 1) % 2 * size + next];
		sums[k % 2 * size + me] = before + 1;
		BARRIER(&p);
	}
}
