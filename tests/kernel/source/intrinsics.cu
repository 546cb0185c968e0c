// Intrinsics that the command's own headers give: conversions and arithmetic of every rounding, packed bytes and halfwords, averages, loads
// and stores with cache operators, memset, memcpy.  Another writing of them for the CPU gave the expected numbers; nvcc's PTX gives the same.
// launch: --grid 2 --block 16 --arg buf:input:u64:1024:random=77 --arg buf:out:u64:1024:zero --arg buf:words:u32:32:zero --dump out --dump words
typedef unsigned u32;
typedef unsigned long long u64;
typedef long long s64;
__device__ static u32 fbits(float f)
{
	return f != f ? 0x7fffffffu : (u32)__float_as_int(f);
}
__device__ static u64 dbits(double f)
{
	return f != f ? 0x7ff8000000000000ull : (u64)__double_as_longlong(f);
}
#define TO(name, from, r) (u64) __##from##2##name##_##r(x.from##_)
#define ALL(name, from)                                                                                                \
	h = h * 31 + TO(name, from, rn), h = h * 31 + TO(name, from, rz), h = h * 31 + TO(name, from, ru),             \
	h = h * 31 + TO(name, from, rd)
#define FROM(from, to, bits)                                                                                           \
	h = h * 31 + bits(__##from##2##to##_rn(x.from##_)), h = h * 31 + bits(__##from##2##to##_rz(x.from##_)),        \
	h = h * 31 + bits(__##from##2##to##_ru(x.from##_)), h = h * 31 + bits(__##from##2##to##_rd(x.from##_))
struct values {
	float float_;
	double double_;
	int int_;
	u32 uint_;
	s64 ll_;
	u64 ull_;
};
extern "C" __global__ void intrinsics(const u64 *in, u64 *out, u32 *scr)
{
	u32 t = blockIdx.x * blockDim.x + threadIdx.x;
	u64 *o = out + t * 32;
	int n = 0;
	u64 p = in[t], q = in[t * 7 + 11 & 1023];
	u32 a = (u32)p, b = (u32)(p >> 32), c = (u32)q;
	values x;
	x.float_ = __uint_as_float(a);
	x.double_ = __longlong_as_double(p);
	if (x.float_ != x.float_)
		x.float_ = 77.25f;
	if (x.double_ != x.double_)
		x.double_ = -55.5;
	if (t & 1) {
		x.double_ = x.float_ * 1.1;
		if (t & 2)
			x.float_ = (float)((int)a >> (a & 31)) * 0.5f;
	}
	x.int_ = (int)a;
	x.uint_ = a;
	x.ll_ = (s64)p;
	x.ull_ = p;
	u64 h = 0;
	h = 0;
	ALL(int, float);
	o[n++] = h;
	h = 0;
	ALL(uint, float);
	o[n++] = h;
	h = 0;
	ALL(ll, float);
	o[n++] = h;
	h = 0;
	ALL(ull, float);
	o[n++] = h;
	h = 0;
	ALL(int, double);
	o[n++] = h;
	h = 0;
	ALL(ll, double);
	o[n++] = h;
	h = 0;
	FROM(double, float, fbits);
	o[n++] = h;
	h = 0;
	FROM(int, float, fbits);
	o[n++] = h;
	h = 0;
	FROM(ll, float, fbits);
	o[n++] = h;
	h = 0;
	FROM(ll, double, dbits);
	o[n++] = h;
	o[n++] = __double2hiint(x.double_);
	o[n++] = __double2loint(x.double_);
	o[n++] = dbits(__hiloint2double(a, b));
	float f = x.float_, g = __uint_as_float(c);
	double d = x.double_, e = (double)(s64)q;
#define RR(r)                                                                                                          \
	h = fbits(__fadd_##r(f, g)), h = h * 31 + fbits(__fsub_##r(f, g)), h = h * 31 + fbits(__fmul_##r(f, g)),       \
	h = h * 31 + fbits(__fdiv_##r(f, g)), h = h * 31 + fbits(__frcp_##r(f)), h = h * 31 + fbits(__fsqrt_##r(g)),   \
	h = h * 31 + fbits(__fmaf_##r(f, g, f)), o[n++] = h;                                                           \
	h = dbits(__dadd_##r(d, e)), h = h * 31 + dbits(__dsub_##r(d, e)), h = h * 31 + dbits(__dmul_##r(d, e)),       \
	h = h * 31 + dbits(__ddiv_##r(d, e)), h = h * 31 + dbits(__drcp_##r(d)), h = h * 31 + dbits(__dsqrt_##r(e)),   \
	h = h * 31 + dbits(__fma_##r(d, e, d)), o[n++] = h;
	RR(rn) RR(rz) RR(ru) RR(rd) o[n++] = (u32)__hadd(a, b) | (u64)(u32)__rhadd(a, b) << 32;
	o[n++] = __uhadd(a, b) | (u64)__urhadd(a, b) << 32;
	o[n++] = __funnelshift_lc(a, b, c & 63) | (u64)__funnelshift_rc(a, b, c & 63) << 32;
	o[n++] = (u32)__dp2a_lo((int)a, (int)b, (int)c) | (u64)(u32)__dp2a_hi((int)a, (int)b, (int)c) << 32;
#define V(f) h = h * 31 + f(a, b);
	h = 0;
	V(__vadd4)
	V(__vsub4) V(__vaddss4) V(__vsubus4) V(__vabsdiffu4) V(__vabsdiffs4) V(__vmaxs4) V(__vminu4) V(__vcmpgts4)
		V(__vcmpeq4) V(__vseteq4) V(__vavgu4) V(__vhaddu4) o[n++] = h;
	h = 0;
	V(__vadd2)
	V(__vsub2) V(__vaddss2) V(__vmaxs2) V(__vminu2) V(__vcmpltu2) V(__vabsdiffu2) V(__vavgs2) V(__vsadu4) h =
		h * 31 + __vneg4(a);
	h = h * 31 + __vabs4(b);
	o[n++] = h;
	o[n++] = min((s64)p, (s64)q) + max((u32)a, (u32)b);
	o[n++] = __ldcs(in + t) + __ldca(in + t + 1) + __ldcv(in + t + 2);
	__stcg(o + n, p);
	n++;
	__stcs(o + n, q);
	n++;
	char buf[24];
	memset(buf, (int)a, 24);
	memcpy(buf + 3, in + t, 8);
	u64 w;
	memcpy(&w, buf + 4, 8);
	o[n++] = w;
	scr[t] = n;
}
