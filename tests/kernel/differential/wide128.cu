// Products, quotients, remainders and powers of signed and unsigned numbers of 128 bits.
typedef unsigned u32;
typedef unsigned long long u64;
typedef long long s64;
__device__ __noinline__ unsigned __int128 power(unsigned __int128 base, u32 n, unsigned __int128 m)
{
	unsigned __int128 r = 1;
	for (; n; n >>= 1) {
		if (n & 1)
			r = r * base % m;
		base = base * base % m;
	}
	return r;
}
extern "C" __global__ void wide128(const u64 *in, u64 *out, u32 *scr)
{
	u32 t = blockIdx.x * blockDim.x + threadIdx.x;
	u64 a = in[t], b = in[t + 300], c = in[t + 500] >> (t & 63);
	unsigned __int128 x = (unsigned __int128)a << 64 | b, y = (unsigned __int128)b * c + 1;
	__int128 s = (__int128)(x ^ (unsigned __int128)(s64)c), z = (__int128)y >> (t & 31);
	if (!z)
		z = 3;
	__int128 q = s / z, r = s % z;
	unsigned __int128 w = x / y * 3 + x % y;
	w ^= power(a, (u32)b & 63, (unsigned __int128)(c | 1));
	w += (unsigned __int128)(q * r) ^ (unsigned __int128)(s >> (t & 127));
	w = (w << (b & 127)) | (w >> (127 - (b & 127)) >> 1);
	out[t] = (u64)w ^ (u64)(w >> 64) * 31 ^ (s < (__int128)w) ^ (u64)(double)(u64)(w >> 70);
}
