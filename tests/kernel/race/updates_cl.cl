// The same in OpenCL C.
// launch counts: --kernel counts --block 128 --check races --arg buf:out:s32:128:zero
// launch floats: --kernel floats --grid 4 --block 128 --check races --arg buf:h:f32:8:zero --arg buf:w:f32:128:iota
kernel void counts(global int *out)
{
	local int h[8];
	int t = get_local_id(0);

	if (t < 8)
		h[t] = 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	h[t & 7]++;
	barrier(CLK_LOCAL_MEM_FENCE);
	if (t < 8)
		out[t] = h[t];
}

kernel void floats(global float *h, global const float *w)
{
	h[get_local_id(0) & 7] += native_sin(w[get_local_id(0)]);
}
