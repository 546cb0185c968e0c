// Seldom used orders, and what hands on in more than one way, all correct, each kind in orders.h.
// launch: --kernel all --grid 4 --block 128 --check races --arg buf:w:u32:6144:zero
#include "orders.h"

extern "C" __global__ void all(unsigned *w)
{
	late_acquire<true>(w + 0);
	late_acquire_near<true>(w + 64);
	half_fences<true>(w + 128);
	reduction<true>(w + 192);
	cluster<true>(w + 256);
	system<true>(w + 320);
	cohort<true>(w + 384);
	one_for_group<true>(w + 448);
	relaxed_objects<true>(w + 1024);
	flag_of_lane<true>(w + 2048);
	lock_for_group<true>(w + 2304);
	many_to_one<true>(w + 2560);
	linked_queue<true>(w + 2624);
	flags<true>(w + 3072);
}
