// A producer warp and two consumer warps with two buffers, each with a named barrier that it is full and one that it is empty, as CudaDMA has it.
// PTX ISA 9.7.13.1 (bar) for what each instruction does.
// launch right: --block 96 --arg buf:in:u32:1024:iota --arg buf:out:u32:64:zero --arg u32:7 --define FAULT=none --dump out --gpu h200 --divergence independent
// launch no_empty: --block 96 --arg buf:in:u32:1024:iota --arg buf:out:u32:64:zero --arg u32:7 --define FAULT=no_empty --gpu h200 --divergence independent
// launch no_empty_of_one: --block 96 --arg buf:in:u32:1024:iota --arg buf:out:u32:64:zero --arg u32:7 --define FAULT=no_empty_of_one --gpu h200 --divergence independent
// launch left_out: --block 96 --arg buf:in:u32:1024:iota --arg buf:out:u32:64:zero --arg u32:7 --define FAULT=left_out --gpu h200 --divergence independent
// launch left_out_by_one: --block 96 --arg buf:in:u32:1024:iota --arg buf:out:u32:64:zero --arg u32:7 --define FAULT=left_out_by_one --gpu h200 --divergence independent
// launch other_buffer: --block 96 --arg buf:in:u32:1024:iota --arg buf:out:u32:64:zero --arg u32:7 --define FAULT=other_buffer --gpu h200 --divergence independent
// launch consumers_full: --block 96 --arg buf:in:u32:1024:iota --arg buf:out:u32:64:zero --arg u32:7 --define FAULT=consumers_full --gpu h200 --divergence independent
// launch ends_early: --block 96 --arg buf:in:u32:1024:iota --arg buf:out:u32:64:zero --arg u32:7 --define FAULT=ends_early --gpu h200 --divergence independent
// launch twice: --block 96 --arg buf:in:u32:1024:iota --arg buf:out:u32:64:zero --arg u32:7 --define FAULT=twice --gpu h200 --divergence independent
// launch large_count: --block 96 --arg buf:in:u32:1024:iota --arg buf:out:u32:64:zero --arg u32:7 --define FAULT=large_count --gpu h200 --divergence independent
#include "barriers.h"
enum { none, no_empty, no_empty_of_one, left_out, left_out_by_one, other_buffer, consumers_full, ends_early, twice, large_count };
enum { FULL = 1, EMPTY = 3, ALL = 96 };
#define COUNT (seeded(large_count) ? 128 : 96)

extern "C" __global__ void buffers(const unsigned *in, unsigned *out, unsigned tiles)
{
	__shared__ unsigned buffer[2][64];
	unsigned t = threadIdx.x, sum = 0;

	if (t >= 64) {
		for (unsigned k = 0; k < tiles; k++) {
			unsigned b = k % 2;

			named_sync(ALL, EMPTY + b);
			buffer[b][t - 64] = in[k * 64 + t - 64];
			buffer[b][t - 32] = in[k * 64 + t - 32];
			if (seeded(ends_early) && k == 3)
				return;
			named_arrive(COUNT, FULL + (seeded(other_buffer) ? 1 - b : b));
		}
		return;
	}
	if (!seeded(no_empty))
		named_arrive(ALL, EMPTY);
	if (!seeded(no_empty) && !seeded(no_empty_of_one))
		named_arrive(ALL, EMPTY + 1);
	for (unsigned k = 0; k < tiles; k++) {
		unsigned b = k % 2;

		named_sync(COUNT, FULL + b);
		sum += buffer[b][t];
		if (seeded(consumers_full))
			named_arrive(ALL, FULL + b);
		else if (!(k == 2 && (seeded(left_out) || (seeded(left_out_by_one) && t < 32))))
			named_arrive(ALL, EMPTY + b);
		if (seeded(twice) && k == 1 && t < 32)
			named_arrive(ALL, EMPTY + b);
	}
	out[t] = sum;
}
