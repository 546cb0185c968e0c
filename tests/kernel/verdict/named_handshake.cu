// A mailbox of one word: the producer sends twice, the consumer waits for a third. That it got the others is no lost signal.
// launch: --grid 2 --block 32 --arg buf:flag:u32:1:zero --arg buf:data:u32:8:zero
extern "C" __global__ void named_handshake(volatile unsigned *flag, volatile unsigned *data)
{
	if (threadIdx.x)
		return;
	if (blockIdx.x == 1) {
		for (unsigned k = 0; k < 2; k++) {
			while (*flag != 0)
				;
			data[2] = k;
			__threadfence();
			*flag = 1;
		}
		return;
	}
	for (unsigned k = 0; k < 3; k++) {
		while (*flag != 1)
			;
		data[3] += data[2];
		__threadfence();
		*flag = 0;
	}
}
