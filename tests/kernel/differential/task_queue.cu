// Persistent threads: tasks in a ring spawn tasks; a counter of unfinished tasks ends it. Sums do not depend on who does what.
extern "C" __global__ void task_queue(volatile unsigned *ring, volatile unsigned *state, unsigned long long *sum)
{
	if (blockIdx.x == 0 && threadIdx.x == 0) {
		atomicAdd((unsigned *)&state[2], 1);
		ring[0] = 12 + 1;
		__threadfence();
		atomicAdd((unsigned *)&state[1], 1);
		atomicExch((unsigned *)&state[3], 1);
	}
	bool finished = false;
	while (!finished) {
		unsigned head = state[0], tail = state[1];
		if (head != tail) {
			if (atomicCAS((unsigned *)&state[0], head, head + 1) == head) {
				unsigned task;
				while ((task = ring[head]) == 0)
					;
				task--;
				atomicAdd(&sum[0], task * task + 1ull);
				atomicAdd(&sum[1], 1ull);
				unsigned children = task >= 2 ? 2 : task;
				if (children) {
					atomicAdd((unsigned *)&state[2], children);
					unsigned at = atomicAdd((unsigned *)&state[1], children);
					for (unsigned c = 0; c < children; c++)
						ring[at + c] = task - 1 - c + 1;
				}
				__threadfence();
				atomicSub((unsigned *)&state[2], 1);
			}
		} else {
			finished = state[3] && state[2] == 0;
		}
	}
}
