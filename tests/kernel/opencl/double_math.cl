// sinh, cosh and tgamma of double, which call exp and pow of double.
// launch: --grid 1 --block 16 --arg buf:in_:f64:16:random=5,-20,20 --arg buf:out:f64:64:zero --dump in_ --dump out
kernel void double_math(global const double *in_, global double *out)
{
	int t = get_local_id(0);
	double x = in_[t];
	out[t] = sinh(35 * x);
	out[16 + t] = cosh(35 * x);
	out[32 + t] = tgamma(fabs(x) * 8 + 0.5);
	out[48 + t] = tgamma(x);
}
