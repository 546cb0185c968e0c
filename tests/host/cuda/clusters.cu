// Clusters as CUDA C++ has them: the histogram of the CUDA C++ programming guide ("Distributed Shared Memory"), whose bins are spread over the
// shared memory of a cluster's blocks; a kernel that says itself what its clusters are; barriers across blocks.  Made by nvcc 13.0:
//     nvcc -std=c++17 -fatbin -gencode arch=compute_90,code=compute_90 -o clusters_90.fatbin clusters.cu
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

extern "C" __global__ void histogram(int *bins, int nbins, int bins_per_block, const int *input, int array_size)
{
	extern __shared__ int smem[];
	int tid = cg::this_grid().thread_rank();

	// Cluster initialization, size and calculating local bin offsets.
	cg::cluster_group cluster = cg::this_cluster();
	unsigned int cluster_block_rank = cluster.block_rank();
	int cluster_size = cluster.dim_blocks().x;

	for (int i = threadIdx.x; i < bins_per_block; i += blockDim.x)
		smem[i] = 0;

	// cluster synchronization ensures that shared memory is initialized to zero in all thread blocks in the cluster,
	// and that all thread blocks have started executing and exist concurrently
	cluster.sync();

	for (int i = tid; i < array_size; i += blockDim.x * gridDim.x) {
		int ldata = input[i];
		int binid = ldata;
		if (ldata < 0)
			binid = 0;
		else if (ldata >= nbins)
			binid = nbins - 1;
		int dst_block_rank = binid / bins_per_block;
		int dst_offset = binid % bins_per_block;
		int *dst_smem = cluster.map_shared_rank(smem, dst_block_rank);
		atomicAdd(dst_smem + dst_offset, 1);
	}

	// no block may leave while others still write to its memory
	cluster.sync();

	int *lbins = bins + cluster.block_rank() * bins_per_block;
	for (int i = threadIdx.x; i < bins_per_block; i += blockDim.x)
		atomicAdd(&lbins[i], smem[i]);
	(void)cluster_block_rank;
	(void)cluster_size;
}

extern "C" __global__ void __cluster_dims__(2, 2, 1) places(unsigned *out)
{
	cg::cluster_group cluster = cg::this_cluster();
	unsigned block = blockIdx.y * gridDim.x + blockIdx.x;
	if (threadIdx.x)
		return;
	out[block * 4] = cluster.block_rank();
	out[block * 4 + 1] = cluster.num_blocks();
	out[block * 4 + 2] = cluster.block_index().x + 10 * cluster.block_index().y;
	out[block * 4 + 3] = cluster.thread_rank();
}

// Each block reads the next one's word between an arrival and the wait for all others, round after round.
extern "C" __global__ void neighbours(int *out, int rounds)
{
	__shared__ int word[2];
	cg::cluster_group cluster = cg::this_cluster();
	int *next = cluster.map_shared_rank(word, (cluster.block_rank() + 1) % cluster.num_blocks());
	int value = blockIdx.x;
	for (int k = 0; k < rounds; k++) {
		if (threadIdx.x == 0)
			word[k & 1] = value;
		auto token = cluster.barrier_arrive();
		cluster.barrier_wait(std::move(token));
		value = next[k & 1] + 1;
	}
	cluster.sync();
	if (threadIdx.x == 0)
		out[blockIdx.x] = value;
	if (cluster.query_shared_rank(next) != (cluster.block_rank() + 1) % cluster.num_blocks())
		out[blockIdx.x] = -1;
}
