// Firmware polls what work-groups write, with loads that it has made before: none of the words may stay old in its data cache, nor in another
// core's.  Each turn is one dispatch; the group answers with the turn's number and leaves data behind a fence.
// launch: --gpu apu-2014 --mode timing --divergence stack --scheduler lrr --spin none --backoff none --coherence moesi --firmware poll --arg buf:word:u32:64 --arg buf:seen:u32:8 --dump seen
// launch through: --gpu apu-2014 --mode timing --divergence stack --scheduler lrr --spin none --backoff none --coherence write-through-invalidate --firmware poll --arg buf:word:u32:64 --arg buf:seen:u32:8 --dump seen
// launch simple: --gpu apu-2014 --mode timing --divergence stack --scheduler lrr --spin none --backoff none --coherence moesi --control simple --firmware poll --arg buf:word:u32:64 --arg buf:seen:u32:8 --dump seen
#include <lockstep_control.h>

kernel void answer(__global volatile uint *word)
{
	if (get_local_id(0) == 0) {
		word[33] += word[32];
		atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_seq_cst, memory_scope_device);
		word[0] = word[32];
	}
}

kernel void poll(__global volatile uint *word, __global uint *seen)
{
	for (uint turn = 1; turn <= 8; turn++) {
		word[32] = turn;
		__lockstep_dispatch(0, 1, (ulong)word);
		while (word[0] != turn)
			;
		atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_seq_cst, memory_scope_device);
		seen[turn - 1] = word[33];
		while (__lockstep_outstanding(LOCKSTEP_ALL_KERNELS))
			;
	}
}
