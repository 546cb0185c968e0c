// native_ functions within the error that PTX gives its approximate instructions, half_ functions within 8192 ulp.
// launch: --grid 1 --block 64 --arg buf:x:f32:64:random=9,0.1,3 --arg buf:y:f32:64:random=8,-2,2 --arg buf:out:f32:1664:zero --dump x --dump y --dump out
kernel void native(global const float *x, global const float *y, global float *out)
{
	int t = get_global_id(0);
	float a = x[t], b = y[t];
	global float *o = out + 26 * t;
	o[0] = native_sin(b), o[1] = native_cos(b), o[2] = native_exp(b), o[3] = native_exp2(b), o[4] = native_exp10(b);
	o[5] = native_log(a), o[6] = native_log2(a), o[7] = native_log10(a), o[8] = native_recip(a), o[9] = native_rsqrt(a);
	o[10] = native_sqrt(a), o[11] = native_tan(b * 0.5f), o[12] = native_divide(b, a);
	float2 v = native_powr((float2)(a, a), (float2)(b, 1));
	o[13] = v.x;
	o[14] = v.y;
	o[15] = half_sin(b), o[16] = half_cos(b), o[17] = half_exp(b), o[18] = half_log(a), o[19] = half_recip(a);
	o[20] = half_rsqrt(a), o[21] = half_sqrt(a), o[22] = half_tan(b * 0.5f), o[23] = half_divide(b, a);
	o[24] = half_powr(a, b), o[25] = half_exp10(b);
}
