// Locks as compilers leave them: several for one transaction, in a loop of rounds, by a work-group.  What the lint says is in expect.txt.
// ptx: nvcc (13.0) -ptx -arch=compute_75 -lineinfo two_locks.cu -o two_locks.ptx, and compute_100 to two_locks_100.ptx; then the folder
// of this file made relative in .file.  For compute_75, nvcc threads `done` away where an arm that ends the loop has its own releases;
// for compute_100 it does so everywhere, and leaves the loop as soon as the lock is taken.
typedef volatile unsigned seen;

#define LOCKS unsigned *lock, unsigned *count, const unsigned *from, const unsigned *to
#define CHOOSE unsigned a = from[threadIdx.x], b = to[threadIdx.x]

// One lock.
extern "C" __global__ void one(LOCKS)
{
	CHOOSE;
	for (bool done = false; !done;)
		if (atomicCAS(&lock[a], 0, 1) == 0) {
			count[b]++;
			__threadfence();
			done = true;
			atomicExch(&lock[a], 0);
		}
}

// Two, given back by the arms of the attempts that took them: one way out of each.
extern "C" __global__ void each_by_its_arm(LOCKS)
{
	CHOOSE;
	for (bool done = false; !done;)
		if (atomicCAS(&lock[a], 0, 1) == 0) {
			if (atomicCAS(&lock[b], 0, 1) == 0) {
				++*(seen *)count;
				atomicExch(&lock[b], 0);
				done = true;
			}
			atomicExch(&lock[a], 0);
		}
}

// The same, with fences and the locks in order.
extern "C" __global__ void in_order(LOCKS)
{
	CHOOSE;
	unsigned low = min(a, b), high = max(a, b);
	for (bool done = false; !done;)
		if (atomicCAS(&lock[low], 0, 1) == 0) {
			if (atomicCAS(&lock[high], 0, 1) == 0) {
				++*(seen *)count;
				__threadfence();
				atomicExch(&lock[high], 0);
				done = true;
			}
			__threadfence();
			atomicExch(&lock[low], 0);
		}
}

// Both given back by who has both: he leaves the loop with them and waits behind it.
extern "C" __global__ void both_by_one_arm(LOCKS)
{
	CHOOSE;
	for (bool done = false; !done;)
		if (atomicCAS(&lock[a], 0, 1) == 0) {
			if (atomicCAS(&lock[b], 0, 1) == 0) {
				++*(seen *)count;
				__threadfence();
				atomicExch(&lock[b], 0);
				atomicExch(&lock[a], 0);
				done = true;
			} else {
				atomicExch(&lock[a], 0);
			}
		}
}

// The same in the other order, by plain stores, and with `break`.
extern "C" __global__ void both_by_stores(LOCKS)
{
	CHOOSE;
	for (;;)
		if (atomicCAS(&lock[a], 0, 1) == 0) {
			if (atomicCAS(&lock[b], 0, 1) == 0) {
				++*(seen *)count;
				lock[a] = 0;
				lock[b] = 0;
				break;
			}
			lock[a] = 0;
		}
}

// A loop with another way out: lanes meet behind both.
extern "C" __global__ void until_told(LOCKS, const unsigned *stop)
{
	CHOOSE;
	bool done = false;
	do {
		if (atomicCAS(&lock[a], 0, 1) == 0) {
			if (atomicCAS(&lock[b], 0, 1) == 0) {
				++*(seen *)count;
				__threadfence();
				atomicExch(&lock[b], 0);
				atomicExch(&lock[a], 0);
				done = true;
			} else {
				atomicExch(&lock[a], 0);
			}
		}
	} while (!done && *(seen *)stop == 0);
}

// The same, with both locks taken along to what lies behind the loop.
extern "C" __global__ void taken_along(LOCKS, const unsigned *stop)
{
	CHOOSE;
	bool done = false;
	do {
		if (atomicCAS(&lock[a], 0, 1) == 0) {
			if (atomicCAS(&lock[b], 0, 1) == 0)
				done = true;
			else
				atomicExch(&lock[a], 0);
		}
	} while (!done && *(seen *)stop == 0);
	__syncwarp();
	if (done) {
		++*(seen *)count;
		__threadfence();
		atomicExch(&lock[b], 0);
		atomicExch(&lock[a], 0);
	}
}

// Who has the first keeps it, goes round and tries for the second only: nobody leaves the loop with a lock.
extern "C" __global__ void first_kept(LOCKS)
{
	CHOOSE;
	bool has_first = false, done = false;
	while (!done)
		if (has_first || atomicCAS(&lock[a], 0, 1) == 0) {
			has_first = true;
			if (atomicCAS(&lock[b], 0, 1) == 0) {
				++*(seen *)count;
				__threadfence();
				atomicExch(&lock[b], 0);
				atomicExch(&lock[a], 0);
				done = true;
			}
		}
}

// Three.
extern "C" __global__ void three(LOCKS, const unsigned *third)
{
	CHOOSE;
	unsigned c = third[threadIdx.x];
	for (bool done = false; !done;)
		if (atomicCAS(&lock[a], 0, 1) == 0) {
			if (atomicCAS(&lock[b], 0, 1) == 0) {
				if (atomicCAS(&lock[c], 0, 1) == 0) {
					++*(seen *)count;
					__threadfence();
					atomicExch(&lock[c], 0);
					done = true;
				}
				atomicExch(&lock[b], 0);
			}
			atomicExch(&lock[a], 0);
		}
}

// In a loop of rounds, with which the attempt shares its header.
extern "C" __global__ void rounds(unsigned *lock, unsigned *count, int rounds)
{
	for (int k = 0; k < rounds; k++) {
		while (atomicCAS(lock, 0, 1) != 0)
			;
		++*(seen *)count;
		__threadfence();
		atomicExch(lock, 0);
	}
}

// By thread 0 for its work-group.
extern "C" __global__ void by_group(unsigned *lock, unsigned *count)
{
	__shared__ int done;
	if (threadIdx.x == 0)
		done = 0;
	__syncthreads();
	while (!done) {
		__syncthreads();
		if (threadIdx.x == 0 && atomicCAS(lock, 0, 1) == 0)
			done = 1;
		__syncthreads();
	}
	count[threadIdx.x]++;
	__threadfence();
	__syncthreads();
	if (threadIdx.x == 0)
		atomicExch(lock, 0);
}
