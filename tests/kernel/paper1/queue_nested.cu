// Paper 1, 5.2.2: nested locks and lock queues. Thread 0 wants X then Y, thread 1 of its warp Y then Z, in the order of their addresses; thread 32 of another warp has Y until thread 0 is inside. When it gives Y back
// a queue passes it on to thread 1, whose warp is in thread 0's critical section; thread 0 then waits for Y, and thread 1 below it in the stack never runs: the deadlock of the paper (claim P1-21,
// launch queue). With retries Y is free at that moment; with independent threads thread 1 runs.
// launch: --lock retry --block 64 --arg buf:lock:s32:3:fill=-1 --arg buf:flag:s32:2:zero --arg buf:count:u32:3:zero --dump lock --dump count
// launch queue: --lock queue --block 64 --arg buf:lock:s32:3:fill=-1 --arg buf:flag:s32:2:zero --arg buf:count:u32:3:zero --dump lock --dump count
extern "C" __global__ void queue_nested(int *lock, volatile int *flag, volatile unsigned *count)
{
	int t = (int)threadIdx.x;
	if (t == 32) {
		__lockstep_lock(&lock[1]);
		flag[0] = 1;
		while (!flag[1])
			;
		__lockstep_unlock(&lock[1]);
	} else if (t < 2) {
		while (!flag[0])
			;
		__lockstep_lock(&lock[t]);
		flag[1] = 1;
		while (((volatile int *)lock)[1] == 32)
			;
		__lockstep_lock(&lock[t + 1]);
		count[t] = count[t] + 1;
		count[t + 1] = count[t + 1] + 1;
		__lockstep_unlock(&lock[t + 1]);
		__lockstep_unlock(&lock[t]);
	}
}
