/* Transactions between accounts, each under the locks of both, taken in the order of account numbers (paper 1, Section 6.5.3). */
#ifndef __LOCKSTEP__ /* elsewhere than under Lockstep */
#include "lockstep_locks.h"
#endif

/* Example 19: a lock is free at 0; who has got the first keeps it and tries for the second only. */
kernel void transact_atomics(
	global const int4 *transactions, volatile global int *locks, volatile global int *balances, uint count)
{
	for (uint k = get_global_id(0); k < count; k += get_global_size(0)) {
		int source = transactions[k].x, target = transactions[k].y, amount = transactions[k].z;
		int first = min(source, target), second = max(source, target);
		bool has_first = false, done = false;
		while (!done) {
			if (has_first || atomic_cmpxchg(&locks[first], 0, 1) == 0) {
				has_first = true;
				if (atomic_cmpxchg(&locks[second], 0, 1) == 0) {
					mem_fence(CLK_GLOBAL_MEM_FENCE);
					balances[source] -= amount;
					balances[target] += amount;
					mem_fence(CLK_GLOBAL_MEM_FENCE);
					locks[second] = 0;
					locks[first] = 0;
					done = true;
				}
			}
		}
	}
}

/* Example 20. */
kernel void transact_locks(
	global const int4 *transactions, volatile global int *locks, volatile global int *balances, uint count)
{
	for (uint k = get_global_id(0); k < count; k += get_global_size(0)) {
		int source = transactions[k].x, target = transactions[k].y, amount = transactions[k].z;
		int first = min(source, target), second = max(source, target);
		__lockstep_lock(&locks[first]);
		__lockstep_lock(&locks[second]);
		balances[source] -= amount;
		balances[target] += amount;
		__lockstep_unlock(&locks[second]);
		__lockstep_unlock(&locks[first]);
	}
}
