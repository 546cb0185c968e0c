/* Insertion into a chained hash table with a lock per bucket (paper 2, Fig. 1a).  LOCK_WORDS: from one lock to the next. */
#ifndef LOCK_WORDS
#define LOCK_WORDS 1
#endif

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
