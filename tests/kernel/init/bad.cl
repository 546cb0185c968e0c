// One uninitialised read a kernel, found whatever the schedule.
// launch shared: --kernel shared_hole --grid 2 --block 64 --check init --arg buf:out:s32:128:zero
// launch dynamic: --kernel dynamic --block 32 --shared 256 --check init --arg buf:out:s32:32:zero
// launch local: --kernel private_hole --block 32 --check init --arg buf:in:s32:32:iota --arg buf:out:s32:32:zero
// launch global: --kernel global_hole --grid 2 --block 32 --check init --arg buf:in:s32:64 --arg buf:out:s32:64
// launch count: --kernel count --grid 4 --block 32 --check init --arg buf:out:u32:1
// launch bytes: --kernel bytes --block 32 --check init --arg buf:box:u8:128 --arg buf:out:s32:32
// launch later: --kernel later --block 64 --check init --arg buf:out:s32:64:zero
// launch shared_count: --kernel shared_count --block 64 --check init --arg buf:out:u32:1:zero
kernel void shared_hole(global int *out)
{
	local int box[64];
	int t = get_local_id(0);

	if (t != 5)
		box[t] = t;
	barrier(CLK_LOCAL_MEM_FENCE);
	out[get_global_id(0)] = box[63 - t];
}

kernel void dynamic(global int *out)
{
	local int box[32];
	out[get_local_id(0)] = ((volatile local int *)box)[get_local_id(0) ^ 1];
}

kernel void private_hole(global int *in, global int *out)
{
	int box[16];
	int t = get_local_id(0);

	for (int k = 0; k < 15; k++)
		box[(in[t] + k) & 15] = k;
	out[t] = ((volatile int *)box)[(in[t] + 15) & 15];
}

kernel void global_hole(global int *in, global int *out)
{
	out[get_global_id(0)] = in[get_global_id(0)];
}

kernel void count(global uint *out)
{
	atomic_inc(out);
}

// three of the four bytes are written
kernel void bytes(global uchar *box, global int *out)
{
	int t = get_local_id(0);

	for (int k = 0; k < 3; k++)
		((volatile global uchar *)box)[4 * t + k] = k;
	out[t] = ((volatile global int *)box)[t];
}

// the store comes after the read
kernel void later(global int *out)
{
	volatile local int box[64];
	int t = get_local_id(0), old = box[t];

	box[t] = t;
	out[t] = old + box[t];
}

kernel void shared_count(global uint *out)
{
	local uint sum;

	atomic_inc(&sum);
	barrier(CLK_LOCAL_MEM_FENCE);
	if (get_local_id(0) == 0)
		*out = sum;
}
