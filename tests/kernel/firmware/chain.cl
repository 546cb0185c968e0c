// A chain of dispatches: each of five rounds adds its number, and 1000 for each work-group of its call, to 128 words, when the round before
// has ended.  Kernels see what firmware has stored before the dispatch, and what other cores stored in the rounds before.
// Launch `seldom` takes more than the 2,000 cycles after which firmware is called stuck if nothing begins or ends; here groups do.
// launch: --gpu apu-2014 --mode timing --divergence stack --scheduler lrr --spin none --backoff none --coherence write-through-invalidate --control simple --firmware chain --arg buf:data:u32:128 --arg buf:seen:u32:16 --dump data --dump seen
// launch seldom: --gpu apu-2014 --mode timing --divergence stack --scheduler lrr --spin none --backoff none --coherence write-through-invalidate --control simple --firmware chain --arg buf:data:u32:128 --arg buf:seen:u32:16 --dump data --dump seen --hang-after 2000
// launch light-ooo-2: --gpu apu-2014 --mode timing --divergence stack --scheduler lrr --spin none --backoff none --coherence write-through-invalidate --control light-ooo-2 --firmware chain --arg buf:data:u32:128 --arg buf:seen:u32:16 --dump data --dump seen
// launch plain: --gpu apu-2014 --mode timing --divergence stack --scheduler lrr --spin none --backoff none --coherence write-through-invalidate --firmware chain --arg buf:data:u32:128 --arg buf:seen:u32:16 --dump data --dump seen
// launch ooo-4: --gpu apu-2014 --mode timing --divergence stack --scheduler lrr --spin none --backoff none --coherence write-through-invalidate --control ooo-4 --firmware chain --arg buf:data:u32:128 --arg buf:seen:u32:16 --dump data --dump seen
#include <lockstep_control.h>

struct job {
	__global uint *data;
	uint round;
};

kernel void add(__global struct job *job)
{
	job->data[get_global_id(0)] += job->round + 1000 * get_num_groups(0);
}

kernel void chain(__global uint *data, __global uint *seen)
{
	__global struct job *job = (__global struct job *)(seen + 8);

	seen[0] = __lockstep_free_contexts(0);
	for (uint round = 1; round <= 5; round++) {
		job->data = data;
		job->round = round;
		__lockstep_dispatch(0, 2, (ulong)job);
		seen[1] += __lockstep_outstanding(0);
		while (__lockstep_outstanding(LOCKSTEP_ALL_KERNELS))
			;
	}
	seen[2] = __lockstep_free_contexts(0);
}
