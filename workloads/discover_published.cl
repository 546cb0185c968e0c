/* The discovery that paper 4 has timed (section 5.1): that of its published code, which differs from Figure 3 and lockstep_barrier.h in two
 * ways.  A group that finds the poll closed takes the lock a second time, too, and counts that it is through: there, the last one puts the
 * words back for the next launch.  And all words of the protocol lie in the lock's line, so the accesses of the group that has the lock wait
 * behind the requests of those that spin.  Kernel and options are those of discover.cl. */
#include <lockstep_barrier.h>
#ifndef LOCK
#define LOCK P_TICKET_LOCK
#define DELAY 0
#define BARRIER p_barrier_xf
#endif

enum { CLOSED = 2, COUNT = 3, THROUGH = 4 }; /* words of the state; the lock has the first two */

/* One thread of a group.  Its place, one more than the group's new number; 0, it does not take part. */
static inline uint poll(global uint *state)
{
	uint place = 0;

	p_lock_(state, LOCK);
	if (!state[CLOSED])
		place = ++state[COUNT];
	p_unlock_(state, LOCK);
	for (uint k = 0; place && k < DELAY; k++) {
		p_lock_(state, LOCK);
		p_unlock_(state, LOCK);
	}
	p_lock_(state, LOCK);
	state[THROUGH]++;
	if (!state[CLOSED])
		state[CLOSED] = 1;
	p_unlock_(state, LOCK);
	return place;
}

/* found, sums: as in discover.cl.  `trust`: not for this form. */
kernel void discover(global uint *state, global uint *found, global uint *sums, uint trust, uint times, local uchar *room)
{
	p_context p;
	local uint place;

	if (get_local_id(0) == 0) {
		room[0] = 1;
		place = poll(state);
	}
	barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
	if (!place || trust)
		return;
	p_assume(&p, state);
	p.group = place - 1;
	p.groups = state[COUNT]; /* the poll is closed */
	if (get_local_id(0) == 0) {
		atomic_fetch_add_explicit((volatile global atomic_uint *)&found[1 + p_get_group_id(&p)], room[0],
			memory_order_relaxed, memory_scope_device);
		if (p_get_group_id(&p) == 0)
			found[0] = p_get_num_groups(&p);
	}
	uint size = p_get_global_size(&p), me = p_get_global_id(&p), next = (me + get_local_size(0)) % size;
	for (uint k = 0; k < times; k++) {
		uint before = k == 0 ? 0 : sums[(k + 1) % 2 * size + next];
		sums[k % 2 * size + me] = before + 1;
		BARRIER(&p);
	}
}
