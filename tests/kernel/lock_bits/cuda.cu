// The same in CUDA C++: LDSLK and STSUL themselves, a channel, the divergent form and a bit for a warp.
// launch: --grid 2 --block 128 --set shared.lock_bits=4096 --arg buf:out:s32:1024 --dump out
#include <lockstep_lock_bits.h>

extern "C" __global__ void cuda(int *out)
{
	LOCKSTEP_LOCK_UNIT();
	__shared__ volatile int channel[64], total, warp_bit, raw;
	int t = threadIdx.x, *to = out + (blockIdx.x * blockDim.x + t) * 4;

	if (t < 64)
		lockstep_channel_close(&channel[t]);
	if (t == 0)
		total = raw = 0;
	__syncthreads();
	if (t < 64)
		lockstep_channel_put(&channel[t], 500 + t);
	to[0] = t < 64 ? 0 : lockstep_channel_get(&channel[t - 64]);
	LOCKSTEP_BIT_CRITICAL(&total, value) { value += 2; }
	lockstep_warp_wait(&warp_bit);
	lockstep_warp_unlock(&warp_bit, 7);
	__syncthreads();
	to[1] = total;
	to[2] = warp_bit;
	if (t == 5) {
		lockstep_loaded loaded = __lockstep_load_lock(&raw);
		__lockstep_store_unlock(&raw, loaded.got + 40 + loaded.value);
	}
	__syncthreads();
	to[3] = raw;
}
