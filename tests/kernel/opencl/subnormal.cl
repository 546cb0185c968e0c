// exp, ldexp, rootn, erfc, fmod, remainder and remquo of float, with results and arguments below the normal numbers, against Python's of double.
// launch: --grid 1 --block 16 --arg buf:in_:f32:32:zero --arg buf:out:f32:160:zero --arg buf:quotients:s32:32:zero --dump in_ --dump out --dump quotients
constant float first[16] = {-0x1.5b2dd8p-127f, 0x1.800002p-127f, 0x1p100f, -0x1.23456p-120f, 7.5f, -5.5f, 0x1.fffffep-126f, 0x1p-149f, -0x1.8p-140f, 3.0f,
	0x1.234p-126f, 0x1.4p-148f, 1e10f, -0x1.fffffep127f, 0x1p-130f, 0.0f};
constant float second[16] = {-0x1.0068eap-110f, 0x1.8p-148f, 0x1.800006p-127f, 0x1p-149f, 2.0f, 2.0f, -0x1p-126f, 0x1p127f, 0x1p-139f, -2.0f, 0x1p-126f,
	0x1p-149f, 0x1.123p-3f, 0x1.4p-149f, 0x1p-129f, 0x1p-149f};
kernel void subnormal(global float *in_, global float *out, global int *quotients)
{
	int t = get_local_id(0), quotient;
	float x = in_[t] = first[t], y = in_[16 + t] = second[t];
	int2 both;
	out[t] = fmod(x, y);
	out[16 + t] = remainder(x, y);
	out[32 + t] = remquo(x, y, &quotient);
	quotients[t] = quotient;
	vstore2(remquo((float2)(x, -x), (float2)(y, y), &both), t, out + 48);
	quotients[16 + t] = both.y;
	out[80 + t] = ldexp(x, 10 * t - 20);
	out[96 + t] = ldexp((float2)(1, x), (int2)(1, t - 8)).y;
	out[112 + t] = exp(-87.0f - t);
	out[128 + t] = rootn((float2)(2, x), (int2)(3, 1)).y;
	out[144 + t] = erfc(0x1.fdep+2f + t * 0.07f);
}
