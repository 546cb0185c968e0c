// Paper 1, Example 18 (6.5.1): BarnesHut's insertion as in example_17_barneshut, with lock instructions. Who waited for a leaf's lock may find that it has become a cell; then he gives the lock back and goes on
// down, as the paper adds. Each word of a cell has a lock beside it. Lanes that want one leaf hang where there are no lock entries.
// launch: --block 32 --arg buf:child:s32:512:fill=-1 --arg buf:lock:s32:512:fill=-1 --arg buf:cells:s32:1:fill=1 --arg buf:key:u32:32:random=17 --arg s32:32 --dump child --dump lock --dump cells
// launch groups: --grid 2 --block 64 --arg buf:child:s32:512:fill=-1 --arg buf:lock:s32:512:fill=-1 --arg buf:cells:s32:1:fill=1 --arg buf:key:u32:128:random=5 --arg s32:128 --dump child --dump lock --dump cells
#define NOBODY -1
#define UNLOCKED -1

extern "C" __global__ void example_18(volatile int *child, int *lock, int *cells, const unsigned *key, int bodies)
{
	int body = (int)(blockIdx.x * blockDim.x + threadIdx.x), cell = 0, bit = 31;
	bool done = body >= bodies;
	while (!done) {
		int leaf = 2 * cell + (int)(key[body] >> bit & 1);
		int there = child[leaf];
		for (; there >= bodies; there = child[leaf]) { /* find insertion point */
			cell = there - bodies;
			bit--;
			leaf = 2 * cell + (int)(key[body] >> bit & 1);
		}
		if (*(volatile int *)&lock[leaf] == UNLOCKED) {
			__lockstep_lock(&lock[leaf]);
			there = child[leaf];
			if (there < bodies) {
				int top = body;
				if (there != NOBODY) { /* the leaf becomes as many cells as it takes to part the two bodies */
					int parting = 31 - __clz((int)(key[body] ^ key[there])), from = 0;
					for (int k = bit - 1; k >= parting; k--) {
						int made = atomicAdd(cells, 1);
						if (k == bit - 1)
							top = bodies + made;
						else
							child[from] = bodies + made;
						from = 2 * made + (int)(key[body] >> k & 1);
					}
					child[from] = body;
					child[from ^ 1] = there;
				}
				__threadfence();
				child[leaf] = top;
				done = true;
			}
			__lockstep_unlock(&lock[leaf]);
		}
	}
}
