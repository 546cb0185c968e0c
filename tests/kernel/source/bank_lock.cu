// CUDA C through clang at -O1: the SIMT-safe lock around a linked list, with __threadfence.
// launch: --grid 3 --block 64 --arg buf:lock:s32:1:zero --arg buf:head:s32:1:fill=-1 --arg buf:next:s32:192:zero --dump lock --dump head --dump next
extern "C" __global__ void bank_lock(int *lock, volatile int *head, volatile int *next)
{
	int me = blockIdx.x * blockDim.x + threadIdx.x;
	bool done = false;
	while (!done) {
		if (atomicCAS(lock, 0, 1) == 0) {
			next[me] = *head;
			*head = me;
			__threadfence();
			atomicExch(lock, 0);
			done = true;
		}
	}
}
