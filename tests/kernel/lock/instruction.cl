// A critical section by lock instructions (paper 1, 4.1, Example 9): the lanes of every warp want one lock.  Models without lock entries
// make a loop of the instruction, which is Example 1.
// launch: --grid 3 --block 64 --arg buf:lock:s32:1:fill=-1 --arg buf:sum:s32:1:zero --arg s32:2 --dump lock --dump sum
// launch queue: --lock queue --grid 3 --block 64 --arg buf:lock:s32:1:fill=-1 --arg buf:sum:s32:1:zero --arg s32:2 --dump lock --dump sum
// launch software: --lock none --grid 2 --block 64 --arg buf:lock:s32:1:fill=-1 --arg buf:sum:s32:1:zero --arg s32:3 --dump lock --dump sum
// launch later: --retry exponential --grid 3 --block 64 --arg buf:lock:s32:1:fill=-1 --arg buf:sum:s32:1:zero --arg s32:2 --dump lock --dump sum
// launch few: --grid 1 --block 8 --arg buf:lock:s32:1:fill=-1 --arg buf:sum:s32:1:zero --arg s32:5 --dump lock --dump sum
kernel void add(volatile global int *lock, global int *sum, int rounds)
{
	for (int k = 0; k < rounds; k++) {
		__lockstep_lock(lock);
		*sum += 1;
		__lockstep_unlock(lock);
	}
}
