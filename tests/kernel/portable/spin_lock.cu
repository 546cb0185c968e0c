// Discovery with a spin lock and with a delay, in CUDA C++, in groups of several dimensions.
// launch: --grid 3,2 --block 8,4 --arg buf:state:u32:216:zero --arg buf:took:u32:7:zero --dump took
#include <lockstep_barrier.h>

extern "C" __global__ void spin_lock(unsigned *state, unsigned *took)
{
	p_context p;
	if (!p_discover_with(&p, state, P_SPIN_LOCK, 3))
		return;
	p_barrier_xf(&p);
	if (p_get_global_id(&p) == p_get_group_id(&p) * 32) {
		atomicAdd(&took[p_get_group_id(&p)], 1);
		took[6] = p_get_num_groups(&p);
	}
}
