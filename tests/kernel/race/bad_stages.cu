// The same kinds as in stages.cu with one order less in each.
// launch: --kernel all --threads 1 --grid 4 --block 128 --check races=strict --arg buf:w:u32:4096:zero
#include "stages.h"

extern "C" __global__ void all(unsigned *w)
{
	groups_in_line<false>(w);
	ring_of_stages<false>(w + 512);
	named_barriers<false>(w + 1024);
	one_barrier_a_step<false>(w + 1536);
	objects<false>(w + 2048);
	two_halves<false>(w + 2560);
	lanes<false>(w + 3072);
	number_for_all<false>(w + 3584);
}
