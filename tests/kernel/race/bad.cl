// One race a kernel, each of another cause, found whatever the schedule.
// launch barrier: --kernel barrier_missing --grid 2 --block 128 --check races --arg buf:out:s32:128:zero
// launch order: --kernel count --grid 8 --block 1 --check races --arg buf:out:s32:1:zero
// launch lanes: --kernel lanes --block 32 --check races --arg buf:out:s32:1:zero
// launch plain: --kernel plain --grid 4 --block 1 --check races --arg buf:out:s32:1:zero
// launch strict: --kernel exchange --block 32 --check races=strict --arg buf:out:s32:32:zero
// launch same: --kernel same --grid 4 --block 1 --check races=all --arg buf:out:s32:1:zero
// launch after: --kernel after_barrier --block 128 --check races --arg buf:out:s32:128:zero
kernel void barrier_missing(global int *out)
{
	local int box[128];
	int t = get_local_id(0);

	box[t] = t;
	out[t ^ 64] = box[t ^ 64];
}

kernel void count(global int *out)
{
	out[0] += 1;
}

kernel void lanes(global int *out)
{
	out[0] = get_local_id(0);
}

kernel void plain(global int *out)
{
	if (get_group_id(0) == 2)
		out[0] = 7;
	else
		atomic_inc(&out[0]);
}

kernel void exchange(global int *out)
{
	volatile local int box[32];
	int t = get_local_id(0);

	((local int *)box)[t] = t;
	out[t] = ((local int *)box)[t ^ 1];
}

kernel void same(global int *out)
{
	out[0] = 1;
}

// the barrier orders what is before it, not the second store
kernel void after_barrier(global int *out)
{
	local int box[128];
	int t = get_local_id(0);

	box[t] = t;
	barrier(CLK_LOCAL_MEM_FENCE);
	out[t] = box[t ^ 64];
	box[t] = -t - 1;
}
