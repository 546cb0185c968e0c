// Forms of waiting, one kernel each; what the lint says of them is in expect.txt.
// ptx: nvcc -ptx -arch=compute_75 -O2 -lineinfo forms.cu -o forms.ptx; then the folder of this file made relative in .file
#define RELEASE(p) do { __threadfence(); atomicExch(p, 0); } while (0)
typedef volatile unsigned seen;

// The lock is taken and released in one turn.
extern "C" __global__ void safe(unsigned *lock, unsigned *count)
{
	for (bool done = false; !done;)
		if (atomicCAS(lock, 0, 1) == 0) {
			++*(seen *)count;
			RELEASE(lock);
			done = true;
		}
}

// Spins before the critical section.
extern "C" __global__ void unsafe(unsigned *lock, unsigned *count)
{
	while (atomicCAS(lock, 0, 1) != 0)
		;
	++*(seen *)count;
	RELEASE(lock);
}

// The same, by atomicExch and with a pause.
extern "C" __global__ void unsafe_exchange(unsigned *lock, unsigned *count)
{
	while (atomicExch(lock, 1) != 0)
		__nanosleep(100);
	++*(seen *)count;
	RELEASE(lock);
}

// The same, one lane of a warp at a time.
extern "C" __global__ void one_lane(unsigned *lock, unsigned *count)
{
	if (threadIdx.x % 32 == 0) {
		while (atomicCAS(lock, 0, 1) != 0)
			;
		++*(seen *)count;
		RELEASE(lock);
	}
}

// Tests before it tries.
extern "C" __global__ void test_and_set(unsigned *lock, unsigned *count)
{
	while (*(seen *)lock || atomicCAS(lock, 0, 1) != 0)
		;
	++*(seen *)count;
	RELEASE(lock);
}

// Gives up after a while: not a spin loop.
extern "C" __global__ void bounded(unsigned *lock, unsigned *count)
{
	for (int k = 0; k < 100; k++)
		if (atomicCAS(lock, 0, 1) == 0) {
			++*(seen *)count;
			RELEASE(lock);
			return;
		}
}

// A lock-free update: not a spin loop.
extern "C" __global__ void update(unsigned *value)
{
	unsigned old = *value, expected;
	do {
		expected = old;
		old = atomicCAS(value, expected, expected * 3 + 1);
	} while (old != expected);
}

// Likewise, reading anew in each turn.
extern "C" __global__ void update_again(unsigned *value)
{
	unsigned expected;
	do
		expected = *(seen *)value;
	while (atomicCAS(value, expected, expected * 3 + 1) != expected);
}

// Open addressing: each turn looks elsewhere.
extern "C" __global__ void insert(unsigned *table, unsigned mask)
{
	unsigned key = threadIdx.x + 1;
	for (unsigned at = key; atomicCAS(&table[at & mask], 0, key) != 0; at++)
		;
}

// A search through memory that ends with what it finds.
extern "C" __global__ void search(const unsigned *list, unsigned *found)
{
	unsigned at = 0;
	while (list[at] != threadIdx.x)
		at++;
	found[threadIdx.x] = at;
}

// A chase of pointers.
extern "C" __global__ void chase(const unsigned *next, unsigned *end)
{
	unsigned at = threadIdx.x;
	while (next[at] != at)
		at = next[at];
	end[threadIdx.x] = at;
}

// A ticket lock by every lane: whose turn it is waits behind the loop.
extern "C" __global__ void ticket(unsigned *next, unsigned *serving, unsigned *count)
{
	unsigned mine = atomicAdd(next, 1);
	while (*(seen *)serving != mine)
		;
	++*(seen *)count;
	__threadfence();
	*(seen *)serving = mine + 1;
}

// A barrier of all groups by one thread of each.
extern "C" __global__ void barrier(unsigned *arrived)
{
	__syncthreads();
	if (threadIdx.x == 0) {
		atomicAdd(arrived, 1);
		while (*(seen *)arrived < gridDim.x)
			;
	}
	__syncthreads();
}

