// A producer, consumers and a ring of two slots, whose waits are loops around a try_wait with a time limit of 10 ms, as CUTLASS writes them.
// A loop that tries again for ever hangs, and that is proved; one that counts its attempts or reads a clock gives up in the end, and one that
// goes another way when the time is over gets on.  With a long --hang-after nothing is only suspected.
// launch right: --block 96 --arg buf:out:u32:64:zero --arg u32:10 --define FAULT=none --dump out --gpu h200 --hang-after 100000000000 --max-cycles 3000000000
// launch count: --block 96 --arg buf:out:u32:64:zero --arg u32:10 --define FAULT=count --gpu h200 --hang-after 100000000000 --max-cycles 3000000000
// launch release_skipped: --block 96 --arg buf:out:u32:64:zero --arg u32:10 --define FAULT=release_skipped --gpu h200 --hang-after 100000000000 --max-cycles 3000000000
// launch late: --block 96 --arg buf:out:u32:64:zero --arg u32:1000 --define FAULT=release_skipped --define LATE=400 --gpu h200 --hang-after 100000000000 --max-cycles 3000000000
// launch attempts: --block 96 --arg buf:out:u32:64:zero --arg u32:10 --define FAULT=attempts --dump out --gpu h200 --max-cycles 3000000000
// launch traps: --block 96 --arg buf:out:u32:64:zero --arg u32:10 --define FAULT=traps --gpu h200 --max-cycles 3000000000
// launch reads_clock: --block 96 --arg buf:out:u32:64:zero --arg u32:10 --define FAULT=reads_clock --dump out --gpu h200 --max-cycles 3000000000
// launch other_way: --block 96 --arg buf:out:u32:64:zero --arg u32:10 --define FAULT=other_way --dump out --gpu h200 --max-cycles 3000000000
#include "mbarriers.h"
#define STAGES 2
#define ATTEMPTS 20
#ifndef LATE
#define LATE 4
#endif
enum { none, count, release_skipped, attempts, traps, reads_clock, other_way };

__device__ inline bool try_wait(unsigned long long *bar, unsigned parity)
{
	unsigned done;

	asm volatile("{\n\t.reg .pred p;\n\tmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2, 0x989680;\n\tselp.u32 %0, 1, 0, p;\n\t}"
		     : "=r"(done)
		     : "r"(in_shared(bar)), "r"(parity)
		     : "memory");
	return done;
}

__device__ inline void wait_with_limit(unsigned long long *bar, unsigned parity)
{
	asm volatile("{\n\t.reg .pred p;\nLAB_WAIT:\n\tmbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1, 0x989680;\n\t@p bra DONE;\n\tbra LAB_WAIT;\n"
		     "DONE:\n\t}" ::"r"(in_shared(bar)), "r"(parity)
		     : "memory");
}

__device__ unsigned slot[STAGES];
__shared__ unsigned long long full[STAGES], empty[STAGES];

// Whether the phase was over; false: it gave up.
__device__ inline bool wait_or_give_up(unsigned long long *bar, unsigned parity)
{
	unsigned long long start = clock64();

	for (unsigned k = 1; !try_wait(bar, parity); k++) {
		if (seeded(attempts) && k == ATTEMPTS)
			return false;
		if (seeded(traps) && k == ATTEMPTS)
			asm volatile("trap;");
		if (seeded(reads_clock) && clock64() - start > 300000000)
			return false;
	}
	return true;
}

__device__ inline void produce(unsigned n)
{
	for (unsigned k = 0; k < n; k++) {
		unsigned s = k % STAGES;

		if (seeded(other_way)) {
			// The second slot is given up for lost once, and released by the producer itself.
			while (!try_wait(&empty[s], k / STAGES & 1 ^ 1))
				if (k == 3)
					arrive(&empty[s]);
		} else if (seeded(attempts) || seeded(traps) || seeded(reads_clock)) {
			if (!wait_or_give_up(&empty[s], k / STAGES & 1 ^ 1))
				return;
		} else {
			wait_with_limit(&empty[s], k / STAGES & 1 ^ 1);
		}
		slot[s] = k + 1;
		arrive(&full[s]);
	}
}

__device__ inline bool leaves_out(unsigned warp, unsigned k)
{
	if (seeded(other_way))
		return warp == 1 && k == 1;
	return (seeded(release_skipped) && warp == 1 && k == LATE) || ((seeded(attempts) || seeded(traps) || seeded(reads_clock)) && k == 4);
}

__device__ inline unsigned consume(unsigned warp, unsigned n)
{
	unsigned sum = 0;

	for (unsigned k = 0; k < n; k++) {
		unsigned s = k % STAGES;

		if (seeded(attempts) || seeded(traps) || seeded(reads_clock)) {
			if (!wait_or_give_up(&full[s], k / STAGES & 1))
				return sum;
		} else {
			wait_with_limit(&full[s], k / STAGES & 1);
		}
		sum += ((volatile unsigned *)slot)[s];
		__syncwarp();
		if (threadIdx.x % 32 == 0 && !leaves_out(warp, k))
			arrive(&empty[s]);
	}
	return sum;
}

extern "C" __global__ void ring(unsigned *out, unsigned n)
{
	unsigned warp = threadIdx.x / 32;

	if (threadIdx.x == 0)
		for (unsigned s = 0; s < STAGES; s++) {
			init(&full[s], 1);
			init(&empty[s], seeded(count) ? 3 : 2);
		}
	__syncthreads();
	if (threadIdx.x == 0)
		produce(n);
	if (warp)
		out[threadIdx.x - 32] = consume(warp, n);
}
