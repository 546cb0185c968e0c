// libcu++: atomic_ref of several scopes and orders, a counting semaphore as a lock, a latch and a barrier between the threads of a group.
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/semaphore>
__device__ cuda::binary_semaphore<cuda::thread_scope_device> lock(1);
__device__ cuda::atomic<unsigned, cuda::thread_scope_device> arrived(0);
extern "C" __global__ void atomics_cxx(unsigned long long *out, unsigned *part)
{
	__shared__ cuda::barrier<cuda::thread_scope_block> barrier;
	__shared__ unsigned sum;
	unsigned t = threadIdx.x, g = blockIdx.x * blockDim.x + t;
	if (t == 0) {
		init(&barrier, blockDim.x);
		sum = 0;
	}
	__syncthreads();
	cuda::atomic_ref<unsigned, cuda::thread_scope_block> s(sum);
	s.fetch_add(g, cuda::std::memory_order_relaxed);
	barrier.arrive_and_wait();
	part[g] = s.load(cuda::std::memory_order_acquire);
	cuda::atomic_ref<unsigned long long, cuda::thread_scope_device> top(out[0]), low(out[1]), bits(out[2]);
	top.fetch_max(g * 3ull, cuda::std::memory_order_acq_rel);
	low.fetch_sub(g);
	bits.fetch_xor(1ull << g % 61);
	unsigned long long seen = out[3];
	cuda::atomic_ref<unsigned long long> loop(out[3]);
	while (!loop.compare_exchange_weak(seen, seen * 1 + g + 1))
		;
	for (unsigned i = 0; i < 32; i++)
		if (t == i && g % 8 == 0) {
			lock.acquire();
			out[4] = out[4] + g;
			lock.release();
		}
	cuda::atomic_ref<float> f(reinterpret_cast<float *>(out)[10]);
	f.fetch_add(0.5f);
	barrier.arrive_and_wait();
	if (t == 0)
		arrived.fetch_add(1, cuda::std::memory_order_release);
	if (g == 0) {
		while (arrived.load(cuda::std::memory_order_acquire) != gridDim.x)
			;
		out[6] = out[3] ^ out[4];
	}
}
