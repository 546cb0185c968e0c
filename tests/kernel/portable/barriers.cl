// The barriers of lockstep_barrier.h, each five times: after each, every thread finds what the next group wrote before, without atomics.
// In `crowd` more groups are launched than any model runs together: those that do not take part leave.
// launch: --grid 7 --block 32 --arg buf:state:u32:236:zero --arg buf:data:u32:448:zero --arg buf:wrong:u32:1:zero --arg buf:took:u32:8:zero --dump wrong --dump took
// launch crowd: --set core.groups=1 --grid 140 --block 32 --arg buf:state:u32:2896:zero --arg buf:data:u32:8960:zero --arg buf:wrong:u32:1:zero --arg buf:took:u32:141:zero --dump wrong --dump took
#include <lockstep_barrier.h>

kernel void barriers(global uint *state, global uint *data, global uint *wrong, global uint *took)
{
	p_context p;
	if (!p_discover(&p, state))
		return;
	const uint size = p_get_global_size(&p), me = p_get_global_id(&p);
	const uint next = (me + get_local_size(0)) % size;
	for (uint round = 0; round < 25; round++) {
		data[round % 2 * size + me] = round + 1;
		switch (round / 5) {
		case 0: p_barrier_xf(&p); break;
		case 1: p_barrier_central(&p); break;
		case 2: p_barrier_grid(&p); break;
		case 3: p_barrier_tree(&p); break;
		default: p_barrier_dissemination(&p); break;
		}
		if (data[round % 2 * size + next] != round + 1)
			atomic_inc(wrong);
	}
	if (get_local_id(0) == 0) {
		atomic_inc(&took[p_get_group_id(&p)]);
		took[get_num_groups(0)] = p_get_num_groups(&p);
	}
}
