// Correct synchronisation of the kinds that experts write, each in exotic.h: locks, publication, queues, scans, and orders that are handed on.
// launch: --kernel all --grid 4 --block 128 --check races --arg buf:w:u32:4352:zero
#include "exotic.h"

extern "C" __global__ void all(unsigned *w)
{
	if (threadIdx.x == 0) {
		ticket_lock<true>(w + 0);
		mcs_lock<true>(w + 256);
		peterson<true>(w + 512);
		readers_and_writer<true>(w + 768);
		sequence_lock<true>(w + 1024);
		hazard_pointers<true>(w + 1280);
		publish<true>(w + 1536);
		once<true>(w + 1792);
		byte_flags<true>(w + 2048);
		one_word<true>(w + 2304);
		deque<true>(w + 2560);
		ring<true>(w + 2816);
		look_back<true>(w + 3072);
		handed_on<true>(w + 3328);
		sense<true>(w + 3584);
	}
	scopes<true>(w + 3840);
	one_for_all<true>(w + 4096);
}
