/* Fat binaries that cannot be run: each has its error, and the program goes on. */
#include "kernels.h"

#include <stdint.h>

EMBED(machine_code, "../../unit/fat_binary/sass.fatbin");
EMBED(packed, "../../unit/fat_binary/zstd.fatbin");

struct wrapper {
	uint32_t magic, version;
	const void *data, *modules;
};

/* A launch of a kernel in this fat binary. */
static cudaError_t launch_from(const void *data)
{
	static char kernels[8];
	static struct wrapper wrappers[8];
	static int count;
	int k = count++;
	wrappers[k] = (struct wrapper){0x466243b1, 1, data, NULL};
	void **module = __cudaRegisterFatBinary(&wrappers[k]);
	__cudaRegisterFunction(module, &kernels[k], NULL, "add", -1, NULL, NULL, NULL, NULL, NULL);
	__cudaRegisterFatBinaryEnd(module);
	return cudaLaunchKernel(&kernels[k], (dim3){1, 1, 1}, (dim3){1, 1, 1}, (void *[]){NULL}, 0, NULL);
}

int main(void)
{
	static uint64_t copy[256];
	uint64_t bytes;
	GIVES(cudaErrorNoKernelImageForDevice, launch_from(machine_code));
	GIVES(cudaErrorInvalidKernelImage, launch_from("not a fat binary, of that length"));
	memcpy(&bytes, packed + 8, sizeof bytes);
	CHECK(bytes + 16 < sizeof copy);
	memcpy(copy, packed, bytes + 16);
	memset((char *)copy + (bytes + 16) / 2, 0x55, 32); /* in the middle of the payload */
	GIVES(cudaErrorInvalidKernelImage, launch_from(copy));
	CHECK(cudaGetLastError() == cudaErrorInvalidKernelImage);
	OK(cudaDeviceSynchronize());
	return 0;
}
