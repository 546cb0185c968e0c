// convert_float of double in every rounding, below the least float: the sign of a result that is 0 is that of the number (IEEE 754-2008, 6.3).
// launch: --grid 1 --block 4 --arg buf:in_:f64:4:zero --arg buf:out:u32:24:zero --dump out
constant double values[4] = {-0x1.fffffffffffffp-150, 0x1.fffffffffffffp-150, -0x1.0000000000001p0, 0x1.0000000000001p0};
kernel void float_of_double(global double *in_, global float *out)
{
	int t = get_local_id(0);
	double x = in_[t] = values[t];
	out[t] = convert_float_rtp(x);
	out[4 + t] = convert_float_rtn(x);
	out[8 + t] = convert_float_rtz(x);
	out[12 + t] = convert_float_rte(x);
	vstore2(convert_float2_rtz((double2)(x, -x)), t, out + 16);
}
