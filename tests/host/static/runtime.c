/* In place of libcudart_static.a: a runtime in the program itself, of which no function may ever run, since
 * `lockstep run` puts ours in its place.  In one piece, as that is; EGL's call, which is not offered, between others.
 */
#include <stdio.h>
#include <stdlib.h>

/* nvcc puts device code there. */
__asm__(".section .nv_fatbin, \"a\"\n.quad 0\n.previous");

#define OWN(name)                                                                                                      \
	int name(void);                                                                                                \
	int name(void)                                                                                                 \
	{                                                                                                              \
		puts("FAILED: the program's own " #name " ran");                                                       \
		abort();                                                                                               \
	}

OWN(__cudaRegisterFatBinary)
OWN(__cudaRegisterFatBinaryEnd)
OWN(__cudaRegisterFunction)
OWN(__cudaRegisterManagedVar)
OWN(__cudaRegisterVar)
OWN(__cudaUnregisterFatBinary)
OWN(__cudaInitModule)
OWN(cudaDeviceGetAttribute)
OWN(cudaDeviceSynchronize)
OWN(cudaEGLStreamConsumerConnect)
OWN(cudaFree)
OWN(cudaFreeHost)
OWN(cudaGetDeviceCount)
OWN(cudaGetDeviceProperties)
OWN(cudaGetErrorName)
OWN(cudaGetErrorString)
OWN(cudaGetSymbolSize)
OWN(cudaLaunchKernel)
OWN(cudaMalloc)
OWN(cudaMallocHost)
OWN(cudaMallocManaged)
OWN(cudaMallocPitch)
OWN(cudaMemcpy)
OWN(cudaMemcpy2D)
OWN(cudaMemcpyFromSymbol)
OWN(cudaMemcpyToSymbol)
OWN(cudaMemGetInfo)
OWN(cudaMemset2D)

/* Short: the jump that takes its place has room all the same. */
int cudaGetLastError(void);
int cudaGetLastError(void)
{
	return 999;
}

OWN(cudaPeekAtLastError)
