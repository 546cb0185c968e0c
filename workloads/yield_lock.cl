/* Insertion into a chained hash table with a lock per bucket, as ht.cl, and with `work` steps more in each critical section.  With YIELDS a
 * wavefront of which some work-item has not got its lock TRIES times yields, and firmware restarts it when the lock is free. */
#ifdef YIELDS
#include <lockstep_control.h>
#endif

/* The value, n instructions later, of which each needs the one before. */
int slowly(int value, uint n)
{
	for (uint k = 0; k < n; k++)
		__asm__ volatile("xor.b32 %0, %0, 0;" : "+r"(value));
	return value;
}

void insert_all(global const uint *keys, volatile global int *locks, volatile global int *heads, global int *next, uint items, uint buckets,
	uint work)
{
	for (uint item = get_global_id(0); item < items; item += get_global_size(0)) {
		volatile global int *lock = &locks[keys[item] % buckets];
#ifdef YIELDS
		uint tries = 0;
#endif
		for (bool done = false; !done;) {
			if (atomic_cmpxchg(lock, 0, 1) == 0) {
				mem_fence(CLK_GLOBAL_MEM_FENCE);
				next[item] = slowly(heads[keys[item] % buckets], work);
				heads[keys[item] % buckets] = (int)item;
				done = true;
				mem_fence(CLK_GLOBAL_MEM_FENCE);
				atomic_xchg(lock, 0);
			}
#ifdef YIELDS
			if (!done && ++tries % TRIES == 0)
				__lockstep_yield((ulong)lock);
#endif
		}
	}
}

#ifndef YIELDS
kernel void insert(global const uint *keys, volatile global int *locks, volatile global int *heads, global int *next, uint items, uint buckets,
	uint work)
{
	insert_all(keys, locks, heads, next, items, buckets, work);
}
#else
global struct {
	global const uint *keys;
	volatile global int *locks, *heads;
	global int *next;
	uint items, buckets, work;
} own;

kernel void insert(ulong nothing)
{
	insert_all(own.keys, own.locks, own.heads, own.next, own.items, own.buckets, own.work);
}

/* Of wavefronts that wait for one lock it restarts one in a turn. */
kernel void restart(global const uint *keys, volatile global int *locks, volatile global int *heads, global int *next, uint items,
	uint buckets, uint work, uint groups)
{
	ulong context[MOST_GROUPS], lock[MOST_GROUPS];
	uint waiting = 0;

	own.keys = keys;
	own.locks = locks;
	own.heads = heads;
	own.next = next;
	own.items = items;
	own.buckets = buckets;
	own.work = work;
	__lockstep_dispatch(0, groups, 0);
	while (__lockstep_outstanding(0)) {
		ulong taken, chosen = 0;
		while ((taken = __lockstep_take_restart()) != 0) {
			context[waiting] = taken;
			lock[waiting++] = *(volatile global ulong *)taken;
		}
		for (uint k = 0; k < waiting;) {
			const ulong bit = 1ul << (lock[k] >> 2 & 63);
			if ((chosen & bit) == 0 && *(volatile global int *)lock[k] == 0) {
				chosen |= bit;
				__lockstep_restart(context[k]);
				context[k] = context[--waiting];
				lock[k] = lock[waiting];
			} else {
				k++;
			}
		}
	}
}
#endif
