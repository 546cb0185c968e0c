// A thread takes a lock to look whether something is ready, and gives it back; nobody makes it ready.  Memory changes in each round, and comes back.
// launch: --kernel under_lock --grid 1 --block 64 --arg buf:lock:u32:1:zero --arg buf:ready:u32:1:zero --arg buf:out:u32:1:zero
extern "C" __global__ void under_lock(unsigned *lock, volatile unsigned *ready, unsigned *out)
{
	if (threadIdx.x != 0)
		return;
	for (unsigned seen = 0; !seen;) {
		while (atomicCAS(lock, 0, 1))
			;
		__threadfence();
		seen = *ready;
		__threadfence();
		atomicExch(lock, 0);
	}
	*out = 1;
}
