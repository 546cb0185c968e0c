// A machine with a stack: instructions are byte vectors in constant memory, a jump table per step, calls through a table of functions, one recursive.
typedef unsigned u32;
typedef int s32;
typedef unsigned long long u64;
typedef long long s64;
__constant__ static const uchar4 code[16] = {{0, 7, 0, 0}, {1, 0, 1, 3}, {2, 3, 0, 0}, {7, 1, 0, 2}, {3, 0, 5, 0},
	{4, 2, 1, 0}, {8, 0, 0, 13}, {5, 9, 0, 1}, {6, 1, 2, 3}, {0, 200, 1, 0}, {9, 3, 3, 3}, {2, 255, 0, 0},
	{10, 4, 2, 0}, {1, 1, 1, 1}, {4, 3, 3, 0}, {11, 0, 0, 0}};
__device__ __noinline__ u32 rotate(u32 a, u32 b)
{
	return __funnelshift_l(a, a, b);
}
__device__ __noinline__ u32 mix(u32 a, u32 b)
{
	return a * 0x85ebca6bu ^ (b >> 13);
}
__device__ __noinline__ u32 deep(u32 a, u32 b)
{
	return b < 2 ? a : deep(mix(a, b), b / 2) + deep(rotate(a, b), b / 3);
}
typedef u32 (*function)(u32, u32);
__device__ function functions[3] = {rotate, mix, deep};
extern "C" __global__ void byte_code(const u64 *in, u64 *out, u32 *scr)
{
	u32 t = blockIdx.x * blockDim.x + threadIdx.x, stack[16], top = 1, steps = 0, at = t & 15;
	u64 wide = in[t];
	stack[0] = (u32)wide;
	while (steps++ < 60 && at < 16) {
		uchar4 c = code[at++];
		u32 a = stack[(top - 1) & 15], b = stack[(top - 2) & 15];
		switch (c.x) {
		case 0:
			stack[top++ & 15] = c.y * 0x01010101u;
			break;
		case 1:
			stack[(top - 1) & 15] = a + b * c.w;
			break;
		case 2:
			stack[(top - 1) & 15] = a ^ (wide >> (c.y & 63));
			break;
		case 3:
			top += c.z & 1;
			break;
		case 4:
			stack[(top - 1) & 15] = functions[c.y % 3](a, b & 31);
			break;
		case 5:
			wide = wide * a + c.y;
			break;
		case 6:
			stack[c.y] = stack[c.z] + stack[c.w];
			break;
		case 7:
			if (a & 1)
				at += c.w;
			break;
		case 8:
			if ((steps & 3) != (t & 3))
				at = c.w - (t & 7);
			break;
		case 9:
			stack[top++ & 15] = (u32)__popcll(wide) << (a & 15);
			break;
		case 10:
			wide ^= (u64)(s64)(s32)a << c.y;
			break;
		default:
			at = steps & 7;
			break;
		}
	}
	u64 h = wide;
	for (u32 i = 0; i < 16 && i < top; i++)
		h = h * 1000003 + stack[i];
	out[t] = h ^ steps;
}
