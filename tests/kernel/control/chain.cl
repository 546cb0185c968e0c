// Firmware that dispatches a chain: each of 5 rounds adds its number to 128 words, by two work-groups, when the round before has ended.
// args: --control simple --gpu apu-2014 --firmware chain --arg buf:data:u32:128 --arg buf:seen:u32:16
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
}
