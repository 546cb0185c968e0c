// Several groups look under a lock at what nobody makes ready: who has the lock when is a matter of time, so it is suspected, not proved.
// launch: --kernel many_under_lock --grid 3 --block 32 --arg buf:lock:u32:1:zero --arg buf:ready:u32:1:zero --hang-after 200000
extern "C" __global__ void many_under_lock(unsigned *lock, volatile unsigned *ready)
{
	if (threadIdx.x != 0)
		return;
	for (bool done = false; !done;)
		if (atomicCAS(lock, 0, 1) == 0) {
			__threadfence();
			done = *ready;
			__threadfence();
			atomicExch(lock, 0);
		}
}
