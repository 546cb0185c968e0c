// A tile is read, each word by two threads, and nothing else is in memory's record yet; the store behind that wants a barrier.
// launch: --kernel tile --block 128 --check races --arg buf:out:s32:128:zero
kernel void tile(global int *out)
{
	local int box[128];
	int t = get_local_id(0);

	box[t] = t;
	barrier(CLK_LOCAL_MEM_FENCE);
	out[t] = box[t / 2];
	box[127 - t] = t;
}
