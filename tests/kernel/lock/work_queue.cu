// A work queue: threads take tasks and add new ones (a binary tree of 599 nodes) until a counter of unfinished tasks is zero; slots become ready one by one.
// launch: --grid 4 --block 64 --arg buf:queue:u32:2048:zero --arg buf:control:u32:3:zero --arg buf:visited:u32:600:zero --dump visited
extern "C" __global__ void work_queue(volatile unsigned *queue, unsigned *control, unsigned *visited)
{
	unsigned *head = &control[0], *tail = &control[1], *pending = &control[2];
	if (blockIdx.x == 0 && threadIdx.x == 0) {
		atomicAdd(pending, 1);
		unsigned place = atomicAdd(tail, 1);
		queue[place] = 1;
		__threadfence();
		atomicAdd(&control[0], 0);
	}
	bool started = false;
	while (true) {
		unsigned at = *(volatile unsigned *)head;
		if (at < *(volatile unsigned *)tail && queue[at] && atomicCAS(head, at, at + 1) == at) {
			unsigned x = queue[at];
			atomicAdd(&visited[x], 1);
			for (int k = 0; k < 2; k++) {
				unsigned y = 2 * x + k;
				if (y < 600) {
					atomicAdd(pending, 1);
					queue[atomicAdd(tail, 1)] = y;
					__threadfence();
				}
			}
			atomicSub(pending, 1);
			started = true;
		}
		unsigned left = *(volatile unsigned *)pending;
		started |= left > 0 || *(volatile unsigned *)tail > 0;
		if (started && left == 0)
			break;
	}
}
