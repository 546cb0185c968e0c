// Channels between threads of different warps: one producer and one consumer, one producer and two consumers, two producers and one consumer, a channel for
// each consumer (paper 3, sections 4.3 and 6).  Threads 64 apart, so that no warp, whatever its width, has both.
// launch: --grid 3 --block 192 --set shared.lock_bits=8192 --arg buf:out:s32:1728 --dump out
#include <lockstep_lock_bits.h>

kernel void channels(global int *out)
{
	LOCKSTEP_LOCK_UNIT();
	volatile local int one[64], all[64], sum[128], mine[128];
	uint t = get_local_id(0) % 64, part = get_local_id(0) / 64;
	global int *to = out + (get_group_id(0) * 192 + get_local_id(0)) * 3;
	if (part == 0) {
		lockstep_channel_close(&one[t]);
		lockstep_channel_close(&all[t]);
		lockstep_channel_close(&mine[t]);
		lockstep_channel_close(&mine[t + 64]);
	} else
		lockstep_channel_close(&sum[t + 64 * (part - 1)]);
	barrier(CLK_LOCAL_MEM_FENCE);
	if (part == 0) {
		lockstep_channel_put(&one[t], 1000 + t);
		lockstep_channel_put(&all[t], 2000 + t);
		lockstep_channel_put_all(&mine[t], 2, 64, 3000 + t);
		to[0] = lockstep_channel_sum(&sum[t], 2, 64);
		to[1] = to[2] = 0;
	} else {
		to[0] = lockstep_channel_get(&all[t]);
		lockstep_channel_put(&sum[t + 64 * (part - 1)], 10 * part);
		to[1] = lockstep_channel_get(&mine[t + 64 * (part - 1)]);
		to[2] = part == 1 ? lockstep_channel_take(&one[t]) : 0;
		if (part == 1) /* it was closed again */
			lockstep_bit_unlock(&one[t], 0);
	}
}
