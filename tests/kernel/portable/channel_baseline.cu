// lockstep_channels.h in CUDA C++, with a compare-and-swap for each lane: channel_efficient.cu with another variant.
// launch: --grid 2 --block 40 --arg buf:memory:u8:4096:zero --arg buf:seen:u32:160:zero --dump seen
#define LOCKSTEP_CHANNELS_BASELINE
#include "channel_efficient.cu"
