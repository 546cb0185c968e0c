/* Insertion into a chained hash table with a lock per bucket (paper 2, Fig. 1a).  LOCK_WORDS: from one lock to the next. */
#ifndef LOCK_WORDS
#define LOCK_WORDS 1
#endif

#ifdef BARRIERS
/* With a barrier of the work-group between attempts, as BarnesHut's tree building has it (paper 2, VI). */
kernel void insert(global const uint *keys, volatile global int *locks, volatile global int *heads, global int *next,
	uint items, uint buckets)
{
	local int left;
	for (uint first = 0; first < items; first += get_global_size(0)) {
		uint item = first + get_global_id(0), bucket = item < items ? keys[item] % buckets : 0;
		bool done = item >= items, all_done = false;
		while (!all_done) {
			barrier(CLK_LOCAL_MEM_FENCE);
			left = 0;
			barrier(CLK_LOCAL_MEM_FENCE);
			if (!done && atomic_cmpxchg(&locks[bucket * LOCK_WORDS], 0, 1) == 0) {
				mem_fence(CLK_GLOBAL_MEM_FENCE);
				next[item] = heads[bucket];
				heads[bucket] = (int)item;
				done = true;
				mem_fence(CLK_GLOBAL_MEM_FENCE);
				atomic_xchg(&locks[bucket * LOCK_WORDS], 0);
			}
			if (!done)
				left = 1;
			barrier(CLK_LOCAL_MEM_FENCE);
			all_done = !left;
		}
	}
}
#elif defined(LOCK_INSTRUCTIONS)
/* With the lock instructions of paper 1. */
kernel void insert(global const uint *keys, volatile global int *locks, volatile global int *heads, global int *next,
	uint items, uint buckets)
{
	for (uint item = get_global_id(0); item < items; item += get_global_size(0)) {
		uint bucket = keys[item] % buckets;
		__lockstep_lock(&locks[bucket * LOCK_WORDS]);
		next[item] = heads[bucket];
		heads[bucket] = (int)item;
		__lockstep_unlock(&locks[bucket * LOCK_WORDS]);
	}
}
#else
kernel void insert(global const uint *keys, volatile global int *locks, volatile global int *heads, global int *next,
	uint items, uint buckets)
{
	for (uint item = get_global_id(0); item < items; item += get_global_size(0)) {
		uint bucket = keys[item] % buckets;
		bool done = false;
		while (!done) {
			if (atomic_cmpxchg(&locks[bucket * LOCK_WORDS], 0, 1) == 0) {
				mem_fence(CLK_GLOBAL_MEM_FENCE);
				next[item] = heads[bucket];
				heads[bucket] = (int)item;
				done = true;
				mem_fence(CLK_GLOBAL_MEM_FENCE);
				atomic_xchg(&locks[bucket * LOCK_WORDS], 0);
			}
		}
	}
}
#endif
