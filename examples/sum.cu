/* Adds the values of all threads under one lock.  A thread whose value is 0 leaves the function, and keeps the lock. */
__global__ void sum(int *lock, const int *value, int *total)
{
	int own = value[blockIdx.x * blockDim.x + threadIdx.x];
	bool done = false;

	while (!done) {
		if (atomicCAS(lock, 0, 1) == 0) {
			if (own == 0)
				return;
			*total += own;
			__threadfence();
			atomicExch(lock, 0);
			done = true;
		}
	}
}
