// Eight wavefronts take a turn each, in the order in which they were dispatched, but the first begins last: a wavefront whose turn it is not
// yields, and firmware restarts those whose turn has come.  All registers, local and shared memory come through a yield: each lane adds what it
// keeps there to what it writes.
// launch: --gpu apu-2014 --mode timing --divergence stack --scheduler lrr --spin none --backoff none --firmware turns --arg buf:word:u32:64 --arg buf:total:u32:64 --dump word --dump total
// launch through: --gpu apu-2014 --mode timing --coherence write-through-invalidate --spin none --backoff none --firmware turns --arg buf:word:u32:64 --arg buf:total:u32:64 --dump word --dump total
// launch one: --gpu apu-2014 --set core.count=1 --set core.threads=256 --set lesser.threads=256 --mode timing --divergence stack --scheduler lrr --spin none --backoff none --firmware turns --arg buf:word:u32:64 --arg buf:total:u32:64 --dump word --dump total
#include <lockstep_control.h>

struct job {
	__global volatile uint *word;
	__global volatile uint *sum;
};

kernel void turn(__global struct job *job)
{
	local uint kept[64];
	const uint lane = get_local_id(0), mine = 7 - get_group_id(0);
	uint own[4];
	__global volatile uint *word = job->word;
	__global volatile uint *sum = job->sum;

	kept[lane] = lane * 3;
	for (uint k = 0; k < 4; k++)
		own[(k + lane) % 4] = k + mine;
	while (word[0] != mine)
		__lockstep_yield(mine);
	sum[lane] += kept[lane] + own[lane % 4];
	atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_seq_cst, memory_scope_device);
	if (lane == 0)
		word[0] = mine + 1;
}

kernel void turns(__global volatile uint *word, __global volatile uint *sum)
{
	__global struct job *job = (__global struct job *)(word + 32);
	ulong waiting[8] = {0};

	job->word = word;
	job->sum = sum;
	__lockstep_dispatch(0, 8, (ulong)job);
	while (__lockstep_outstanding(0)) {
		const uint now = word[0];
		ulong context = __lockstep_take_restart();

		if (context) {
			waiting[*(__global volatile ulong *)context] = context;
			word[2]++;
		}
		if (now < 8 && waiting[now]) {
			context = waiting[now];
			waiting[now] = 0;
			__lockstep_restart(context);
			word[3]++;
		}
	}
}
