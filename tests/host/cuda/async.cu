// What CUDA C++ offers between threads and memory: libcu++ and cooperative groups, matrices, the heap.  Made by nvcc 13.0:
//     nvcc -std=c++17 -diag-suppress 20054 -fatbin -gencode arch=compute_80,code=compute_80 -o async_80.fatbin async.cu
// and likewise for 90, whose barriers and copies are other instructions.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/pipeline>
#include <cuda/semaphore>
#include <mma.h>
namespace cg = cooperative_groups;

#define THREADS 128

// Halves of the block hand each other values through two barriers, round after round.
extern "C" __global__ void barriers(int *out)
{
	__shared__ cuda::barrier<cuda::thread_scope_block> bar[2];
	__shared__ int value[THREADS];
	int t = threadIdx.x;
	if (t < 2)
		init(&bar[t], THREADS);
	__syncthreads();
	value[t] = t;
	for (int k = 0; k < 10; k++) {
		bar[0].arrive_and_wait();
		int other = value[(t + 1) % THREADS];
		auto token = bar[1].arrive();
		bar[1].wait(std::move(token));
		value[t] = other + 1;
	}
	if (t == 5)
		bar[0].arrive_and_drop();
	else
		bar[0].arrive_and_wait();
	out[blockIdx.x * THREADS + t] = value[t];
}

// memcpy_async of a block with a barrier, of a thread, and of a tile with cooperative groups.
extern "C" __global__ void copies(const int *in, int *out)
{
	__shared__ alignas(16) int data[4 * THREADS];
	__shared__ cuda::barrier<cuda::thread_scope_block> bar;
	auto block = cg::this_thread_block();
	int t = threadIdx.x, sum = 0;
	if (!t)
		init(&bar, THREADS);
	block.sync();
	cuda::memcpy_async(block, data, in, cuda::aligned_size_t<16>(sizeof data), bar);
	bar.arrive_and_wait();
	for (int k = 0; k < 4; k++)
		sum += data[(t + k * 37) % (4 * THREADS)];
	block.sync();
	cg::memcpy_async(block, data, in + 4 * THREADS, sizeof data);
	cg::wait(block);
	sum += data[4 * THREADS - 1 - t];
	out[blockIdx.x * THREADS + t] = sum;
}

// A pipeline of two stages over a stream of batches.
extern "C" __global__ void pipelines(const int *in, int *out, int batches)
{
	__shared__ alignas(16) int stage[2][THREADS];
	__shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
	auto block = cg::this_thread_block();
	auto pipe = cuda::make_pipeline(block, &state);
	int t = threadIdx.x, sum = 0;
	for (int batch = 0, fetched = 0; batch < batches; batch++) {
		for (; fetched < batches && fetched < batch + 2; fetched++) {
			pipe.producer_acquire();
			cuda::memcpy_async(block, stage[fetched % 2], in + fetched * THREADS, sizeof stage[0], pipe);
			pipe.producer_commit();
		}
		pipe.consumer_wait();
		sum = sum * 3 + stage[batch % 2][THREADS - 1 - t];
		pipe.consumer_release();
	}
	out[blockIdx.x * THREADS + t] = sum;
}

// Two of the warps at a time, and all of them at the end.
extern "C" __global__ void semaphores(int *out)
{
	__shared__ alignas(8) char places[64];
	__shared__ int inside, most;
	auto *gate = reinterpret_cast<cuda::counting_semaphore<cuda::thread_scope_block, 4> *>(places);
	auto *gathered = reinterpret_cast<cuda::latch<cuda::thread_scope_block> *>(places + 32);
	if (!threadIdx.x) {
		new (gate) cuda::counting_semaphore<cuda::thread_scope_block, 4>(2);
		new (gathered) cuda::latch<cuda::thread_scope_block>(THREADS / 32);
		inside = most = 0;
	}
	__syncthreads();
	if (threadIdx.x % 32)
		return;
	gate->acquire();
	atomicMax(&most, atomicAdd(&inside, 1) + 1);
	__nanosleep(500);
	atomicSub(&inside, 1);
	gate->release();
	gathered->arrive_and_wait();
	out[blockIdx.x * (THREADS / 32) + threadIdx.x / 32] = most <= 2 && inside == 0;
}

// Products of 16 x 16 matrices of half precision.
extern "C" __global__ void matrices(const int *in, float *out)
{
	__shared__ alignas(32) half a[256], b[256];
	for (int k = threadIdx.x; k < 256; k += 32) {
		a[k] = __int2half_rn(in[k] % 8);
		b[k] = __int2half_rn(in[k + 256] % 8);
	}
	__syncwarp();
	nvcuda::wmma::fragment<nvcuda::wmma::matrix_a, 16, 16, 16, half, nvcuda::wmma::row_major> fa;
	nvcuda::wmma::fragment<nvcuda::wmma::matrix_b, 16, 16, 16, half, nvcuda::wmma::col_major> fb;
	nvcuda::wmma::fragment<nvcuda::wmma::accumulator, 16, 16, 16, float> fc;
	nvcuda::wmma::fill_fragment(fc, 1.0f);
	nvcuda::wmma::load_matrix_sync(fa, a, 16);
	nvcuda::wmma::load_matrix_sync(fb, b, 16);
	nvcuda::wmma::mma_sync(fc, fa, fb, fc);
	nvcuda::wmma::store_matrix_sync(out, fc, 16, nvcuda::wmma::mem_row_major);
}

// Lists on the heap.
struct node {
	node *next;
	int value;
};
extern "C" __global__ void heap(int *out, int length)
{
	node *head = nullptr;
	int sum = 0;
	for (int k = 0; k < length; k++)
		head = new node{head, k};
	while (head) {
		node *next = head->next;
		sum += head->value;
		delete head;
		head = next;
	}
	out[blockIdx.x * THREADS + threadIdx.x] = sum;
}
