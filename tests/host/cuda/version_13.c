/* The calls that CUDA 13 has with other arguments than CUDA 12, of libcudart.so.13; see versions.h. */
#include "versions.h"

int main(void)
{
	struct cudaDeviceProp properties;
	int device = 9, version = 0;
	OK(cudaRuntimeGetVersion(&version));
	CHECK(version == 13000);
	OK(cudaGetDeviceProperties(&properties, 0));
	CHECK(strstr(properties.name, "Lockstep") && properties.warpSize == 32);
	GIVES(cudaErrorInvalidDevice, cudaGetDeviceProperties(&properties, 1));
	GIVES(cudaErrorInvalidValue, cudaGetDeviceProperties(NULL, 0));
	OK(cudaChooseDevice(&device, &properties));
	CHECK(device == 0);
	GIVES(cudaErrorInvalidValue, cudaChooseDevice(&device, NULL));
	GIVES(cudaErrorInvalidValue, cudaChooseDevice(NULL, &properties));
	check_places();
	check_edges();
	check_capture();
	return 0;
}
