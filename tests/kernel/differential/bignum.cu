// Numbers of 256 bits: products and sums through carry chains in assembly, division by a word, and __int128 division.
typedef unsigned long long u64;
typedef unsigned __int128 u128;
__device__ u64 carry(u64 a, u64 b, u64 *low)
{
	u64 high;
	asm("add.cc.u64 %0, %2, %3; addc.u64 %1, 0, 0;" : "=l"(*low), "=l"(high) : "l"(a), "l"(b));
	return high;
}
__device__ void wide(u64 a, u64 b, u64 c, u64 *high, u64 *low)
{
	u64 h, l;
	asm("mad.lo.cc.u64 %0, %2, %3, %4; madc.hi.u64 %1, %2, %3, 0;" : "=&l"(l), "=l"(h) : "l"(a), "l"(b), "l"(c));
	*low = l, *high = h;
}
extern "C" __global__ void bignum(const u64 *in, u64 *out)
{
	unsigned t = threadIdx.x;
	u64 a[4], b[4], p[8] = {0};
	for (int i = 0; i < 4; i++)
		a[i] = in[t * 8 + i], b[i] = in[t * 8 + 4 + i] >> (t + i) % 64;
	for (int i = 0; i < 4; i++) {
		u64 over = 0;
		for (int j = 0; j < 4; j++) {
			u64 high, low;
			wide(a[i], b[j], over, &high, &low);
			high += carry(p[i + j], low, &p[i + j]);
			over = high;
		}
		p[i + 4] = over;
	}
	for (int i = 0; i < 8; i++)
		out[t * 11 + i] = p[i];
	u128 n = (u128)p[7] << 64 | p[6], d = (u128)(b[1] >> t) << (t & 31) | (a[0] | 1);
	u128 q = n / d, r = n % d;
	__int128 s = (__int128)n / -(__int128)(d >> 1 | 1);
	out[t * 11 + 8] = (u64)q ^ (u64)(q >> 64);
	out[t * 11 + 9] = (u64)r ^ (u64)(r >> 64);
	out[t * 11 + 10] = (u64)s + (u64)(s >> 64);
}
