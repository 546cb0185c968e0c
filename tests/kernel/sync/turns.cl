// Threads of a warp that meet a barrier different numbers of times and run on together; and threads that end early.
// launch last_round: --kernel last_round --block 64 --check barriers --arg buf:out:s32:64:zero --arg s32:4
// launch loop: --kernel loop --block 32 --check barriers --arg buf:out:s32:32:zero
// launch skipped: --kernel skipped --block 64 --check barriers --arg buf:out:s32:64:zero
// launch early: --kernel early --grid 2 --block 64 --check barriers --arg buf:out:s32:128:zero --arg s32:83
// launch tree: --kernel tree --block 64 --check barriers --arg buf:out:s32:64:zero
// launch guarded: --kernel guarded --grid 2 --block 64 --check barriers --arg buf:out:s32:128:zero --arg s32:83
kernel void last_round(global int *out, int rounds)
{
	local int room[64];
	int t = get_local_id(0), sum = t;

	for (int k = 0; k < rounds; k++) {
		room[t] = sum;
		if (k < rounds - 1 || t < 48)
			barrier(CLK_LOCAL_MEM_FENCE);
		sum += room[t ^ 1];
	}
	out[t] = sum;
}

// each thread meets the barrier as often as its number says
kernel void loop(global int *out)
{
	int t = get_local_id(0);

	for (int k = 0; k < t; k++)
		barrier(CLK_LOCAL_MEM_FENCE);
	out[t] = t;
}

kernel void skipped(global int *out)
{
	int t = get_local_id(0);

	if (t < 16)
		barrier(CLK_LOCAL_MEM_FENCE);
	out[t] = t;
}

// right: those without work end at the beginning
kernel void early(global int *out, int n)
{
	local int room[64];
	int t = get_global_id(0), l = get_local_id(0);

	if (t >= n)
		return;
	for (int k = 0; k < 3; k++) {
		room[l] = t + k;
		barrier(CLK_LOCAL_MEM_FENCE);
		out[t] += room[l & 1];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
}

// those that have nothing left to do end, between barriers
kernel void tree(global int *out)
{
	local int room[64];
	int t = get_local_id(0);

	room[t] = t;
	for (int k = 32; k; k /= 2) {
		barrier(CLK_LOCAL_MEM_FENCE);
		if (t >= k)
			return;
		room[t] += room[t + k];
	}
	out[t] = room[t];
}

// all come to all barriers, and some of them do nothing in between
kernel void guarded(global int *out, int n)
{
	local int room[64];
	int t = get_global_id(0), l = get_local_id(0);

	for (int k = 0; k < 3; k++) {
		if (t < n)
			room[l] = t + k;
		barrier(CLK_LOCAL_MEM_FENCE);
		if (t < n)
			out[t] += room[l & 1];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (t < n)
		out[t]++;
}
