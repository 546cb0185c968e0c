// Twelve wavefronts yield, each three times; the channel of restart contexts has one entry, four or more than that, and firmware looks at it rarely.  Those that
// find it full wait, and keep their contexts.  `never`: firmware takes none, so that all but the first wait for ever.
// launch: --gpu apu-2014 --mode timing --divergence stack --scheduler lrr --spin none --backoff none --firmware turns --dispatches work --arg buf:seen:u32:64 --arg u32:1 --dump seen
// launch four: --gpu apu-2014 --set control.restarts=4 --mode timing --divergence stack --scheduler lrr --spin none --backoff none --firmware turns --dispatches work --arg buf:seen:u32:64 --arg u32:1 --dump seen
// launch one: --gpu apu-2014 --set control.restarts=1 --mode timing --divergence stack --scheduler lrr --spin none --backoff none --firmware turns --dispatches work --arg buf:seen:u32:64 --arg u32:1 --dump seen
// launch never: --gpu apu-2014 --set control.restarts=1 --mode timing --divergence stack --scheduler lrr --spin none --backoff none --hang-after 100000 --firmware turns --dispatches work --arg buf:seen:u32:64 --arg u32:0 --dump seen
#include <lockstep_control.h>

kernel void work(global uint *seen)
{
	for (uint k = 0; k < 3; k++)
		__lockstep_yield(get_group_id(0));
	if (get_local_id(0) == 0)
		atomic_inc(&seen[get_group_id(0)]);
}

kernel void turns(global uint *seen, uint takes)
{
	__lockstep_dispatch(0, 12, (ulong)seen);
	while (__lockstep_outstanding(0)) {
		ulong context = takes ? __lockstep_take_restart() : 0;

		for (volatile uint k = 0; k < 200; k++)
			;
		if (context)
			__lockstep_restart(context);
	}
}
