/* A kernel stores to memory that was freed: its argument says how.  What the report says of each is in
 * tests/host/test_run.py. */
#include "kernels.h"

enum { N = 64 };

static cudaStream_t one, two; /* which do not wait for the legacy stream */

static void fill_it(int *block, cudaStream_t stream)
{
	int n = N, value = 7;
	OK(LAUNCH(fill, 1, 32, stream, &block, &value, &n));
}

int main(int count, char **words)
{
	const char *way = count == 2 ? words[1] : "in_other";
	int *block, *other;
	OK(cudaFuncGetAttributes(&(struct cudaFuncAttributes){0}, &fill)); /* its module takes no freed place */
	OK(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
	OK(cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking));
	OK(cudaMallocAsync((void **)&other, N * sizeof(int), one));
	OK(cudaMallocAsync((void **)&block, N * sizeof(int), one));
	OK(cudaStreamSynchronize(one));
	if (!strcmp(way, "by_host"))
		OK(cudaFree(block));
	else
		OK(cudaFreeAsync(block, two));
	if (!strcmp(way, "taken_again")) {
		OK(cudaStreamSynchronize(two));
		OK(cudaMalloc((void **)&other, N * sizeof(int) / 2));
		CHECK(other == block);
		fill_it(block + 40, two);
	} else {
		fill_it(block, strcmp(way, "in_order") ? one : two);
	}
	GIVES(cudaErrorIllegalAddress, cudaDeviceSynchronize());
	return 0;
}
