extern "C" __global__ void lost_polled(unsigned *lock, unsigned *count)
{
	if (threadIdx.x)
		return;
	do {
		while (*(volatile unsigned *)lock != 0)
			;
	} while (atomicCAS(lock, 0, 1) != 0);
	unsigned n = *(volatile unsigned *)count + 1;
	*(volatile unsigned *)count = n;
	__threadfence();
	if (n != 2)
		atomicExch(lock, 0);
}