// The same, read by atomicAdd(p, 0) and by all threads: these have all arrived.
extern "C" __global__ void barrier_by_all(unsigned *arrived)
{
	atomicAdd(arrived, 1);
	while (atomicAdd(arrived, 0) < gridDim.x * blockDim.x)
		;
}

// The last to arrive opens the barrier for the others, of its own warp too.
extern "C" __global__ void last_opens(unsigned *arrived, unsigned *open)
{
	if (atomicAdd(arrived, 1) == gridDim.x * blockDim.x - 1)
		*(seen *)open = 1;
	else
		while (*(seen *)open == 0)
			;
}

// Warps of different duties, through shared memory.
extern "C" __global__ void by_warp(unsigned *out)
{
	__shared__ unsigned flag;
	if (threadIdx.x == 0)
		flag = 0;
	__syncthreads();
	if (threadIdx.x < 32)
		*(seen *)&flag = 1;
	else
		while (*(seen *)&flag == 0)
			;
	out[threadIdx.x] = 1;
}

// Lanes of different duties.
extern "C" __global__ void by_lane(unsigned *flag, unsigned *out)
{
	if (threadIdx.x & 1)
		*(seen *)flag = 1;
	else
		while (*(seen *)flag == 0)
			;
	out[threadIdx.x] = 1;
}

// Each thread waits for its left neighbour.
extern "C" __global__ void chain(unsigned *flag)
{
	unsigned me = threadIdx.x + blockIdx.x * blockDim.x;
	if (me > 0)
		while (((seen *)flag)[me - 1] == 0)
			;
	((seen *)flag)[me] = 1;
}

// Each group waits for its left neighbour.
extern "C" __global__ void chain_of_groups(unsigned *flag)
{
	if (blockIdx.x > 0)
		while (((seen *)flag)[blockIdx.x - 1] == 0)
			;
	__syncthreads();
	if (threadIdx.x == 0)
		((seen *)flag)[blockIdx.x] = 1;
}

// Two locks, the second given back when it cannot be had at once.
extern "C" __global__ void two_locks(unsigned *lock, unsigned *count, unsigned a, unsigned b)
{
	for (bool done = false; !done;)
		if (atomicCAS(&lock[a], 0, 1) == 0) {
			if (atomicCAS(&lock[b], 0, 1) == 0) {
				++*(seen *)count;
				RELEASE(&lock[b]);
				done = true;
			}
			RELEASE(&lock[a]);
		}
}

static __device__ __noinline__ void take(unsigned *lock)
{
	while (atomicCAS(lock, 0, 1) != 0)
		;
}

// The loop lies in a function that all lanes call.
extern "C" __global__ void by_function(unsigned *lock, unsigned *count)
{
	take(lock);
	++*(seen *)count;
	RELEASE(lock);
}

static __device__ __noinline__ void take_alone(unsigned *lock)
{
	while (atomicCAS(lock, 0, 1) != 0)
		;
}

// In one that only one lane calls.
extern "C" __global__ void by_function_alone(unsigned *lock, unsigned *count)
{
	if (threadIdx.x == 0) {
		take_alone(lock);
		++*(seen *)count;
		RELEASE(lock);
	}
}

// A look-back scan: each lane says what it has so far, waits for its left neighbours' and says the sum.
extern "C" __global__ void look_back(unsigned *state)
{
	seen *mine = (seen *)state + blockIdx.x * blockDim.x + threadIdx.x;
	unsigned sum = threadIdx.x + 1;
	*mine = sum << 1;
	__threadfence();
	if (blockIdx.x > 0) {
		unsigned before;
		while ((before = mine[-(int)blockDim.x]) == 0)
			;
		sum += before >> 1;
	}
	*mine = sum << 1 | 1;
}
