// Misuse: what firmware does wrong is a finding with its line.
// launch: --gpu apu-2014 --mode timing --divergence stack --scheduler lrr --spin none --backoff none --coherence write-through-invalidate --control simple --firmware firmware --arg buf:data:u32:64 --dump data
// launch plain: --gpu apu-2014 --mode timing --divergence stack --scheduler lrr --spin none --backoff none --coherence write-through-invalidate --firmware firmware --arg buf:data:u32:64 --dump data
#include <lockstep_control.h>
kernel void one(__global uint *data) { data[get_global_id(0)] = 1; }
kernel void firmware(__global uint *data)
{
	__lockstep_dispatch(0, 3, (ulong)data);
}
