// The same kinds as in exotic.cu with one order less in each.  What depends on which thread comes first is not expected: a lock for which
// nobody has to wait.
// launch first: --kernel first --grid 4 --block 128 --check races --arg buf:w:u32:4352:zero
// launch second: --kernel second --grid 4 --block 128 --check races=strict --arg buf:w:u32:4352:zero
#include "exotic.h"

extern "C" __global__ void first(unsigned *w)
{
	if (threadIdx.x == 0) {
		ticket_lock<false>(w + 0);
		mcs_lock<false>(w + 256);
		peterson<false>(w + 512);
		readers_and_writer<false>(w + 768);
		sequence_lock<false>(w + 1024);
		hazard_pointers<false>(w + 1280);
		publish<false>(w + 1536);
		once<false>(w + 1792);
	}
}

extern "C" __global__ void second(unsigned *w)
{
	if (threadIdx.x == 0) {
		byte_flags<false>(w + 2048);
		one_word<false>(w + 2304);
		deque<false>(w + 2560);
		ring<false>(w + 2816);
		look_back<false>(w + 3072);
		handed_on<false>(w + 3328);
		sense<false>(w + 3584);
	}
	scopes<false>(w + 3840);
	one_for_all<false>(w + 4096);
}
