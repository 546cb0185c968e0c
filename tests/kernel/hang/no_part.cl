/* Groups that wait for one that discovery left out (device/lockstep_barrier.h): four are resident, of eight. */
// launch all: --kernel all --grid 8 --block 32 --arg buf:state:u32:256:zero --arg buf:flag:u32:8:zero --set core.count=2 --set core.groups=2 --set lesser.cores=0
// launch left: --kernel left --grid 8 --block 32 --arg buf:state:u32:256:zero --arg buf:flag:u32:8:zero --set core.count=2 --set core.groups=2 --set lesser.cores=0
#include <lockstep_barrier.h>

/* A barrier of all groups of the launch: those that were left out have not started, and would leave at once. */
kernel void all(global uint *state, global uint *flag)
{
	p_context p;

	if (!p_discover(&p, state))
		return;
	p.groups = get_num_groups(0);
	p_barrier_xf(&p);
	flag[get_group_id(0)] = 1;
}

/* Half of those that take part leave; so the others start, and end.  The first of the rest waits for the last of the launch. */
kernel void left(global uint *state, global uint *flag)
{
	p_context p;

	if (!p_discover(&p, state))
		return;
	flag[get_group_id(0)] = 1;
	if (p_get_group_id(&p) >= 2)
		return;
	while (atomic_load_explicit((volatile global atomic_uint *)&flag[get_num_groups(0) - 1], memory_order_relaxed,
		       memory_scope_device) == 0)
		;
}
