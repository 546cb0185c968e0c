// Decoupled look-back scan: tiles by ticket, a warp of each looks back over 32 states at once and spins on those that are not yet there.
extern "C" __global__ void look_back(const unsigned *in, unsigned *out, unsigned long long *state)
{
	__shared__ unsigned tile, before, part[64];
	unsigned t = threadIdx.x;
	volatile unsigned long long *view = state;
	if (t == 0)
		tile = (unsigned)atomicAdd(&state[24], 1ull);
	__syncthreads();
	unsigned mine = tile, x = in[mine * 64 + t];
	part[t] = x;
	__syncthreads();
	for (unsigned d = 1; d < 64; d *= 2) {
		unsigned v = t >= d ? part[t - d] : 0;
		__syncthreads();
		part[t] += v;
		__syncthreads();
	}
	if (t == 63 && mine) {
		view[mine] = 1ull << 32 | part[63];
	} else if (t == 63) {
		view[0] = 2ull << 32 | part[63];
	}
	if (t < 32) {
		unsigned sum = 0;
		int at = (int)mine - 1 - (int)t;
		while (mine) {
			unsigned long long s;
			do {
				s = at >= 0 ? view[at] : 2ull << 32;
			} while (__any_sync(~0u, s >> 32 == 0));
			unsigned done = __ballot_sync(~0u, s >> 32 == 2);
			unsigned value = done && t > __ffs(done) - 1u ? 0 : (unsigned)s;
			for (int d = 16; d; d /= 2)
				value += __shfl_down_sync(~0u, value, d);
			sum += __shfl_sync(~0u, value, 0);
			if (done)
				break;
			at -= 32;
		}
		if (t == 0) {
			before = sum;
			if (mine)
				view[mine] = 2ull << 32 | (sum + part[63]);
		}
	}
	__syncthreads();
	out[mine * 64 + t] = before + part[t];
}
