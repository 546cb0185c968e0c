// Kernels that call kernels: before and behind their definition, one through another, in a loop, with arguments below 32 bits,
// vectors, structures and local memory.  What is called can still be launched.
// launch: --kernel outer --grid 2 --block 32 --arg buf:data:u32:64:iota --arg buf:out:u32:64:zero --arg s32:3 --dump out
// launch alone: --kernel widths --grid 1 --block 4 --arg buf:out:u32:64:zero --arg u8:7 --arg s16:-2 --arg f32:1.5 --arg s64:-3 --dump out
struct pair {
	int a;
	char b;
};

kernel void widths(global uint *out, uchar byte, short half_word, float real, long word)
{
	out[get_global_id(0)] += byte + half_word + (int)(2 * real) + (int)word;
}

kernel void shapes(global uint *out, int4 v, struct pair pair, local uint *scratch);

kernel __attribute__((reqd_work_group_size(32, 1, 1))) void outer(global uint *data, global uint *out, int times)
{
	local uint scratch[32];
	uint g = get_global_id(0);
	for (int k = 0; k < times; k++)
		widths(out, data[g], k, 0.5f, -(long)g);
	shapes(out, (int4)(g, 1, 2, times), (struct pair){100, g}, scratch);
}

kernel __attribute__((reqd_work_group_size(32, 1, 1))) void shapes(
	global uint *out, int4 v, struct pair pair, local uint *scratch)
{
	uint l = get_local_id(0);
	scratch[l] = v.x + v.y + v.z + v.w + pair.a + pair.b;
	barrier(CLK_LOCAL_MEM_FENCE);
	widths(out, scratch[31 - l], 0, 0.0f, 0);
}
