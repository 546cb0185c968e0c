// Parameters are a launch's: a second one with the same has none.
extern "C" __global__ void child()
{
}

extern "C" __global__ void twice()
{
	void *room = cudaGetParameterBufferV2((void *)child, dim3(1), dim3(1), 0);

	cudaLaunchDeviceV2(room, 0);
	cudaLaunchDeviceV2(room, 0);
}
