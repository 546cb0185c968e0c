// What CUDA's integer functions give where C's signed arithmetic overflows, at the optimisation that `lockstep kernel FILE.cu` uses.
// launch: --grid 1 --block 64 --arg buf:a:s32:64:random=41 --arg buf:b:s32:64:random=42 --arg buf:out:u32:256:zero --dump out
extern "C" __global__ void wrapping(const int *a, const int *b, unsigned *out)
{
	unsigned t = threadIdx.x;
	int x = a[t], y = b[t];
	out[t] = __mul24(x, x) < 0;
	out[64 + t] = (unsigned)__mul24(x, y);
	out[128 + t] = __sad(x, y, 5);
	out[192 + t] = (unsigned)__mulhi(x, y);
}
