// Paper 1, Example 8 (3.2): what its semaphore should do. lock/semaphore is the example: there no lane of a warp enters before all of it have passed, and fewer resources than lanes are a deadlock on a stack
// (claim P1-04). With __lockstep_wait and __lockstep_signal, two resources do for the eight lanes of a warp: who has passed enters at once, and never more than two are inside.
// launch: --block 8 --arg buf:s:s32:1:fill=2 --arg buf:log:s32:20:zero --dump s --dump log
extern "C" __global__ void example_8(int *s, volatile int *log)
{
	__lockstep_wait(s);
	int entered = atomicAdd((int *)&log[0], 1);
	atomicMax((int *)&log[1], atomicAdd((int *)&log[2], 1) + 1); /* how many are inside */
	log[4 + threadIdx.x] = log[0];                               /* how many have passed by now */
	log[12 + entered] = (int)threadIdx.x;
	atomicSub((int *)&log[2], 1);
	__lockstep_signal(s);
}
