// A spin lock as one writes it for CPUs.  On a GPU whose lanes share a program counter it deadlocks: docs/tour-deadlock.md.
extern "C" __global__ void count(int *lock, volatile int *total)
{
	while (atomicCAS(lock, 0, 1) != 0)
		;
	*total += 1;
	__threadfence();
	atomicExch(lock, 0);
}
