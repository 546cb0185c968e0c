// Pipelines and barriers of one's own, all correct, each in stages.h.
// launch: --kernel all --grid 4 --block 128 --check races --arg buf:w:u32:4096:zero
#include "stages.h"

extern "C" __global__ void all(unsigned *w)
{
	groups_in_line<true>(w);
	ring_of_stages<true>(w + 512);
	named_barriers<true>(w + 1024);
	one_barrier_a_step<true>(w + 1536);
	objects<true>(w + 2048);
	two_halves<true>(w + 2560);
	lanes<true>(w + 3072);
	number_for_all<true>(w + 3584);
}
