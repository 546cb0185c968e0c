// The third that takes the lock does not give it back, by what is in memory: o[8] is its group.
// launch: --grid 8 --block 32 --arg buf:lock:u32:1:zero --arg buf:o:u32:32:zero --dump o
extern "C" __global__ void owner_by_data(unsigned *lock, volatile unsigned *o)
{
	unsigned n;

	if (threadIdx.x)
		return;
	while (atomicCAS(lock, 0u, 1u))
		;
	n = o[0] + 1;
	o[0] = n;
	o[7 + n] = blockIdx.x;
	__threadfence();
	if (n != 1)
		atomicExch(lock, 0u);
}
