// 64-bit soup: xxHash64 and a multiply-with-carry generator over a per-thread string; 128-bit products, rotations, modulo, population counts.
// launch: --grid 2 --block 64 --arg buf:input:u8:8192:random=99 --arg buf:out:u64:384:zero --dump out
typedef unsigned long long u64;
#define P1 0x9E3779B185EBCA87ull
#define P2 0xC2B2AE3D27D4EB4Full
#define P3 0x165667B19E3779F9ull
#define P4 0x85EBCA77C2B2AE63ull
#define P5 0x27D4EB2F165667C5ull
__device__ u64 rotate(u64 x, int n) { return x << n | x >> (64 - n); }
__device__ u64 mix(u64 sum, u64 word) { return rotate(sum + word * P2, 31) * P1; }
__device__ u64 read(const unsigned char *at, int n)
{
	u64 x = 0;
	for (int k = 0; k < n; k++)
		x |= (u64)at[k] << 8 * k;
	return x;
}
__device__ u64 xxhash(const unsigned char *at, int n)
{
	const unsigned char *end = at + n;
	u64 h = P5;
	if (n >= 32) {
		u64 a = P1 + P2, b = P2, c = 0, d = 0 - P1;
		for (; end - at >= 32; at += 32) {
			a = mix(a, read(at, 8));
			b = mix(b, read(at + 8, 8));
			c = mix(c, read(at + 16, 8));
			d = mix(d, read(at + 24, 8));
		}
		h = rotate(a, 1) + rotate(b, 7) + rotate(c, 12) + rotate(d, 18);
		u64 all[4] = {a, b, c, d};
		for (int k = 0; k < 4; k++)
			h = (h ^ mix(0, all[k])) * P1 + P4;
	}
	h += n;
	for (; end - at >= 8; at += 8)
		h = rotate(h ^ mix(0, read(at, 8)), 27) * P1 + P4;
	if (end - at >= 4) {
		h = rotate(h ^ read(at, 4) * P1, 23) * P2 + P3;
		at += 4;
	}
	for (; at < end; at++)
		h = rotate(h ^ *at * P5, 11) * P1;
	h = (h ^ h >> 33) * P2;
	h = (h ^ h >> 29) * P3;
	return h ^ h >> 32;
}
extern "C" __global__ void soup64(const unsigned char *input, u64 *out)
{
	unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
	u64 h = xxhash(input + 64 * t, t % 65), carry = 1, x = h, bits = 0;
	for (int k = 0; k < 20; k++) {
		u64 low = x * 0xfeb344657c0af413ull, high = __umul64hi(x, 0xfeb344657c0af413ull);
		x = low + carry;
		carry = high + (x < low);
		bits = bits * 3 + __popcll(x) * __clzll(x | 1) + (x % 1000003) + (long long)x / 12345 + __ffsll(x) + (__brevll(x) >> 60);
	}
	out[3 * t] = h;
	out[3 * t + 1] = x ^ carry;
	out[3 * t + 2] = bits;
}
