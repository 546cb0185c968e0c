/* A runtime in the program itself, of which a call is not offered; and a function of the program's own whose name
 * begins like CUDA's. */
#include "host/cuda/runtime.h"

#include <stdio.h>

int cudaOfMyOwn(int value);
__attribute__((noinline)) int cudaOfMyOwn(int value)
{
	__asm__("" : "+r"(value)); /* which cannot be worked out where it is called */
	return value + 1;
}

cudaError_t cudaEGLStreamConsumerConnect(void);

int main(void)
{
	cudaError_t error = cudaEGLStreamConsumerConnect(), last = cudaGetLastError();
	int own = cudaOfMyOwn(41);
	printf("%s %s %d\n", cudaGetErrorName(error), cudaGetErrorName(last), own);
	return 0;
}
