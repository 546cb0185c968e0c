// Copies and fills on the GPU, of words and of bytes, in the block's stream with what is launched.
extern "C" __global__ void add(unsigned char *data, int more)
{
	data[threadIdx.x] += more;
}

extern "C" __global__ void copies(unsigned char *data)
{
	cudaMemsetAsync(data, 3, 64, 0);
	add<<<1, 64>>>(data, 4);
	cudaMemcpyAsync(data + 64, data, 64, cudaMemcpyDeviceToDevice, 0);
	add<<<1, 64>>>(data, 1);
	cudaMemsetAsync(data + 1, 9, 2, 0);
	cudaMemcpyAsync(data + 129, data + 1, 5, cudaMemcpyDeviceToDevice, 0);
	cudaMemcpyAsync(data, data, 0, cudaMemcpyDeviceToDevice, 0);
	data[135] = cudaGetLastError();
	cudaMemcpyAsync(data, data, 4, cudaMemcpyHostToDevice, 0);
	data[134] = cudaGetLastError();
}
