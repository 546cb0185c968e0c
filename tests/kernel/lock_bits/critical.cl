// The divergent form (paper 3, Listing 8): all threads of a group add to one word under its bit, and to four others under theirs, within the warp and between
// warps; all on the words of one bit, too, where aliases only cost time.
// launch: --grid 2 --block 128 --set shared.lock_bits=1024 --arg buf:out:s32:12 --dump out
#include <lockstep_lock_bits.h>

kernel void critical(global int *out)
{
	LOCKSTEP_LOCK_UNIT();
	volatile local int one, four[4], far[2048];
	uint t = get_local_id(0);
	if (t < 4)
		four[t] = 0;
	if (t == 0)
		one = far[5] = far[5 + 1024] = 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	LOCKSTEP_BIT_CRITICAL(&one, value) { value += 1; }
	LOCKSTEP_BIT_CRITICAL(&four[t % 4], value) { value += t; }
	for (uint k = 0; k < 2; k++)
		LOCKSTEP_BIT_CRITICAL(&far[5 + 1024 * (t % 2)], value) { value += 3; }
	barrier(CLK_LOCAL_MEM_FENCE);
	if (t < 6)
		out[get_group_id(0) * 6 + t] = t == 0 ? one : t < 5 ? four[t - 1] : far[5] + far[5 + 1024];
}
