// Two calls in two arms of a branch are two calls, though they are spelled alike: each sees the lanes of its own arm.
// CUDA C++ Programming Guide, warp vote and match functions: __activemask() gives the threads that are active at the call.
// launch: --block 64 --arg buf:out:s32:1024:zero --dump out
#define BOTH(F)                                                                                                        \
	if (lane < 4)                                                                                                  \
		*o++ = F;                                                                                              \
	else                                                                                                           \
		*o++ = F;

__device__ __noinline__ int count(int x)
{
	return x * __popc(__activemask());
}

__device__ int by_hand(void)
{
	unsigned mask;
	asm volatile("activemask.b32 %0;" : "=r"(mask));
	return mask;
}

__device__ int mine(unsigned own)
{
	return __ballot_sync(own, 1);
}

extern "C" __global__ void warp_arms(int *out)
{
	int lane = threadIdx.x % 32, *o = out + 16 * threadIdx.x, seen = 0;
	unsigned own = lane < 4 ? 0xfu : 0xfffffff0u;
	BOTH((int)__activemask())
	BOTH((int)__ballot(lane & 1))
	BOTH(__any(lane < 4))
	BOTH(__all(lane < 4))
	BOTH(__shfl(lane, own == 15 ? 1 : 7))
	BOTH(__shfl_xor(lane, 2))
	BOTH(count(1))
	BOTH(by_hand())
	BOTH(mine(own))
	BOTH((int)__match_any_sync(__activemask(), lane / 2))
	BOTH((int)__reduce_add_sync(__activemask(), 1u))
	BOTH(__popc(__ballot_sync(own, lane % 3 == 0)))
	__syncwarp(); /* threads that are scheduled independently need not have met again */
	switch (lane % 3) {
	case 0: seen = __activemask(); break;
	case 1: seen = __activemask(); break;
	default: seen = __activemask(); break;
	}
	*o++ = __popc(seen);
}
