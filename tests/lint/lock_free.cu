// Loops that an atomic ends: of lock-free updates, of which only the pop that waits for a node is listed; of locks made of bits, which are listed.
static __device__ unsigned self() { return blockIdx.x * blockDim.x + threadIdx.x; }
static __device__ volatile unsigned &seen(unsigned *p) { return *(volatile unsigned *)p; }

extern "C" __global__ void stack(unsigned *at, unsigned *next, unsigned *out)
{
	unsigned node = self() + 1, top;
	do {
		top = seen(at);
		next[node] = top;
		__threadfence();
	} while (atomicCAS(at, top, node) != top);
	do {
		top = seen(at);
	} while (top == 0 || atomicCAS(at, top, seen(&next[top])) != top);
	out[top - 1] = 1;
}

extern "C" __global__ void queue(unsigned *at, unsigned *next, unsigned *out)
{
	unsigned node = self() + 1;
	next[node] = 0;
	__threadfence();
	for (;;) {
		unsigned tail = seen(at + 1), behind = seen(&next[tail]);
		if (behind != 0) {
			atomicCAS(at + 1, tail, behind);
		} else if (atomicCAS(&next[tail], 0, node) == 0) {
			atomicCAS(at + 1, tail, node);
			break;
		}
	}
	out[node - 1] = 1;
}

extern "C" __global__ void table(unsigned *at, unsigned *next, unsigned *out)
{
	unsigned key = self() + 1, h = key * 7 % 128;
	while (atomicCAS(next + h, 0, key) != 0)
		h = (h + 1) % 128;
	out[key - 1] = 1;
}

extern "C" __global__ void ticket(unsigned *at, unsigned *next, unsigned *out)
{
	unsigned mine;
	do {
		mine = seen(at);
	} while (atomicCAS(at, mine, mine + 1) != mine);
	out[mine] = 1;
	for (bool over = false; !over;)
		if (seen(at + 1) == mine)
			over = atomicCAS(at + 1, mine, mine + 1) == mine;
}

extern "C" __global__ void mark(unsigned *at, unsigned *next, unsigned *out)
{
	for (bool over = false; !over;) {
		unsigned word = seen(at);
		if (!(word & 1) && atomicCAS(at, word, word | 1) == word) {
			seen(at + 1) = seen(at + 1) + 1;
			out[self()] = 1;
			__threadfence();
			atomicAnd(at, ~1u);
			over = true;
		}
	}
}

extern "C" __global__ void number(unsigned *at, unsigned *next, unsigned *out)
{
	for (bool over = false; !over;)
		if (atomicCAS(at, 0, self() + 1) == 0) {
			seen(at + 1) = seen(at + 1) + 1;
			out[self()] = 1;
			__threadfence();
			atomicExch(at, 0);
			over = true;
		}
}

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
