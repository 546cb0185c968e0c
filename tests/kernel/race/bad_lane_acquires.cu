// One lane acquires, and the others of its warp read without a __syncwarp(): also in a warp that is not the launch's first.
// launch: --kernel all --grid 3 --block 64 --check races=strict --arg buf:w:u32:512:zero
#include "strong.h"

extern "C" __global__ void all(unsigned *w)
{
	unsigned lane = threadIdx.x % 32, *flag = w, *box = w + 64, *out = w + 128;

	if (blockIdx.x == 0) {
		if (threadIdx.x < 32)
			box[lane] = lane;
		__syncthreads();
		if (threadIdx.x == 0)
			release(flag, 1);
	} else if (blockIdx.x == 2 && threadIdx.x >= 32) {
		if (lane == 0)
			while (acquire(flag) == 0)
				;
		out[lane] = box[lane];
	}
}
