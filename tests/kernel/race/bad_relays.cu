// The same kinds as in relays.cu with one order less in each.
// launch: --kernel all --threads 1 --grid 4 --block 128 --check races --arg buf:w:u32:768:zero
#include "relays.h"

extern "C" __global__ void all(unsigned *w)
{
	token<false>(w + 0);
	narrow_fence<false>(w + 64);
	shares<false>(w + 128);
	tree<false>(w + 192);
	dissemination<false>(w + 256);
	clh_lock<false>(w + 320);
	stealing<false>(w + 384);
	cells<false>(w + 448);
	combining<false>(w + 512);
	bitmap<false>(w + 576);
	epochs<false>(w + 640);
	near_sequence<false>(w + 704);
}
