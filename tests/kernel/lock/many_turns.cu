// A ticket lock that 32 groups take again and again: no thread ends for long, and whoever looks, sees nearly all wait.
// launch: --grid 32 --block 1 --hang-after 100000 --arg buf:lock:u32:3:zero --arg u32:70 --dump lock
extern "C" __global__ void many_turns(unsigned *lock, unsigned rounds)
{
	for (unsigned k = 0; k < rounds; k++) {
		unsigned mine = atomicAdd(&lock[0], 1);
		while (*(volatile unsigned *)&lock[1] != mine)
			;
		__threadfence();
		*(volatile unsigned *)&lock[2] = *(volatile unsigned *)&lock[2] + 1;
		__threadfence();
		atomicAdd(&lock[1], 1);
	}
}
