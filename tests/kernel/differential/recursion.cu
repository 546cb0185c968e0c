// Recursion: permutations of a local array passed by pointer with a function pointer at the leaves, Ackermann, and structures by value.
typedef unsigned long long u64;
struct sum { u64 a; int depth; unsigned char tag[3]; };
typedef u64 (*leaf)(const unsigned char *, int);
__device__ __noinline__ u64 forwards(const unsigned char *p, int n)
{
	u64 h = 0;
	for (int i = 0; i < n; i++)
		h = h * 31 + p[i];
	return h;
}
__device__ __noinline__ u64 backwards(const unsigned char *p, int n)
{
	return n ? p[n - 1] + 37 * backwards(p, n - 1) : 1;
}
__device__ leaf leaves[2] = {forwards, backwards};
__device__ __noinline__ void permute(unsigned char *p, int n, int at, u64 *h, leaf f)
{
	if (at == n) {
		*h ^= f(p, n) * (*h | 1);
		return;
	}
	for (int i = at; i < n; i++) {
		unsigned char c = p[at];
		p[at] = p[i], p[i] = c;
		permute(p, n, at + 1, h, f);
		p[i] = p[at], p[at] = c;
	}
}
__device__ int ackermann(int m, int n)
{
	if (m == 0)
		return n + 1;
	return n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}
__device__ __noinline__ sum walk(unsigned x, sum s)
{
	s.depth++;
	s.tag[x % 3] += (unsigned char)x;
	if (x < 9)
		return s;
	s.a = s.a * 3 + x;
	sum l = walk(x / 3, s);
	if (x & 1) {
		sum r = walk(x / 5, l);
		r.a += l.tag[1];
		return r;
	}
	return l;
}
extern "C" __global__ void recursion(const unsigned *in, u64 *out)
{
	unsigned t = threadIdx.x, x = in[t];
	unsigned char p[5] = {(unsigned char)x, (unsigned char)(x >> 8), 3, (unsigned char)(x >> 16), 7};
	u64 h = x;
	permute(p, 2 + t % 4, 0, &h, leaves[x >> 9 & 1]);
	out[t] = h;
	out[40 + t] = ackermann(t % 3, x % 5);
	sum s = {x, 0, {1, 2, 3}};
	if (t % 7 != 2)
		s = walk(x >> t % 16, s);
	out[80 + t] = s.a ^ (u64)s.depth << 40 ^ (u64)s.tag[0] << 8 ^ (u64)s.tag[1] << 16 ^ s.tag[2];
}
