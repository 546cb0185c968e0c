// Paper 1, Example 17 (6.5.1): how BarnesHut's bodies are inserted into the tree, with an attempt to lock that does not wait. Here a cell has two children, by a bit of the body's key, instead of
// eight, by place. Who fails goes down from where it was and tries again; nobody waits in a loop for a lane of its warp, so it completes under every model. The barrier only slows warps down.
// launch: --block 32 --arg buf:child:s32:512:fill=-1 --arg buf:cells:s32:1:fill=1 --arg buf:key:u32:32:random=17 --arg s32:32 --dump child --dump cells
// launch groups: --grid 2 --block 64 --arg buf:child:s32:512:fill=-1 --arg buf:cells:s32:1:fill=1 --arg buf:key:u32:128:random=5 --arg s32:128 --dump child --dump cells
#define NOBODY -1
#define LOCKED -2

extern "C" __global__ void example_17(int *child, int *cells, const unsigned *key, int bodies)
{
	int body = (int)(blockIdx.x * blockDim.x + threadIdx.x), cell = 0, bit = 31;
	bool done = body >= bodies;
	while (__syncthreads_or(!done)) {
		if (done)
			continue;
		volatile int *all = child;
		int *leaf = &child[2 * cell + (key[body] >> bit & 1)];
		int there = *(volatile int *)leaf;
		for (; there >= bodies; there = *(volatile int *)leaf) { /* find insertion point */
			cell = there - bodies;
			bit--;
			leaf = &child[2 * cell + (key[body] >> bit & 1)];
		}
		if (there != LOCKED && atomicCAS(leaf, there, LOCKED) == there) {
			int top = body;
			if (there != NOBODY) { /* the leaf becomes as many cells as it takes to part the two bodies */
				int parting = 31 - __clz((int)(key[body] ^ key[there])), from = 0;
				for (int k = bit - 1; k >= parting; k--) {
					int made = atomicAdd(cells, 1);
					if (k == bit - 1)
						top = bodies + made;
					else
						all[from] = bodies + made;
					from = 2 * made + (int)(key[body] >> k & 1);
				}
				all[from] = body;
				all[from ^ 1] = there;
			}
			__threadfence();
			*(volatile int *)leaf = top; /* releases the lock */
			done = true;
		}
	}
}
