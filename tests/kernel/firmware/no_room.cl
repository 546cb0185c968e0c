// Three wavefronts put elements into a channel that nothing empties, and wait for room without a yield: it is full, and firmware
// waits for them for ever.  `yields`: they yield instead, and firmware keeps their restart contexts.
// launch spins: --gpu apu-2014 --mode timing --divergence stack --scheduler lrr --spin none --backoff none --hang-after 100000 --firmware serve --dispatches put --arg buf:channel:u32:512
// launch yields: --gpu apu-2014 --mode timing --divergence stack --scheduler lrr --spin none --backoff none --hang-after 100000 --firmware serve --dispatches put_or_yield --arg buf:channel:u32:512
#include <lockstep_channels.h>
#include <lockstep_control.h>

#define OPEN(memory) ch_open(memory, 64, 4, 4, 1)

kernel void put(global void *memory)
{
	ch_channel c = OPEN(memory);

	for (bool enqueued = false; !enqueued;) {
		uint first = ch_talloc(&c, 1);
		if (first != CH_NONE) {
			*(global uint *)ch_at(&c, first) = get_global_id(0);
			ch_enq(&c, first, 1);
			enqueued = true;
		}
	}
}

kernel void put_or_yield(global void *memory)
{
	ch_channel c = OPEN(memory);

	for (bool enqueued = false; !enqueued;) {
		uint first = ch_talloc(&c, 1);
		if (first != CH_NONE) {
			*(global uint *)ch_at(&c, first) = get_global_id(0);
			ch_enq(&c, first, 1);
			enqueued = true;
		} else {
			__lockstep_yield((ulong)memory);
		}
	}
}

kernel void serve(global void *memory)
{
	__lockstep_dispatch(0, 3, (ulong)memory);
	while (__lockstep_outstanding(0))
		__lockstep_take_restart();
}
