// A kernel as CUTLASS writes it, in CUDA C++: __launch_bounds__ with both numbers fixes 168 registers a thread, the producer
// warpgroup keeps 40, the two consumers take 232. The producer fills two slots in turn, and waits for each until it was read.
// launch: --block 384 --arg buf:in:u32:1024:iota --arg buf:out:u32:256:zero --dump out
#include <stdint.h>
template <int N> __device__ void give() { asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(N)); }
template <int N> __device__ void take() { asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(N)); }
template <int B> __device__ void meet() { asm volatile("bar.sync %0, 384;" ::"n"(B) : "memory"); }
template <int B> __device__ void tell() { asm volatile("bar.arrive %0, 384;" ::"n"(B) : "memory"); }

extern "C" __global__ __launch_bounds__(384, 1) void roles(const uint32_t *in, uint32_t *out)
{
	__shared__ uint32_t slot[2][128];
	uint32_t lane = threadIdx.x % 128, sum = 0;

	if (threadIdx.x < 128) {
		give<40>();
		for (int k = 0; k < 8; k += 2) {
			if (k)
				meet<3>();
			slot[0][lane] = in[k * 128 + lane];
			tell<1>();
			if (k)
				meet<4>();
			slot[1][lane] = in[(k + 1) * 128 + lane];
			tell<2>();
		}
		meet<3>();
		meet<4>();
	} else {
		take<232>();
		for (int k = 0; k < 8; k += 2) {
			meet<1>();
			sum += slot[0][lane];
			tell<3>();
			meet<2>();
			sum += 3 * slot[1][lane];
			tell<4>();
		}
		out[threadIdx.x - 128] = sum;
	}
}
