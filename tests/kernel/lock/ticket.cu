// A ticket lock among the first threads of 24 groups: first come, first served; each entry notes its turn.
// launch: --grid 24 --block 32 --arg buf:lock:u32:2:zero --arg buf:order:u32:25:zero --arg buf:turn:u32:24:zero --dump lock --dump order --dump turn
extern "C" __global__ void ticket(unsigned *lock, volatile unsigned *order, unsigned *turn)
{
	if (threadIdx.x != 0)
		return;
	unsigned mine = atomicAdd(&lock[0], 1);
	while (*(volatile unsigned *)&lock[1] != mine)
		__nanosleep(50);
	__threadfence();
	unsigned entry = order[24];
	order[entry] = mine;
	order[24] = entry + 1;
	turn[blockIdx.x] = mine;
	__threadfence();
	atomicAdd(&lock[1], 1);
}
