// Kernels that wait for what they have launched, on several levels.  By nvcc 13.0:
//     nvcc -DCUDA_FORCE_CDP1_IF_SUPPORTED -rdc=true -fatbin -gencode arch=compute_75,code=compute_75 -o levels.fatbin levels.cu
extern "C" __global__ void level(int *errors, int left)
{
	size_t depth;

	if (!left) {
		errors[0] = 1;
		return;
	}
	level<<<1, 1>>>(errors, left - 1);
	errors[left] = cudaDeviceSynchronize();
	cudaDeviceGetLimit(&depth, cudaLimitDevRuntimeSyncDepth);
	errors[7] = (int)depth;
}
