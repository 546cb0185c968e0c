// The same as in arrivals.cu with a fence less in each.
// launch: --kernel all --grid 3 --block 32 --check races --arg buf:w:u32:192:zero
#include "arrivals.h"

extern "C" __global__ void all(unsigned *w)
{
	doors<false>(w);
	turnstiles<false>(w + 64);
	late<false>(w + 128);
}
