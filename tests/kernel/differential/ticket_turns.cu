// Groups take turns by tickets: the first lane spins for its turn on a volatile word, hands the running total on, and the group compacts by ballot.
typedef unsigned u32;
typedef unsigned long long u64;
extern "C" __global__ void ticket_turns(const u64 *in, u64 *out, u32 *scr)
{
	__shared__ u32 base, counts[2];
	u32 t = threadIdx.x, v = (u32)in[blockIdx.x * 64 + t];
	bool keep = v % 3 == 0;
	u32 votes = __ballot_sync(~0u, keep), rank = (u32)__popc(votes & ((1u << (t & 31)) - 1));
	if ((t & 31) == 0)
		counts[t >> 5] = (u32)__popc(votes);
	__syncthreads();
	if (t == 0) {
		u32 mine = atomicAdd(&scr[0], 1u);
		while (*(volatile u32 *)&scr[1] != mine)
			__threadfence();
		__threadfence();
		base = *(volatile u32 *)&scr[2];
		*(volatile u32 *)&scr[2] = base + counts[0] + counts[1];
		__threadfence();
		atomicExch(&scr[1], mine + 1);
	}
	__syncthreads();
	if (keep)
		atomicAdd(&out[v & 511], (u64)v + (base + rank + (t >= 32 ? counts[0] : 0) < 768));
}
