// The host's part of a file asks the runtime for errors, as programs do: it is compiled, and left out.
// launch: --kernel twice --block 32 --arg buf:data:u32:32:iota --dump data
extern "C" __global__ void twice(unsigned *data)
{
	data[threadIdx.x] *= 2;
}

int main(void)
{
	unsigned *data;

	if (cudaMalloc(&data, 32 * sizeof *data) != cudaSuccess)
		return 1;
	twice<<<1, 32>>>(data);
	if (cudaPeekAtLastError() != cudaSuccess || cudaDeviceSynchronize() != cudaSuccess)
		return 1;
	return cudaFree(data) != cudaSuccess || cudaGetLastError() != cudaSuccess;
}
