// Locks made of bits of one word, taken by fetch-or and given back by fetch-and: an attempt has the lock if it found its bit clear, whatever
// else is set; and it fails because of the warp itself if that has its bit.
// launch apart: --block 4 --kernel apart --arg buf:word:u32:1:zero --arg buf:count:u32:4:zero --dump count --dump word
// launch kept: --block 4 --kernel apart --arg buf:word:u32:1:fill=240 --arg buf:count:u32:4:zero --dump count --dump word
// launch shared: --block 32 --kernel shared --arg buf:word:u32:1:zero --arg buf:count:u32:4:zero --dump count --dump word
extern "C" __global__ void apart(unsigned *word, unsigned *count)
{
	unsigned bit = 1u << threadIdx.x;
	for (bool done = false; !done;)
		if (!(atomicOr(word, bit) & bit)) {
			count[threadIdx.x]++;
			done = true;
		}
}

extern "C" __global__ void shared(unsigned *word, unsigned *count)
{
	unsigned bit = 1u << threadIdx.x % 4;
	for (bool done = false; !done;)
		if (!(atomicOr(word, bit) & bit)) {
			count[threadIdx.x % 4]++;
			__threadfence();
			atomicAnd(word, ~bit);
			done = true;
		}
}
