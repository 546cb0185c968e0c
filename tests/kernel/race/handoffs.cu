// How libraries hand work on, all correct, each in handoffs.h.
// launch: --kernel all --grid 4 --block 128 --check races --arg buf:w:u32:3072:zero
#include "handoffs.h"

extern "C" __global__ void all(unsigned *w)
{
	turns<true>(w);
	flags_beside<true>(w + 512);
	slots<true>(w + 1536);
	tournament<true>(w + 2560);
}
