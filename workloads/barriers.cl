/* What a barrier between work-groups costs: `times` of them and nothing else, or with a check.  BARRIER is the program's choice. */
#include <lockstep_barrier.h>
#ifndef BARRIER
#define BARRIER p_barrier_xf
#endif

kernel void meet(global uint *state, uint times)
{
	p_context p;

	p_assume(&p, state);
	for (uint k = 0; k < times; k++)
		BARRIER(&p);
}

/* Each thread says where it is, and counts how often the one of the next group is not there, too. */
kernel void check(global uint *state, uint times, global uint *at, global uint *wrong)
{
	const uint size = get_global_size(0), me = get_global_id(0), next = (me + get_local_size(0)) % size;
	p_context p;

	p_assume(&p, state);
	for (uint k = 1; k <= times; k++) {
		at[k % 2 * size + me] = k;
		BARRIER(&p);
		if (at[k % 2 * size + next] != k)
			atomic_inc(wrong);
	}
}

/* A launch is a barrier, too. */
kernel void nothing(global uint *state)
{
}
