// Firmware returns while a wavefront that has yielded is left.
// launch: --gpu apu-2014 --mode timing --divergence stack --scheduler lrr --spin none --backoff none --coherence write-through-invalidate --firmware forgets --arg buf:word:u32:64
#include <lockstep_control.h>

kernel void yields(__global uint *word)
{
	__lockstep_yield(1);
}

kernel void forgets(__global uint *word)
{
	__lockstep_dispatch(0, 1, (ulong)word);
	while (!__lockstep_take_restart())
		;
}
