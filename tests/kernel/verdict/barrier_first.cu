// Two warps in turns, by a barrier for each: before the loop the second gives the first one its first turn.  It gives that to itself.  PTX ISA 9.7.13.1 (bar) for what each instruction does.
// launch right: --block 64 --arg buf:in:u32:288:iota --arg buf:out:u32:288:zero --arg u32:9 --define FAULT=none --dump out --gpu h200
// launch own_first: --block 64 --arg buf:in:u32:288:iota --arg buf:out:u32:288:zero --arg u32:9 --define FAULT=own_first --gpu h200
// launch last_left_out: --block 64 --arg buf:in:u32:288:iota --arg buf:out:u32:288:zero --arg u32:9 --define FAULT=last_left_out --gpu h200
#include "barriers.h"
enum { none, own_first, last_left_out };
enum { TURN = 3 };

extern "C" __global__ void first(const unsigned *in, unsigned *out, unsigned tiles)
{
	unsigned me = threadIdx.x / 32, lane = threadIdx.x % 32;

	if (me == 1)
		named_arrive(64, seeded(own_first) ? TURN + me : TURN);
	for (unsigned t = me; t < tiles; t += 2) {
		named_sync(64, TURN + me);
		out[t * 32 + lane] = in[t * 32 + lane] + t;
		if (t + (seeded(last_left_out) ? 2 : 1) < tiles)
			named_arrive(64, TURN + 1 - me);
	}
}
