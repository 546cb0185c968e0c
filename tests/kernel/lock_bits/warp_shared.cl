// One bit for a warp, with a vote (paper 3, Listing 9): each warp waits for the one before it and adds to what its lanes have put.
// launch: --grid 2 --block 256 --set shared.lock_bits=1024 --arg buf:out:s32:512 --dump out
#include <lockstep_lock_bits.h>

kernel void warp_shared(global int *out)
{
	LOCKSTEP_LOCK_UNIT();
	volatile local int sums[256], bits[8];
	uint t = get_local_id(0), lanes = get_max_sub_group_size(), warp = t / lanes;
	int got = lockstep_warp_lock(&bits[warp]);
	barrier(CLK_LOCAL_MEM_FENCE);
	if (warp > 0) {
		lockstep_warp_wait(&bits[warp - 1]);
		lockstep_warp_unlock(&bits[warp - 1], 0);
	}
	sums[t] = (warp > 0 ? sums[t - lanes] : 0) + (got ? 1 : 1000);
	lockstep_warp_unlock(&bits[warp], 0);
	out[get_group_id(0) * 256 + t] = sums[t];
}
