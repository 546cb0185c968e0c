// What is no lock, though a compare-and-swap ends its loop: a stack (Treiber), a queue (Michael and Scott), a table with open addressing, tickets
// drawn by compare-and-swap. And what is: a mark of a bit by compare-and-swap, a word with an owner's number.
// launch stack: --grid 2 --block 32 --kernel stack --arg buf:at:u32:4:zero --arg buf:next:u32:128:zero --arg buf:out:u32:64:zero
// launch queue: --grid 2 --block 32 --kernel queue --arg buf:at:u32:4:zero --arg buf:next:u32:128:zero --arg buf:out:u32:64:zero
// launch table: --grid 2 --block 32 --kernel table --arg buf:at:u32:4:zero --arg buf:next:u32:128:zero --arg buf:out:u32:64:zero
// launch ticket: --grid 2 --block 32 --kernel ticket --arg buf:at:u32:4:zero --arg buf:next:u32:128:zero --arg buf:out:u32:64:zero --dump at
// launch mark: --grid 2 --block 32 --kernel mark --arg buf:at:u32:4:fill=8 --arg buf:next:u32:128:zero --arg buf:out:u32:64:zero --dump at
// launch number: --grid 2 --block 32 --kernel number --arg buf:at:u32:4:zero --arg buf:next:u32:128:zero --arg buf:out:u32:64:zero --dump at
static __device__ unsigned self() { return blockIdx.x * blockDim.x + threadIdx.x; }
static __device__ volatile unsigned &seen(unsigned *p) { return *(volatile unsigned *)p; }

// nodes are numbered from 1; each thread pushes its own and pops one
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

// node 0 is the dummy; at[0] is the head, at[1] the tail
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

// it is drawn by an update; the thread whose turn it is hands it on by a compare-and-swap
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
