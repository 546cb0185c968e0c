// Bellman-Ford on a random graph with atomicMin until nothing changes: a loop whose end the whole group decides by __syncthreads_or.
// launch: --grid 1 --block 256 --arg buf:source:u32:1024:random=1,0,200 --arg buf:to:u32:1024:random=2,0,200 --arg buf:weight:u32:1024:random=3,1,100 --arg buf:distance:u32:200:fill=1000000 --dump distance
extern "C" __global__ void shortest_paths(const unsigned *from, const unsigned *to, const unsigned *weight, unsigned *distance)
{
	if (threadIdx.x == 0)
		distance[0] = 0;
	int changed;
	do {
		changed = 0;
		__syncthreads();
		for (unsigned e = threadIdx.x; e < 1024; e += blockDim.x) {
			unsigned reach = *(volatile unsigned *)&distance[from[e]] + weight[e];
			if (reach < 1000000)
				changed |= atomicMin(&distance[to[e]], reach) > reach;
		}
		__threadfence();
	} while (__syncthreads_or(changed));
}
