// A counting semaphore by __lockstep_wait and __lockstep_signal (paper 1, 3.2): ten may be inside at once.
// launch: --grid 4 --block 64 --arg buf:semaphore:s32:1:fill=10 --arg buf:data:s32:3:zero --dump data --dump semaphore
// launch queue: --lock queue --grid 4 --block 64 --arg buf:semaphore:s32:1:fill=10 --arg buf:data:s32:3:zero --dump data --dump semaphore
kernel void sem(volatile global int *s, volatile global int *data)
{
	__lockstep_wait(s);
	int in = atomic_inc(&data[0]) + 1;
	atomic_max(&data[1], in);
	atomic_dec(&data[0]);
	__lockstep_signal(s);
	atomic_inc(&data[2]);
}
