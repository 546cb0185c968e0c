// Three warps load, square and store, with two buffers between each two of them; each buffer has a named barrier that it is full, and one that it
// is free again.  PTX ISA 9.7.13.1 (bar) for what each instruction does.
// launch right: --block 96 --arg buf:in:u32:256:iota --arg buf:out:u32:256:zero --arg u32:7 --define FAULT=none --dump out --gpu h200 --divergence independent
// launch waits_for_loaded: --block 96 --arg buf:in:u32:256:iota --arg buf:out:u32:256:zero --arg u32:7 --define FAULT=waits_for_loaded --gpu h200 --divergence independent
// launch loader_ends: --block 96 --arg buf:in:u32:256:iota --arg buf:out:u32:256:zero --arg u32:7 --define FAULT=loader_ends --gpu h200 --divergence independent
// launch left_out: --block 96 --arg buf:in:u32:256:iota --arg buf:out:u32:256:zero --arg u32:7 --define FAULT=left_out --gpu h200 --divergence independent
// launch other_buffer: --block 96 --arg buf:in:u32:256:iota --arg buf:out:u32:256:zero --arg u32:7 --define FAULT=other_buffer --gpu h200 --divergence independent
// launch gives_stored: --block 96 --arg buf:in:u32:256:iota --arg buf:out:u32:256:zero --arg u32:7 --define FAULT=gives_stored --gpu h200 --divergence independent
// launch stored_left_out: --block 96 --arg buf:in:u32:256:iota --arg buf:out:u32:256:zero --arg u32:7 --define FAULT=stored_left_out --gpu h200 --divergence independent
// launch storer_ends: --block 96 --arg buf:in:u32:256:iota --arg buf:out:u32:256:zero --arg u32:7 --define FAULT=storer_ends --gpu h200 --divergence independent
// launch twice: --block 96 --arg buf:in:u32:256:iota --arg buf:out:u32:256:zero --arg u32:7 --define FAULT=twice --gpu h200 --divergence independent
// launch group_barrier: --block 96 --arg buf:in:u32:256:iota --arg buf:out:u32:256:zero --arg u32:7 --define FAULT=group_barrier --gpu h200 --divergence independent
#include "barriers.h"
enum { none, waits_for_loaded, loader_ends, left_out, other_buffer, gives_stored, stored_left_out, storer_ends, twice, group_barrier };
enum { LOADED = 1, USED = 3, DONE = 5, STORED = 7 };

__shared__ unsigned loaded[2][32], done[2][32];

static __device__ __forceinline__ void load(const unsigned *in, unsigned n, unsigned lane)
{
	for (unsigned k = 0; k < n; k++) {
		if (k >= 2)
			named_sync(64, (seeded(waits_for_loaded) ? LOADED : USED) + k % 2);
		loaded[k % 2][lane] = in[k * 32 + lane];
		if (seeded(loader_ends) && in[k * 32] == 128)
			return;
		named_arrive(64, LOADED + k % 2);
	}
}

static __device__ __forceinline__ void square(unsigned n, unsigned lane)
{
	for (unsigned k = 0; k < n; k++) {
		named_sync(64, LOADED + k % 2);
		unsigned x = loaded[k % 2][lane];
		if (seeded(group_barrier) && k == 3)
			__syncthreads();
		if (k + 2 < n && !(seeded(left_out) && k == 3))
			named_arrive(64, USED + (seeded(other_buffer) ? 1 - k % 2 : k % 2));
		if (k >= 2)
			named_sync(64, STORED + k % 2);
		done[k % 2][lane] = x * x;
		named_arrive(64, (seeded(gives_stored) ? STORED : DONE) + k % 2);
	}
}

static __device__ __forceinline__ void store(unsigned *out, unsigned n, unsigned lane)
{
	for (unsigned k = 0; k < n; k++) {
		named_sync(64, DONE + k % 2);
		out[k * 32 + lane] = done[k % 2][lane];
		if (k + 2 < n && !(seeded(stored_left_out) && k == 1))
			named_arrive(64, STORED + k % 2);
		if (seeded(storer_ends) && k == 2)
			return;
		if (seeded(twice) && k == 1)
			named_arrive(64, STORED + k % 2);
	}
}

extern "C" __global__ void chain(const unsigned *in, unsigned *out, unsigned n)
{
	unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;

	if (warp == 0)
		load(in, n, lane);
	else if (warp == 1)
		square(n, lane);
	else
		store(out, n, lane);
}
