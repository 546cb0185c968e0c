// The same kinds as in handoffs.cu with one order less in each.
// launch: --kernel all --threads 1 --grid 4 --block 128 --check races=strict --arg buf:w:u32:3072:zero
#include "handoffs.h"

extern "C" __global__ void all(unsigned *w)
{
	turns<false>(w);
	flags_beside<false>(w + 512);
	slots<false>(w + 1536);
	tournament<false>(w + 2560);
}
