// Warp-aggregated atomics and stream compaction: match, ballot, popc, shuffle and __activemask in diverged code; every kept element once.
// launch: --grid 4 --block 128 --arg buf:input:u32:512:random=31,0,1000 --arg buf:out:u32:512:zero --arg buf:counts:u32:9:zero --dump out --dump counts
extern "C" __global__ void warp_aggregate(const unsigned *input, unsigned *out, unsigned *counts)
{
	unsigned x = input[blockIdx.x * blockDim.x + threadIdx.x], lane = threadIdx.x & 31;
	if (x % 3 != 0) {
		unsigned mask = __activemask(), leader = __ffs(mask) - 1, place = 0;
		if (lane == leader)
			place = atomicAdd(&counts[8], __popc(mask));
		place = __shfl_sync(mask, place, leader) + __popc(mask & ((1u << lane) - 1));
		out[place] = x;
	}
	__syncwarp();
	unsigned peers = __match_any_sync(0xffffffff, x % 8);
	if (lane == __ffs(peers) - 1)
		atomicAdd(&counts[x % 8], __popc(peers));
}
