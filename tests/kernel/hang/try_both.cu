// Two lanes try for two locks in opposite order and give back what they have when they cannot have both, always in step.
// launch: --kernel try_both --grid 1 --block 2 --arg buf:lock:u32:2:zero --arg buf:out:u32:2:zero
extern "C" __global__ void try_both(unsigned *lock, unsigned *out)
{
	unsigned mine = threadIdx.x, other = 1 - mine;
	for (bool done = false; !done;)
		if (atomicCAS(&lock[mine], 0, 1) == 0) {
			if (atomicCAS(&lock[other], 0, 1) == 0) {
				out[mine] = 1;
				__threadfence();
				atomicExch(&lock[other], 0);
				done = true;
			}
			__threadfence();
			atomicExch(&lock[mine], 0);
		}
}
