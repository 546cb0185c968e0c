// A lock whose word has a state: an exchange takes it out and puts 9 there, whoever finds another value has the lock, and a release puts a state
// back. Group 0 has nothing to do with it. In `kept` group 1 keeps what it took; in `overwritten` it puts back another state than the one that
// group 2 waits for, and ends before that has left its core.
// launch kept: --grid 4 --block 32 --kernel kept --arg buf:state:u32:1:fill=3 --arg buf:flag:u32:4:zero --dump state
// launch overwritten: --grid 3 --block 32 --kernel overwritten --arg buf:state:u32:1:fill=3 --arg buf:flag:u32:4:zero --dump state
static __device__ volatile unsigned &seen(unsigned *p) { return *(volatile unsigned *)p; }

static __device__ unsigned take(unsigned *state)
{
	unsigned was;
	while ((was = atomicExch(state, 9)) == 9)
		;
	return was;
}

extern "C" __global__ void kept(unsigned *state, unsigned *flag)
{
	if (threadIdx.x)
		return;
	if (blockIdx.x == 0) {
		seen(flag) = 1;
		return;
	}
	if (blockIdx.x != 1)
		while (seen(flag + 1) == 0)
			;
	unsigned was = take(state);
	seen(flag + 1) = 1;
	if (blockIdx.x != 1)
		atomicExch(state, was);
}

extern "C" __global__ void overwritten(unsigned *state, unsigned *flag)
{
	if (threadIdx.x)
		return;
	if (blockIdx.x == 0) {
		seen(flag) = 1;
	} else if (blockIdx.x == 1) {
		seen(flag + 1) = take(state);
		atomicExch(state, 4);
	} else {
		while (seen(flag + 1) == 0)
			;
		while (seen(state) != 3)
			;
	}
}
