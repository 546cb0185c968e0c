// A lock in OpenCL 1.2 atomics; the loop keeps its critical section inside at -O1.
// launch: --grid 3 --block 64 --arg buf:lock:u32:1:zero --arg buf:value:u32:1:zero --dump value --dump lock
kernel void spin_lock(volatile global uint *lock, volatile global uint *value)
{
	int done = 0;
	while (!done) {
		if (atomic_cmpxchg(lock, 0, 1) == 0) {
			*value += get_global_id(0);
			mem_fence(CLK_GLOBAL_MEM_FENCE);
			atomic_xchg(lock, 0);
			done = 1;
		}
	}
}
