// The groups that match.any finds vote, shuffle, reduce and match among themselves: one instruction with several member masks.
extern "C" __global__ void members_apart(const unsigned *in, unsigned *out)
{
	unsigned t = threadIdx.x, n = blockDim.x, x = in[t];
	unsigned m = __match_any_sync(~0u, x % 3);
	int all;
	out[t] = m;
	out[n + t] = __shfl_sync(m, x, __ffs(m) - 1);
	out[2 * n + t] = __ballot_sync(m, x >> 3 & 1);
	out[3 * n + t] = __reduce_add_sync(m, x);
	out[4 * n + t] = __reduce_max_sync(m, (int)x);
	out[5 * n + t] = __any_sync(m, (x & 15) == 0) + 2 * __all_sync(m, x < 0xf0000000);
	out[6 * n + t] = __match_any_sync(m, x & 1);
	out[7 * n + t] = __match_all_sync(m, x % 3 + (t == 7), &all);
}
