// Locks made of bits of one word: group 0 takes all four, a thread each, and its third thread keeps its own; group 1 then waits for that.
// launch: --grid 2 --block 4 --arg buf:word:u32:1:zero --arg buf:count:u32:4:zero --dump word
extern "C" __global__ void lost_bit(unsigned *word, unsigned *count)
{
	unsigned bit = 1u << threadIdx.x;
	if (blockIdx.x == 1)
		while (((volatile unsigned *)count)[2] == 0)
			;
	for (bool done = false; !done;)
		if (!(atomicOr(word, bit) & bit)) {
			((volatile unsigned *)count)[threadIdx.x] = 1;
			__threadfence();
			if (blockIdx.x == 1 || threadIdx.x != 2)
				atomicAnd(word, ~bit);
			done = true;
		}
}
