// Barriers of relaxed atomics, complete, as in arrivals.h.
// launch: --kernel all --grid 3 --block 32 --check races --arg buf:w:u32:192:zero
#include "arrivals.h"

extern "C" __global__ void all(unsigned *w)
{
	doors<true>(w);
	turnstiles<true>(w + 64);
	late<true>(w + 128);
}
