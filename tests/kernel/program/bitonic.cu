// Bitonic sort of a group's 512 keys in shared memory: half of the threads idle or swapped at every step, a barrier between steps; 64-bit keys.
// launch: --grid 2 --block 256 --arg buf:keys:u64:1024:random=33 --dump keys
extern "C" __global__ void bitonic(unsigned long long *keys)
{
	__shared__ unsigned long long room[512];
	unsigned t = threadIdx.x, n = 512;
	keys += blockIdx.x * n;
	room[t] = keys[t];
	room[t + 256] = keys[t + 256];
	for (unsigned size = 2; size <= n; size *= 2)
		for (unsigned stride = size / 2; stride; stride /= 2) {
			__syncthreads();
			unsigned low = 2 * t - (t & (stride - 1)), high = low + stride;
			bool up = (t & (size / 2)) == 0;
			unsigned long long x = room[low], y = room[high];
			if ((x > y) == up) {
				room[low] = y;
				room[high] = x;
			}
		}
	__syncthreads();
	keys[t] = room[t];
	keys[t + 256] = room[t + 256];
}
