// Decoupled look-back scan: a group publishes its sum, then its prefix, with a flag in one 64-bit word, and spins on its predecessors' words.
// launch: --grid 50 --block 64 --arg buf:input:u32:6400:random=4,0,100000 --arg buf:out:u32:6400:zero --arg buf:state:u64:50:zero --arg buf:ticket:u32:1:zero --dump out
// launch small: --grid 7 --block 64 --arg buf:input:u32:896:random=4,0,100000 --arg buf:out:u32:896:zero --arg buf:state:u64:7:zero --arg buf:ticket:u32:1:zero --dump out
enum { NOTHING, SUM, PREFIX };

extern "C" __global__ void look_back(const uint2 *input, uint2 *out, unsigned long long *state, unsigned *ticket)
{
	__shared__ unsigned room[64], tile, before;
	unsigned t = threadIdx.x;
	if (t == 0)
		tile = atomicAdd(ticket, 1);
	__syncthreads();
	uint2 mine = input[tile * 64 + t];
	room[t] = mine.x + mine.y;
	__syncthreads();
	for (unsigned step = 1; step < 64; step *= 2) {
		unsigned add = t >= step ? room[t - step] : 0;
		__syncthreads();
		room[t] += add;
		__syncthreads();
	}
	if (t == 0) {
		volatile unsigned long long *words = state;
		unsigned total = room[63], sum = 0;
		words[tile] = (unsigned long long)(tile ? SUM : PREFIX) << 32 | total;
		for (int k = tile - 1; k >= 0;) {
			unsigned long long word = words[k];
			if (word >> 32 == NOTHING)
				continue;
			sum += (unsigned)word;
			if (word >> 32 == PREFIX)
				break;
			k--;
		}
		if (tile)
			words[tile] = (unsigned long long)PREFIX << 32 | (total + sum);
		before = sum;
	}
	__syncthreads();
	unsigned end = before + room[t];
	out[tile * 64 + t] = make_uint2(end - mine.y, end);
}
