// OpenCL C: all work-items of a work-group must reach the same barrier, in the same rounds of a loop.
// launch arms: --kernel arms --block 128 --check barriers --arg buf:out:s32:128:zero
// launch middle: --kernel middle --block 128 --check barriers --arg buf:out:s32:128:zero --arg s32:4
// launch shift: --kernel shift --block 128 --check barriers --arg buf:out:s32:128:zero --arg s32:4
// launch nested: --kernel nested --block 128 --check barriers --arg buf:out:s32:128:zero --arg s32:3
// launch early: --kernel early --block 128 --check barriers --arg buf:out:s32:128:zero --arg s32:83
// launch early_all: --kernel early --block 128 --check barriers=all --arg buf:out:s32:128:zero --arg s32:64
// launch unrolled: --kernel unrolled --block 128 --check barriers --arg buf:out:s32:128:zero --arg s32:3
// launch called: --kernel called --block 128 --check barriers --arg buf:out:s32:128:zero --arg s32:3
kernel void arms(global int *out)
{
	local int room[128];
	int t = get_local_id(0);

	if (t < 64) {
		room[t] = t;
		barrier(CLK_LOCAL_MEM_FENCE);
		out[t] = room[t + 64];
	} else {
		room[t] = 2 * t;
		barrier(CLK_LOCAL_MEM_FENCE);
		out[t] = room[t - 64];
	}
}

// the second half is a round ahead from the second one on
kernel void middle(global int *out, int rounds)
{
	local int room[128];
	int t = get_local_id(0);

	for (int k = 0; k < rounds; k++) {
		room[t] = k;
		if (k != 1 || t < 64)
			barrier(CLK_LOCAL_MEM_FENCE);
		out[t] += room[t ^ 1];
	}
}

// all as often, each half leaves out another round
kernel void shift(global int *out, int rounds)
{
	local int room[128];
	int t = get_local_id(0);

	for (int k = 0; k < rounds; k++) {
		room[t] = k;
		if (k != 1 + t / 64)
			barrier(CLK_LOCAL_MEM_FENCE);
		out[t] += room[t ^ 1];
	}
}

kernel void early(global int *out, int n)
{
	local int room[128];
	int t = get_local_id(0);

	if (t >= n)
		return;
	room[t] = t;
	barrier(CLK_LOCAL_MEM_FENCE);
	out[t] = room[t & 63];
}

// right: the compiler makes several barriers of one
kernel void unrolled(global int *out, int n)
{
	local int room[128];
	int t = get_local_id(0);

#pragma unroll
	for (int k = 0; k < 4; k++) {
		if (k != n)
			room[t] = k;
		barrier(CLK_LOCAL_MEM_FENCE);
		if (t < 64)
			out[t] += room[t + 64];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
}

int meet(local int *room, int t)
{
	barrier(CLK_LOCAL_MEM_FENCE);
	return room[t ^ 1];
}

// right: all take the same way
kernel void called(global int *out, int n)
{
	local int room[128];
	int t = get_local_id(0);

	room[t] = t;
	out[t] = n > 2 ? meet(room, t) : meet(room, t + 1);
	if (n > 2)
		out[t] += meet(room, t);
}

// in all, both halves meet it as often
kernel void nested(global int *out, int n)
{
	local int room[128];
	int t = get_local_id(0);

	for (int j = 0; j < 2; j++) {
		int turns = (t < 64) == j ? n : n + 1;

		for (int k = 0; k < turns; k++) {
			room[t] = k;
			barrier(CLK_LOCAL_MEM_FENCE);
			out[t] += room[t ^ 1];
		}
		out[t]++;
	}
}
