// A counting sort of 64-bit keys, two bits a pass, by match.any; dynamic shared memory in parts of several types whose pointers change places.
typedef unsigned short u16;
typedef unsigned u32;
typedef unsigned long long u64;
extern "C" __global__ void radix_dynamic(const u64 *in, u64 *out, u32 *scr)
{
	extern __shared__ u64 dynamic_shared[];
	u64 *keys = (u64 *)dynamic_shared;
	u64 *other = keys + 96;
	u16 *counts = (u16 *)(other + 96); /* [bin][warp] */
	u32 t = threadIdx.x, lane = t & 31, warp = t >> 5;
	keys[t] = in[(blockIdx.x * 96 + t) * 5 & 1023] & 0xffffff;
	__syncthreads();
	for (int shift = 0; shift < 24; shift += 2) {
		u64 key = keys[t];
		u32 bin = (u32)(key >> shift & 3);
		u32 same = __match_any_sync(~0u, bin), rank = (u32)__popc(same & ((1u << lane) - 1));
		if (t < 12)
			counts[t] = 0;
		__syncthreads();
		if (rank == 0)
			counts[bin * 3 + warp] = (u16)__popc(same);
		__syncthreads();
		u32 before = 0;
		for (u32 i = 0; i < bin * 3 + warp; i++)
			before += counts[i];
		other[before + rank] = key;
		__syncthreads();
		u64 *swap = keys;
		keys = other;
		other = swap;
	}
	out[blockIdx.x * 96 + t] = keys[t];
	if (t && keys[t - 1] > keys[t])
		atomicAdd(&scr[0], 1u);
}
