// Paper 1, Example 16 (5.1.3): the MCS queue lock, where a waiting thread spins on its own record. One thread of each warp contends (warps): it works under every model. Every thread of a
// warp contends (warp): on a stack the first waits, with the lock, for those behind it in the queue. lock/mcs has more rounds of the first.
// launch warps: --grid 4 --block 64 --arg buf:lock:u64:1:zero --arg buf:nodes:u64:512:zero --arg buf:value:u32:1:zero --arg u32:32 --dump lock --dump value
// launch warp: --block 8 --arg buf:lock:u64:1:zero --arg buf:nodes:u64:512:zero --arg buf:value:u32:1:zero --arg u32:1 --dump lock --dump value
typedef unsigned long long word;

struct qnode {
	qnode *volatile next;
	volatile word locked;
};

static __device__ void acquire_lock(word *L, qnode *I)
{
	I->next = nullptr;
	__threadfence();
	qnode *predecessor = (qnode *)atomicExch(L, (word)I);
	if (predecessor) {
		I->locked = 1;
		__threadfence();
		predecessor->next = I;
		while (I->locked)
			;
	}
	__threadfence();
}

static __device__ void release_lock(word *L, qnode *I)
{
	__threadfence();
	if (!I->next) {
		if (atomicCAS(L, (word)I, 0) == (word)I)
			return;
		while (!I->next)
			;
	}
	I->next->locked = 0;
}

extern "C" __global__ void example_16(word *lock, qnode *nodes, volatile unsigned *value, unsigned stride)
{
	if (threadIdx.x % stride)
		return;
	qnode *mine = &nodes[blockIdx.x * blockDim.x + threadIdx.x];
	acquire_lock(lock, mine);
	*value = *value + 1;
	release_lock(lock, mine);
}
