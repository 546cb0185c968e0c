// One misuse of a barrier a kernel.
// launch skipped: --kernel skipped --block 64 --check barriers --arg buf:out:s32:64:zero
// launch loop: --kernel loop --block 32 --check barriers --arg buf:out:s32:32:zero
kernel void skipped(global int *out)
{
	int t = get_local_id(0);

	if (t < 16)
		barrier(CLK_LOCAL_MEM_FENCE);
	out[t] = t;
}

// each lane meets the barrier as often as its number says
kernel void loop(global int *out)
{
	int t = get_local_id(0);

	for (int k = 0; k < t; k++)
		barrier(CLK_LOCAL_MEM_FENCE);
	out[t] = t;
}
