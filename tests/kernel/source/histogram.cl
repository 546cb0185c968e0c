// OpenCL atomics on local and global words, a loop with a stride, constant memory, a helper function.
// launch: --grid 6 --block 64 --arg buf:input:u32:3000:random=3 --arg buf:bins:u32:32:zero --arg u32:3000 --arg buf:highest:u32:1:zero --dump bins --dump highest
constant uint order[4] = {3, 1, 0, 2};
uint bin_of(uint x)
{
	return (x >> 27 & 28) | order[x & 3];
}
kernel void histogram(global const uint *input, global uint *bins, uint n, global uint *highest)
{
	local uint mine[32];
	uint t = get_local_id(0);
	if (t < 32)
		mine[t] = 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint k = get_global_id(0); k < n; k += get_global_size(0)) {
		atomic_inc(&mine[bin_of(input[k])]);
		atomic_max(highest, input[k]);
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	if (t < 32 && mine[t])
		atomic_add(&bins[t], mine[t]);
}
