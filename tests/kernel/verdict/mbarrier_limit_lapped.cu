// The first warp looks at `sums` when its phases are over, and waits for one that has the parity of the last.  Each wait is an instruction of
// its own, so counts that fit them all are tried.  With these the kernel hangs elsewhere; with waits of 10 ms that takes more than twice as
// long to see as it took at first.
// launch: --block 512 --arg buf:out:u32:128:zero --gpu h200 --max-cycles 3000000000
#include "mbarriers.h"
#define TILES 7

__device__ inline void wait_with_limit(unsigned long long *bar, unsigned parity)
{
	asm volatile("{\n\t.reg .pred p;\nLAB_WAIT:\n\tmbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1, 0x989680;\n\t@p bra DONE;\n\tbra LAB_WAIT;\n"
		     "DONE:\n\t}" ::"r"(in_shared(bar)), "r"(parity)
		     : "memory");
}

__shared__ unsigned long long full, empty, sums, taken;
__shared__ unsigned tile[128], result[256];

__device__ inline void load(unsigned t)
{
	if (t == 0)
#pragma unroll
		for (unsigned k = 0; k < TILES; k++) {
			wait_with_limit(&empty, k & 1 ^ 1);
			tile[k] = k;
			arrive(&full);
		}
	__syncwarp();
	if (t < 32)
#pragma unroll
		for (unsigned k = 0; k < TILES; k++)
			wait_with_limit(&sums, k & 1);
}

__device__ inline void add(unsigned t, unsigned group)
{
#pragma unroll
	for (unsigned k = 0; k < TILES; k++) {
		wait_with_limit(&full, k & 1);
		unsigned v = tile[t] * group;
		wait_with_limit(&taken, k & 1 ^ 1);
		result[(group - 1) * 128 + t] = v;
		arrive(&sums);
		arrive(&empty);
	}
}

__device__ inline unsigned take(unsigned t)
{
	unsigned sum = 0;

#pragma unroll
	for (unsigned k = 0; k < TILES; k++) {
		wait_with_limit(&sums, k & 1);
		sum += result[t] + result[t + 128];
		arrive(&taken);
	}
	return sum;
}

extern "C" __global__ void lapped(unsigned *out)
{
	unsigned group = threadIdx.x / 128, t = threadIdx.x % 128;

	if (threadIdx.x == 0) {
		init(&full, 1);
		init(&empty, 256);
		init(&sums, 256);
		init(&taken, 128);
	}
	__syncthreads();
	if (group == 0)
		load(t);
	else if (group < 3)
		add(t, group);
	else
		out[t] = take(t);
}
