// Lock and try_lock in one warp: under independent threads one path waits for its lock while another tries.
// launch: --grid 2 --block 64 --arg buf:lock:s32:1:fill=-1 --arg buf:sum:s32:1:zero --dump lock --dump sum
// launch queue: --lock queue --grid 2 --block 64 --arg buf:lock:s32:1:fill=-1 --arg buf:sum:s32:1:zero --dump lock --dump sum
extern "C" __global__ void add(int *lock, volatile int *sum)
{
	__lockstep_lock(lock);
	*sum += 1;
	__lockstep_unlock(lock);
	LOCKSTEP_CRITICAL(lock) { *sum += 1; }
}
