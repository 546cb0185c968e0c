// Two kernels.  The lanes of `count` add to a word, and each of its work-groups says in another that it has ended; firmware waits for that
// word to change, until all have, then has `twice` double the sum, and stores what it then reads itself.
// launch: --gpu apu-2014 --mode timing --divergence stack --scheduler lrr --spin none --backoff none --coherence write-through-invalidate --control simple --firmware both --dispatches count --dispatches twice --arg buf:words:u32:64 --dump words
// launch light-ooo-2: --gpu apu-2014 --mode timing --divergence stack --scheduler lrr --spin none --backoff none --coherence write-through-invalidate --control light-ooo-2 --firmware both --dispatches count --dispatches twice --arg buf:words:u32:64 --dump words
// launch plain: --gpu apu-2014 --mode timing --divergence stack --scheduler lrr --spin none --backoff none --coherence write-through-invalidate --firmware both --dispatches count --dispatches twice --arg buf:words:u32:64 --dump words
// launch ooo-4: --gpu apu-2014 --mode timing --divergence stack --scheduler lrr --spin none --backoff none --coherence write-through-invalidate --control ooo-4 --firmware both --dispatches count --dispatches twice --arg buf:words:u32:64 --dump words
#include <lockstep_control.h>

kernel void count(__global uint *words)
{
	atomic_add((volatile __global uint *)&words[0], 1);
	mem_fence(CLK_GLOBAL_MEM_FENCE);
	if (get_local_id(0) == 0)
		atomic_add((volatile __global uint *)&words[32], 1);
}

kernel void twice(__global uint *words)
{
	if (get_global_id(0) == 0)
		words[0] *= 2;
}

kernel void both(__global uint *words)
{
	uint seen = 0, waits = 0;

	__lockstep_dispatch(0, 7, (ulong)words);
	while (seen != 7) {
		seen = __lockstep_wait_change(&words[32], seen);
		waits++;
	}
	while (__lockstep_outstanding(0))
		;
	__lockstep_dispatch(1, 1, (ulong)words);
	while (__lockstep_outstanding(1))
		;
	words[33] = *(volatile __global uint *)&words[0];
	words[34] = waits >= 1 && waits <= 7;
	words[35] = atomic_add((volatile __global uint *)&words[36], 5);
}
