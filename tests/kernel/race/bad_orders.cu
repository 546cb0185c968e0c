// The same kinds as in orders.cu with one order less in each.
// launch: --kernel all --threads 1 --grid 4 --block 128 --check races=strict --arg buf:w:u32:6144:zero
#include "orders.h"

extern "C" __global__ void all(unsigned *w)
{
	late_acquire<false>(w + 0);
	late_acquire_near<false>(w + 64);
	half_fences<false>(w + 128);
	reduction<false>(w + 192);
	cluster<false>(w + 256);
	system<false>(w + 320);
	cohort<false>(w + 384);
	one_for_group<false>(w + 448);
	relaxed_objects<false>(w + 1024);
	flag_of_lane<false>(w + 2048);
	lock_for_group<false>(w + 2304);
	many_to_one<false>(w + 2560);
	linked_queue<false>(w + 2624);
	flags<false>(w + 3072);
}
