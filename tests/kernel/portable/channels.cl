// lockstep_channels.h: each thread puts numbers in, up to three at a time, and takes them off, through a channel that is much narrower than what goes
// through it, so that all arrays are used again and again.  `channels_two`: lanes of a warp use two channels in the same call, one narrower than
// what a warp asks for.  Each number comes out once.
// launch: --kernel channels --grid 3 --block 64 --arg buf:memory:u8:4096:zero --arg buf:seen:u32:1152:zero --arg u32:6 --dump seen
// launch ragged: --kernel channels --grid 2 --block 37 --arg buf:memory:u8:4096:zero --arg buf:seen:u32:370:zero --arg u32:5 --dump seen
// launch two: --kernel channels_two --grid 2 --block 64 --arg buf:memory:u8:8192:zero --arg buf:seen:u32:512:zero --arg u32:4 --dump seen
#include <lockstep_channels.h>

void through(const ch_channel *c, uint most, global uint *seen, uint times)
{
	const uint me = get_global_id(0);
	uint made = 0, found = 1;

	while (made < times || found) {
		uint offset, count = min(1 + (me + made) % most, times - made);
		if (count != 0) {
			uint first = ch_talloc(c, count);
			if (first != CH_NONE) {
				for (uint k = 0; k < count; k++)
					*(global uint *)ch_at(c, first + k) = me * times + made + k;
				ch_enq(c, first, count);
				made += count;
			}
		}
		found = ch_claim(c, &offset);
		if (found) {
			uint element = ch_deq(c, offset);
			atomic_inc(&seen[*(global uint *)ch_at(c, element)]);
			ch_tfree(c, element);
		}
	}
}

kernel void channels(global uchar *memory, global uint *seen, uint times)
{
	ch_channel c = ch_open(memory, 64, 16, 4, 3);
	through(&c, 3, seen, times);
}

kernel void channels_two(global uchar *memory, global uint *seen, uint times)
{
	int odd = get_global_id(0) % 3 == 1;
	ch_channel c = odd ? ch_open(memory, 8, 4, 12, 2) : ch_open(memory + 4096, 64, 1, 4, 2);
	through(&c, 2, seen, times);
}
