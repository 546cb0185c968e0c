// Paper 1, Example 20 (6.5.3): Interac's transactions with lock instructions, the lock of the lower account first. lock/transfers is Example 19, the same with atomics. With lock entries and with independent
// threads every transaction is done once; models without lock entries block lanes that want one account.
// launch: --grid 4 --block 64 --arg buf:lock:s32:16:fill=-1 --arg buf:balance:s32:16:fill=1000 --arg buf:source:u32:256:random=5,0,16 --arg buf:target:u32:256:random=6,0,16 --arg buf:amount:s32:256:random=7,1,50 --dump lock --dump balance
extern "C" __global__ void example_20(int *lock, volatile int *balance, const unsigned *source, const unsigned *target, const int *amount)
{
	unsigned t = blockIdx.x * blockDim.x + threadIdx.x, from = source[t], to = target[t];
	if (from == to)
		return;
	int *A = &lock[min(from, to)], *B = &lock[max(from, to)];
	__lockstep_lock(A);
	__lockstep_lock(B);
	balance[from] -= amount[t];
	balance[to] += amount[t];
	__lockstep_unlock(B);
	__lockstep_unlock(A);
}
