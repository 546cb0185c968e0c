// Counts under a lock, in memory alone, modulo 16 and then in another word: the first comes back every 16 rounds, and it does end.
// launch: --kernel comes_back --grid 1 --block 64 --arg buf:lock:u32:1:zero --arg buf:count:u32:2:zero --dump count
extern "C" __global__ void comes_back(unsigned *lock, volatile unsigned *count)
{
	if (threadIdx.x != 0)
		return;
	for (unsigned seen = 0; seen < 40;) {
		while (atomicCAS(lock, 0, 1))
			;
		__threadfence();
		count[0] = (count[0] + 1) % 16;
		if (count[0] == 0)
			count[1] = count[1] + 1;
		seen = count[1];
		__threadfence();
		atomicExch(lock, 0);
	}
}
