// Paper 1, Example 7 (3.1): radiosity's critical section ends in two places, one of them with a break. Each thread takes the first place that is free. With LOCK() as it is
// written for a CPU (as_written) the threads of a warp block each other on a stack; for the loop of Example 5 (adapted) the break had to be moved behind the lock, with a variable
// that says whether it is due. Example 10 is the same with lock instructions, as it was written.
// launch: --kernel adapted --max-cycles 100000000 --grid 2 --block 64 --arg buf:lock:s32:1:fill=-1 --arg buf:taker:s32:130:fill=-1 --arg s32:130 --dump lock --dump taker
// launch as-written: --kernel as_written --block 8 --arg buf:lock:s32:1:fill=-1 --arg buf:taker:s32:10:fill=-1 --arg s32:10 --dump lock --dump taker
static __device__ int me()
{
	return (int)(blockIdx.x * blockDim.x + threadIdx.x);
}

extern "C" __global__ void as_written(int *lock, volatile int *taker, int places)
{
	int k = 0;
	while (k < places) {
		if (taker[k] == -1) {
			while (atomicCAS(lock, -1, me()) != -1)
				;
			if (taker[k] == -1) {
				taker[k] = me();
				__threadfence();
				atomicExch(lock, -1);
				break;
			}
			atomicExch(lock, -1);
		}
		k++;
	}
}

extern "C" __global__ void adapted(int *lock, volatile int *taker, int places)
{
	int k = 0;
	while (k < places) {
		if (taker[k] == -1) {
			bool taken = false, loop_continue = true;
			while (loop_continue) {
				if (atomicCAS(lock, -1, me()) == -1) {
					if (taker[k] == -1) {
						taker[k] = me();
						taken = true;
					}
					__threadfence();
					atomicExch(lock, -1);
					loop_continue = false;
				}
			}
			if (taken)
				break;
		}
		k++;
	}
}
