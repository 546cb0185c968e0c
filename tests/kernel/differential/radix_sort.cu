// Radix sort of 32-bit keys with payload: warps rank equal digits with match.any, the groups of lanes vote and shuffle among themselves.
extern "C" __global__ void radix_sort(unsigned *keys, unsigned *rank)
{
	__shared__ unsigned count[8][16], key[256];
	__shared__ unsigned short place[256];
	unsigned t = threadIdx.x, lane = t & 31, w = t >> 5;
	key[t] = keys[t];
	place[t] = (unsigned short)t;
	__syncthreads();
	for (unsigned shift = 0; shift < 32; shift += 4) {
		unsigned x = key[t], digit = x >> shift & 15, from = place[t];
		if (lane < 16)
			count[w][lane] = 0;
		__syncwarp();
		unsigned same = __match_any_sync(~0u, digit), leader = __ffs(same) - 1;
		if (lane == leader)
			count[w][digit] = __popc(same);
		unsigned below = __popc(same & ((1u << lane) - 1));
		unsigned check = __reduce_add_sync(same, 1u) + __shfl_sync(same, lane, leader);
		if (check != (unsigned)__popc(same) + leader)
			x = 0xbadbadu;
		__syncthreads();
		if (t < 16) {
			unsigned sum = 0;
			for (int v = 0; v < 8; v++) {
				unsigned c = count[v][t];
				count[v][t] = sum;
				sum += c;
			}
			unsigned all = sum;
			for (int d = 1; d < 16; d *= 2) {
				unsigned left = __shfl_up_sync(0xffff, all, d, 16);
				if (t >= d)
					all += left;
			}
			for (int v = 0; v < 8; v++)
				count[v][t] += all - sum;
		}
		__syncthreads();
		unsigned to = count[w][digit] + below;
		key[to] = x;
		place[to] = (unsigned short)from;
		__syncthreads();
	}
	keys[t] = key[t];
	rank[t] = place[t];
}
