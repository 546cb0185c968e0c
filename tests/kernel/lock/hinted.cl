// A lock for one work-item of each warp; where it fails stands the hint.  The loop under the lock has none.
// launch hinted: --grid 12 --block 64 --arg buf:lock:s32:1:zero --arg buf:count:u32:1:zero --arg s32:4 --dump lock --dump count --spin marked --backoff bows
// launch adaptive: --grid 12 --block 64 --arg buf:lock:s32:1:zero --arg buf:count:u32:1:zero --arg s32:4 --dump lock --dump count --spin marked --backoff bows-adaptive
// launch unheard: --spin none --backoff none --grid 12 --block 64 --arg buf:lock:s32:1:zero --arg buf:count:u32:1:zero --arg s32:4 --dump lock --dump count
#ifndef __lockstep_spin // on other implementations
#define __lockstep_spin()
#endif
kernel void hinted(global volatile int *lock, global volatile uint *count, int times)
{
	if (get_local_id(0) % 32)
		return;
	bool got;
	do {
		got = atomic_cmpxchg(lock, 0, 1) == 0;
		if (got) {
			for (int k = 0; k < times; k++)
				*count += 1;
			mem_fence(CLK_GLOBAL_MEM_FENCE);
			atomic_xchg(lock, 0);
		} else {
			__lockstep_spin();
		}
	} while (!got);
}
