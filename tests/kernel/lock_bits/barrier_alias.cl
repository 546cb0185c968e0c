// Before the barrier every warp takes a bit, two of them that of one: the one that has it waits at the barrier for the other, which waits for the bit
// (paper 3, section 4.4.2, the second condition).
// launch: --block 128 --set shared.lock_bits=1024 --arg buf:out:s32:128 --dump out
#include <lockstep_lock_bits.h>

kernel void barrier_alias(global int *out)
{
	LOCKSTEP_LOCK_UNIT();
	volatile local int words[2048];
	uint t = get_local_id(0), half_of = t / 64;
	if (t % 64 == 0)
		lockstep_bit_wait(&words[9 + 1024 * half_of]);
	barrier(CLK_LOCAL_MEM_FENCE);
	if (t % 64 == 0)
		lockstep_bit_unlock(&words[9 + 1024 * half_of], 0);
	out[t] = 1;
}
