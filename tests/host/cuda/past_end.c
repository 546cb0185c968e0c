/* Four launches, two of a stream of the program's own, whose number it prints; the last stores one element behind its
 * memory, and so fails. */
#include "kernels.h"

enum { N = 64 };

int main(void)
{
	int *block, *other, n = N, past = N + 1, value = 7;
	unsigned long long id;
	cudaStream_t stream;
	OK(cudaMalloc((void **)&other, sizeof(int) * N));
	cudaMalloc((void **)&block, sizeof(int) * N); /* whose code ends with the call: it returns to the next line */
	OK(cudaStreamCreate(&stream));
	OK(cudaStreamGetId(stream, &id));
	printf("%llu\n", id);
	OK(LAUNCH(fill, 1, 128, NULL, &other, &value, &n));
	OK(LAUNCH(fill, 1, 128, stream, &block, &value, &n));
	OK(LAUNCH(fill, 1, 128, stream, &block, &value, &n));
	OK(LAUNCH(fill, 1, 128, NULL, &block, &value, &past));
	GIVES(cudaErrorIllegalAddress, cudaDeviceSynchronize());
	return 0;
}
