/* The calls of programs compiled with `nvcc --default-stream per-thread`: stream 0 is the calling thread's own (CUDA
 * programming guide, default stream). */
#include "kernels.h"

#include <pthread.h>

#define OWN_STREAM(name, parameters, arguments) cudaError_t name##_ptsz parameters;
#include "host/cuda/per_thread.def"

enum { N = 64 };

static unsigned long long own_id(void)
{
	unsigned long long id, same;
	OK(cudaStreamGetId_ptsz(0, &id));
	OK(cudaStreamGetId(cudaStreamPerThread, &same));
	CHECK(id == same);
	OK(cudaStreamGetId(0, &same));
	CHECK(id != same);
	return id;
}

/* Kernels, fills and copies in stream 0; a capture of it takes nothing of the legacy stream. */
static void *use_own_stream(void *id)
{
	int *numbers, n = N, one = 1, host[N];
	enum cudaStreamCaptureStatus status;
	cudaGraph_t graph;

	*(unsigned long long *)id = own_id();
	OK(cudaMallocAsync_ptsz((void **)&numbers, sizeof host, 0));
	OK(cudaMemset_ptds(numbers, 0xff, sizeof host));
	OK(cudaMemcpy_ptds(host, numbers, sizeof host, cudaMemcpyDeviceToHost));
	for (int i = 0; i < N; i++)
		CHECK(host[i] == -1);
	OK(cudaLaunchKernel_ptsz(&fill, (dim3){1, 1, 1}, (dim3){32, 1, 1}, (void *[]){&numbers, &one, &n}, 0, 0));
	OK(cudaMemcpyAsync_ptsz(host, numbers, sizeof host, cudaMemcpyDeviceToHost, 0));
	OK(cudaStreamSynchronize_ptsz(0));
	for (int i = 0; i < N; i++)
		CHECK(host[i] == 1);
	GIVES(cudaErrorStreamCaptureUnsupported, cudaStreamBeginCapture(0, cudaStreamCaptureModeThreadLocal));
	OK(cudaStreamBeginCapture_ptsz(0, cudaStreamCaptureModeThreadLocal));
	OK(cudaStreamIsCapturing_ptsz(0, &status));
	CHECK(status == cudaStreamCaptureStatusActive);
	OK(cudaStreamEndCapture_ptsz(0, &graph));
	OK(cudaGraphDestroy(graph));
	OK(cudaFreeAsync_ptsz(numbers, 0));
	OK(cudaStreamSynchronize_ptsz(0));
	return NULL;
}

int main(void)
{
	unsigned long long first, second;
	pthread_t thread;

	use_own_stream(&first);
	CHECK(!pthread_create(&thread, NULL, use_own_stream, &second));
	pthread_join(thread, NULL);
	CHECK(first != second);
	return 0;
}
