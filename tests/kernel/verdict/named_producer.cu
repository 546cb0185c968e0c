// A producer of five items, a consumer of eight.
// launch: --grid 2 --block 32 --arg buf:head:u32:1:zero --arg buf:data:u32:16:zero
extern "C" __global__ void named_producer(volatile unsigned *head, volatile unsigned *data)
{
	unsigned sum = 0;

	if (threadIdx.x)
		return;
	if (blockIdx.x == 1) {
		for (unsigned k = 0; k < 5; k++) {
			data[k] = k * k;
			__threadfence();
			*head = k + 1;
		}
		return;
	}
	for (unsigned k = 0; k < 8; k++) {
		while (*head <= k)
			;
		sum += data[k];
	}
	data[15] = sum;
}
