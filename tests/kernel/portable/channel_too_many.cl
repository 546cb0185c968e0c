// lockstep_channels.h: what a channel cannot do is a fault that says so.
// launch first: --kernel too_many --grid 1 --block 32 --arg buf:memory:u8:4096:zero --arg u32:3
// launch none: --kernel too_many --grid 1 --block 32 --arg buf:memory:u8:4096:zero --arg u32:0
// launch narrow: --kernel narrow --grid 1 --block 32 --arg buf:memory:u8:4096:zero
#include <lockstep_channels.h>

kernel void too_many(global uchar *memory, uint count)
{
	ch_channel c = ch_open(memory, 64, 16, 4, 2);
	ch_talloc(&c, count);
}

kernel void narrow(global uchar *memory)
{
	ch_channel c = ch_open(memory, 24, 16, 4, 2);
	ch_talloc(&c, 1);
}
