// What passes from thread to thread, all correct, each kind in relays.h.
// launch: --kernel all --grid 4 --block 128 --check races --arg buf:w:u32:768:zero
#include "relays.h"

extern "C" __global__ void all(unsigned *w)
{
	token<true>(w + 0);
	narrow_fence<true>(w + 64);
	shares<true>(w + 128);
	tree<true>(w + 192);
	dissemination<true>(w + 256);
	clh_lock<true>(w + 320);
	stealing<true>(w + 384);
	cells<true>(w + 448);
	combining<true>(w + 512);
	bitmap<true>(w + 576);
	epochs<true>(w + 640);
	near_sequence<true>(w + 704);
}
