/* Transfers between accounts under two nested locks (paper 2, Fig. 6a): who does not get the second gives the first back,
 * so no lane keeps a lock while others of its warp try. */
kernel void transfer(global const int4 *transactions, volatile global int *locks, volatile global int *balances, uint count)
{
	for (uint k = get_global_id(0); k < count; k += get_global_size(0)) {
		int source = transactions[k].x, target = transactions[k].y, amount = transactions[k].z;
		/* In one order: two lanes that take each other's first lock in step would do so for ever. */
		int first = min(source, target), second = max(source, target);
		bool done = false;
		while (!done) {
			if (atomic_cmpxchg(&locks[first], 0, 1) == 0) {
				if (atomic_cmpxchg(&locks[second], 0, 1) == 0) {
					mem_fence(CLK_GLOBAL_MEM_FENCE);
					balances[source] -= amount;
					balances[target] += amount;
					mem_fence(CLK_GLOBAL_MEM_FENCE);
					atomic_xchg(&locks[second], 0);
					atomic_xchg(&locks[first], 0);
					done = true;
				} else {
					atomic_xchg(&locks[first], 0);
				}
			}
		}
	}
}
