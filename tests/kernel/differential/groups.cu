// Cooperative groups: tiles, labelled and binary partitions, coalesced lanes in divergent code, scans and reductions of groups.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;
extern "C" __global__ void groups(const unsigned *in, unsigned *out)
{
	cg::thread_block block = cg::this_thread_block();
	unsigned t = blockIdx.x * blockDim.x + block.thread_rank(), x = in[t] & 0xffff;
	auto warp = cg::tiled_partition<32>(block);
	auto tile = cg::tiled_partition<8>(warp);
	unsigned *o = out + t * 7;
	o[0] = cg::reduce(tile, x, cg::plus<unsigned>());
	o[1] = cg::inclusive_scan(warp, x);
	auto label = cg::labeled_partition(warp, x % 3);
	o[2] = cg::reduce(label, x, cg::greater<unsigned>()) * 100 + label.num_threads();
	auto half = cg::binary_partition(warp, x > 30000);
	o[3] = half.thread_rank() << 16 | half.shfl(x, half.num_threads() - 1);
	unsigned v = 0;
	if (x % 5 < 2) {
		auto here = cg::coalesced_threads();
		v = here.num_threads() * 1000 + here.shfl(x, 0) % 1000;
	} else if (x & 1) {
		auto here = cg::coalesced_threads();
		v = cg::reduce(here, x, cg::plus<unsigned>());
	}
	cg::sync(block);
	o[4] = v;
	o[5] = tile.shfl_xor(x, 5) ^ tile.match_any(x & 1);
	o[6] = cg::exclusive_scan(label, x, cg::plus<unsigned>());
}
