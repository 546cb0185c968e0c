// A loader warp, two warps that square and a warp that sums, over two rings: a wait, an arrival or an expectation names a stage or an array
// other than it should.  PTX ISA 9.7.13.15 (mbarrier), 9.7.9.25.4 (bulk copies).
// launch right: --block 128 --arg buf:in:u32:576:iota --arg buf:out:u32:1:zero --arg u32:9 --define FAULT=none --dump out --gpu h200
// launch released_ahead: --block 128 --arg buf:in:u32:576:iota --arg buf:out:u32:1:zero --arg u32:9 --define FAULT=released_ahead --gpu h200
// launch sums_loaded: --block 128 --arg buf:in:u32:576:iota --arg buf:out:u32:1:zero --arg u32:9 --define FAULT=sums_loaded --gpu h200
// launch frees_empty: --block 128 --arg buf:in:u32:576:iota --arg buf:out:u32:1:zero --arg u32:9 --define FAULT=frees_empty --gpu h200
// launch expects_ahead: --block 128 --arg buf:in:u32:576:iota --arg buf:out:u32:1:zero --arg u32:9 --define FAULT=expects_ahead --gpu h200
#include "mbarriers.h"
#define STAGES 3
#define TILE 64
enum { none, released_ahead, sums_loaded, frees_empty, expects_ahead };

__shared__ __align__(128) unsigned tile[STAGES][TILE];
__shared__ unsigned square[STAGES][TILE];
__shared__ unsigned long long full[STAGES], empty[STAGES], squared[STAGES], summed[STAGES];

__device__ inline void expect(unsigned long long *bar)
{
	asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(in_shared(bar)), "n"(4 * TILE) : "memory");
}

__device__ inline void copy(unsigned *to, const unsigned *from, unsigned long long *bar)
{
	asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(in_shared(to)),
		"l"(from), "n"(4 * TILE), "r"(in_shared(bar))
		: "memory");
}

__device__ inline void load(const unsigned *in, unsigned n)
{
	for (unsigned k = 0; k < n; k++) {
		unsigned s = k % STAGES;

		wait(&empty[s], k / STAGES & 1 ^ 1);
		if (seeded(expects_ahead) && k == 4)
			expect(&full[(k + 1) % STAGES]);
		else
			expect(&full[s]);
		arrive(&full[s]);
		copy(tile[s], in + k * TILE, &full[s]);
	}
}

// Lags by one tile: what has been read before is released.
__device__ inline void squares(unsigned i, unsigned n)
{
	for (unsigned k = 0; k < n; k++) {
		unsigned s = k % STAGES;

		wait(&full[s], k / STAGES & 1);
		unsigned value = tile[s][i];
		__syncwarp();
		if (k && i % 32 == 0)
			arrive(&empty[(seeded(released_ahead) ? k : k - 1) % STAGES]);
		wait(&summed[s], k / STAGES & 1 ^ 1);
		square[s][i] = value * value;
		__syncwarp();
		if (i % 32 == 0)
			arrive(&squared[s]);
	}
}

__device__ inline unsigned sums(unsigned lane, unsigned n)
{
	unsigned sum = 0;

	for (unsigned k = 0; k < n; k++) {
		unsigned s = k % STAGES;

		wait(seeded(sums_loaded) ? &full[s] : &squared[s], k / STAGES & 1);
		sum += square[s][lane] + square[s][lane + 32];
		__syncwarp();
		if (lane == 0)
			arrive(seeded(frees_empty) ? &empty[s] : &summed[s]);
	}
	return sum;
}

extern "C" __global__ void names(const unsigned *in, unsigned *out, unsigned n)
{
	unsigned warp = threadIdx.x / 32;

	if (threadIdx.x == 0)
		for (unsigned s = 0; s < STAGES; s++) {
			init(&full[s], 1);
			init(&empty[s], 2);
			init(&squared[s], 2);
			init(&summed[s], 1);
		}
	__syncthreads();
	if (threadIdx.x == 0)
		load(in, n);
	if (warp == 1 || warp == 2)
		squares(threadIdx.x - 32, n);
	if (warp == 3)
		atomicAdd(out, sums(threadIdx.x % 32, n));
}
