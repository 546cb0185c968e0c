// Producer and consumer in one warp without the divergent form (paper 3, section 4.4.1): P3-07.  With independent threads it completes.
// launch: --block 32 --set shared.lock_bits=1024 --arg buf:out:s32:32 --dump out
#include <lockstep_lock_bits.h>

kernel void producer_in_warp(global int *out)
{
	LOCKSTEP_LOCK_UNIT();
	volatile local int words[64];
	uint t = get_local_id(0);
	int value = 0;
	if (t == 0)
		lockstep_channel_close(&words[8]);
	barrier(CLK_LOCAL_MEM_FENCE);
	if (t == 1)
		value = lockstep_channel_take(&words[8]);
	if (t == 0)
		lockstep_channel_put(&words[8], 5);
	out[t] = value;
	if (t == 1)
		lockstep_bit_unlock(&words[8], 0);
}
