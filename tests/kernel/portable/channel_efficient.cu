// lockstep_channels.h in CUDA C++, with a compare-and-swap for the lanes of a warp.  Each number comes out once.
// launch: --grid 2 --block 40 --arg buf:memory:u8:4096:zero --arg buf:seen:u32:160:zero --dump seen
#include <lockstep_channels.h>

struct item {
	double unused;
	unsigned number, from;
	void *also_unused;
};

extern "C" __global__ void channel(void *memory, unsigned *seen)
{
	ch_channel c = ch_open(memory, 32, 8, sizeof(item), 2);
	unsigned me = blockIdx.x * blockDim.x + threadIdx.x, offset;
	bool made = false, found = true;

	while (!made || found) {
		if (!made) {
			unsigned first = ch_talloc(&c, 2);
			if (first != CH_NONE) {
				for (unsigned k = 0; k < 2; k++) {
					item *i = (item *)ch_at(&c, first + k);
					i->number = 2 * me + k;
					i->from = me;
				}
				ch_enq(&c, first, 2);
				made = true;
			}
		}
		found = ch_claim(&c, &offset);
		if (found) {
			unsigned element = ch_deq(&c, offset);
			item *i = (item *)ch_at(&c, element);
			if (i->from == i->number / 2)
				atomicAdd(&seen[i->number], 1);
			ch_tfree(&c, element);
		}
	}
}
