// OpenCL vector types: float4 arithmetic, uchar4 and short2 conversions, swizzles, select, vload and vstore.
// launch: --grid 4 --block 32 --arg buf:a:f32:512:random=1,-8,8 --arg buf:bytes:u8:512:random=2 --arg buf:out:f32:512:zero --arg buf:packed:u8:512:zero --dump out --dump packed
kernel void vectors(global const float4 *a, global const uchar4 *bytes, global float4 *out, global uchar *packed)
{
	int t = get_global_id(0);
	float4 v = a[t];
	uchar4 b = bytes[t];
	float4 w = v.wzyx * 2.0f - convert_float4(b);
	w.s13 = w.s31;
	out[t] = select(w, v, v > 0.0f);
	uchar4 c = (uchar4)(b.x ^ b.y, b.y + b.z, b.z & b.w, (uchar)t);
	vstore4(c.wxyz, t, packed);
}
