// Firmware restarts what did not yield.
// launch: --gpu apu-2014 --mode timing --divergence stack --scheduler lrr --spin none --backoff none --coherence write-through-invalidate --firmware restarts --arg buf:word:u32:64
#include <lockstep_control.h>

kernel void nothing(__global uint *word) {}

kernel void restarts(__global uint *word)
{
	__lockstep_restart((ulong)word);
}
