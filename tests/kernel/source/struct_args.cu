// CUDA C through clang: structures by value between device functions, recursion, a switch, 64-bit arithmetic.
// launch: --grid 1 --block 64 --arg buf:out:u64:64:zero --dump out
struct Pair {
	unsigned long long a;
	unsigned b;
};
__device__ __noinline__ Pair step(Pair p, unsigned k)
{
	Pair q;
	q.a = p.a * 6364136223846793005ull + p.b;
	q.b = (unsigned)(p.a >> 33) ^ k;
	return q;
}
__device__ __noinline__ unsigned long long gcd(unsigned long long a, unsigned long long b)
{
	return b ? gcd(b, a % b) : a;
}
extern "C" __global__ void struct_args(unsigned long long *out)
{
	Pair p = {threadIdx.x, 1};
	for (unsigned k = 0; k < 10; k++)
		p = step(p, k);
	switch (threadIdx.x % 4) {
	case 0: out[threadIdx.x] = p.a; break;
	case 1: out[threadIdx.x] = p.b; break;
	case 2: out[threadIdx.x] = gcd(p.a, 720720); break;
	default: out[threadIdx.x] = gcd(1ull << (threadIdx.x / 2), 1 << 20);
	}
}
