// Messages from one group to another that are not ordered: no fence, a fence or an atomic of too small a scope, a polled plain word.
// launch fence: --kernel no_fence --grid 2 --block 32 --check races --arg buf:box:u32:2:zero --arg buf:flag:u32:1:zero --arg buf:out:u32:1:zero
// launch behind: --kernel no_fence_behind --grid 2 --block 32 --check races --arg buf:box:u32:2:zero --arg buf:flag:u32:1:zero --arg buf:out:u32:1:zero
// launch block: --kernel block_fence --grid 2 --block 32 --check races --arg buf:box:u32:2:zero --arg buf:flag:u32:1:zero --arg buf:out:u32:1:zero
// launch scope: --kernel block_atomic --grid 4 --block 32 --check races --arg buf:box:u32:2:zero --arg buf:flag:u32:1:zero --arg buf:out:u32:1:zero
// launch last: --kernel last_group --grid 3 --block 64 --check races --arg buf:box:u32:3:zero --arg buf:flag:u32:1:zero --arg buf:out:u32:64:zero
// launch swap: --kernel failed_swap --grid 2 --block 32 --check races --arg buf:box:u32:2:zero --arg buf:flag:u32:1:zero --arg buf:out:u32:2:zero
// launch near: --kernel failed_swap_near --block 128 --check races --arg buf:box:u32:2:zero --arg buf:flag:u32:1:zero --arg buf:out:u32:2:zero
// launch early: --kernel flag_first --grid 2 --block 32 --check races --arg buf:box:u32:2:zero --arg buf:flag:u32:1:zero --arg buf:out:u32:1:zero
// launch early_atomic: --kernel flag_first_atomic --grid 2 --block 32 --check races --arg buf:box:u32:2:zero --arg buf:flag:u32:1:zero --arg buf:out:u32:1:zero
template <typename Before, typename Behind> __device__ void message(unsigned *box, unsigned *flag, unsigned *out, Before before, Behind behind)
{
	if (threadIdx.x)
		return;
	if (blockIdx.x == 0) {
		box[1] = 42;
		before();
		atomicExch(flag, 1);
	} else {
		while (atomicAdd(flag, 0) == 0)
			;
		behind();
		out[0] = box[1];
	}
}

extern "C" __global__ void no_fence(unsigned *box, unsigned *flag, unsigned *out)
{
	message(box, flag, out, [] { asm volatile("" ::: "memory"); }, [] { __threadfence(); });
}

extern "C" __global__ void no_fence_behind(unsigned *box, unsigned *flag, unsigned *out)
{
	message(box, flag, out, [] { __threadfence(); }, [] { asm volatile("" ::: "memory"); });
}

extern "C" __global__ void block_fence(unsigned *box, unsigned *flag, unsigned *out)
{
	message(box, flag, out, [] { __threadfence_block(); }, [] { __threadfence(); });
}

extern "C" __global__ void block_atomic(unsigned *box, unsigned *flag, unsigned *out)
{
	asm volatile("atom.relaxed.cta.global.add.u32 _, [%0], 1;" ::"l"(box) : "memory");
}

// The last group sums up what others have left: a fence before each count, but none behind, where threads that have not counted read.
extern "C" __global__ void last_group(unsigned *box, unsigned *flag, unsigned *out)
{
	__shared__ bool is_last;

	if (!threadIdx.x) {
		box[blockIdx.x] = 1;
		__threadfence();
		is_last = atomicAdd(flag, 1) == gridDim.x - 1;
	}
	__syncthreads();
	if (is_last && threadIdx.x >= 32)
		out[threadIdx.x] = box[0] + box[1] + box[2];
}

// A compare-and-swap that finds another value writes nothing, so a reader of the word hears of nothing.
template <typename Word> __device__ void swap_fails(bool writes, Word *flag, unsigned *box, unsigned *out)
{
	if (threadIdx.x % 64)
		return;
	if (writes) {
		box[1] = 42;
		__threadfence();
		out[1] = atomicCAS(flag, 5, 6);
	} else {
		for (int k = 0; k < 200; k++)
			atomicAdd(flag, 0);
		__threadfence();
		out[0] = box[1];
	}
}

extern "C" __global__ void failed_swap(unsigned *box, unsigned *flag, unsigned *out)
{
	swap_fails(blockIdx.x == 0, flag, box, out);
}

extern "C" __global__ void failed_swap_near(unsigned *box, unsigned *flag, unsigned *out)
{
	__shared__ unsigned word;

	if (!threadIdx.x)
		word = 0;
	__syncthreads();
	swap_fails(threadIdx.x < 64, &word, box, out);
}

// The flag comes before the box, so a fence between the two would not help.
template <typename Write> __device__ void flag_before(unsigned *flag, unsigned *box, unsigned *out, Write write)
{
	if (threadIdx.x)
		return;
	if (blockIdx.x == 0) {
		atomicExch(flag, 1);
		write(&box[1]);
	} else {
		for (int seen = 0; seen < 20; seen += *(volatile unsigned *)flag) /* until the box has been written */
			;
		__threadfence();
		out[0] = box[1];
	}
}

extern "C" __global__ void flag_first(unsigned *box, unsigned *flag, unsigned *out)
{
	flag_before(flag, box, out, [](unsigned *word) { *word = 42; });
}

extern "C" __global__ void flag_first_atomic(unsigned *box, unsigned *flag, unsigned *out)
{
	flag_before(flag, box, out, [](unsigned *word) { atomicAdd(word, 42); });
}
