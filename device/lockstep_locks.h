/* Lock instructions for kernels (paper 1: A. Ramamurthy, Towards Scalar Synchronization in SIMT Architectures, 2011), in CUDA C++ and
 * OpenCL C.  Under Lockstep they are instructions of the simulated GPU (docs/locks.md), and nothing need be included; for other GPUs
 * include this file, which then brings functions by the same names.
 *
 * A lock is an int in global memory: LOCKSTEP_UNLOCKED (-1), or the number of the thread that holds it.  A semaphore is an int that says
 * how many may pass.  Taking is an acquire and giving back a release for the whole GPU: no fence is needed.
 *
 * ON OTHER GPUS.  The functions spin on a compare-and-swap.  Lanes of one warp that want the same lock then need threads that are scheduled
 * independently (CUDA: compute capability 7.0 and up); on older GPUs, and under Lockstep's `--divergence stack`, they wait for each
 * other for ever.  This form needs no such thing:
 *
 *     LOCKSTEP_CRITICAL(&locks[k]) { account[k] += 1; }          no break, continue, goto or return out of the braces */
#ifndef LOCKSTEP_LOCKS_H
#define LOCKSTEP_LOCKS_H

#define LOCKSTEP_UNLOCKED (-1)

/* Takes the lock, runs the braces, gives the lock back: in one turn of a loop, so that lanes that fail try again behind it. */
#define LOCKSTEP_CRITICAL(lock)                                                                                        \
	for (int lockstep_done_ = 0; !lockstep_done_;)                                                                 \
		if (__lockstep_try_lock(lock))                                                                         \
			for (; !lockstep_done_; __lockstep_unlock(lock), lockstep_done_ = 1)

#ifdef __OPENCL_C_VERSION__
#define LOCKSTEP_LOCK_WORD volatile __global int
#define LOCKSTEP_LOCK_FUNCTION __attribute__((noinline))
#else
#define LOCKSTEP_LOCK_WORD volatile int
#define LOCKSTEP_LOCK_FUNCTION extern "C" __device__ __attribute__((noinline))
#endif

#ifdef __LOCKSTEP__

/* Waits until the thread has the lock. */
LOCKSTEP_LOCK_FUNCTION void __lockstep_lock(LOCKSTEP_LOCK_WORD *lock);
/* Gives it back. */
LOCKSTEP_LOCK_FUNCTION void __lockstep_unlock(LOCKSTEP_LOCK_WORD *lock);
/* One attempt: 1 when the thread has the lock, 0 when somebody else has it. */
LOCKSTEP_LOCK_FUNCTION int __lockstep_try_lock(LOCKSTEP_LOCK_WORD *lock);
/* The same, but waits for it for at most so many cycles. */
LOCKSTEP_LOCK_FUNCTION int __lockstep_try_lock_for(LOCKSTEP_LOCK_WORD *lock, unsigned cycles);
/* Waits until the semaphore is above zero, and takes one off. */
LOCKSTEP_LOCK_FUNCTION void __lockstep_wait(LOCKSTEP_LOCK_WORD *semaphore);
/* Adds one. */
LOCKSTEP_LOCK_FUNCTION void __lockstep_signal(LOCKSTEP_LOCK_WORD *semaphore);

#else

#ifdef __OPENCL_C_VERSION__
#define LOCKSTEP_FENCE() mem_fence(CLK_GLOBAL_MEM_FENCE)
#define LOCKSTEP_SWAP_IF(word, old, now) atomic_cmpxchg(word, old, now)
#define LOCKSTEP_SWAP(word, now) atomic_xchg(word, now)
#define LOCKSTEP_ADD(word, more) atomic_add(word, more)
static int lockstep_thread(void)
{
	return (int)(get_global_id(0) + get_global_size(0) * (get_global_id(1) + get_global_size(1) * get_global_id(2)));
}
#else
#define LOCKSTEP_FENCE() __threadfence()
#define LOCKSTEP_SWAP_IF(word, old, now) atomicCAS((int *)(word), old, now)
#define LOCKSTEP_SWAP(word, now) atomicExch((int *)(word), now)
#define LOCKSTEP_ADD(word, more) atomicAdd((int *)(word), more)
static __device__ int lockstep_thread(void)
{
	unsigned group = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
	unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
	return (int)(group * (blockDim.x * blockDim.y * blockDim.z) + thread);
}
#endif

#define LOCKSTEP_TAKE(lock) (LOCKSTEP_SWAP_IF(lock, LOCKSTEP_UNLOCKED, lockstep_thread()) == LOCKSTEP_UNLOCKED)

LOCKSTEP_LOCK_FUNCTION int __lockstep_try_lock(LOCKSTEP_LOCK_WORD *lock)
{
	int got = LOCKSTEP_TAKE(lock);
	LOCKSTEP_FENCE();
	return got;
}

LOCKSTEP_LOCK_FUNCTION void __lockstep_lock(LOCKSTEP_LOCK_WORD *lock)
{
	while (!LOCKSTEP_TAKE(lock))
		;
	LOCKSTEP_FENCE();
}

/* Nothing measures cycles in OpenCL C: an attempt counts as a hundred. */
LOCKSTEP_LOCK_FUNCTION int __lockstep_try_lock_for(LOCKSTEP_LOCK_WORD *lock, unsigned cycles)
{
	for (unsigned spent = 0; !__lockstep_try_lock(lock); spent += 100)
		if (spent >= cycles)
			return 0;
	return 1;
}

LOCKSTEP_LOCK_FUNCTION void __lockstep_unlock(LOCKSTEP_LOCK_WORD *lock)
{
	LOCKSTEP_FENCE();
	LOCKSTEP_SWAP(lock, LOCKSTEP_UNLOCKED);
}

LOCKSTEP_LOCK_FUNCTION void __lockstep_wait(LOCKSTEP_LOCK_WORD *semaphore)
{
	for (int left = *semaphore;; left = *semaphore)
		if (left > 0 && LOCKSTEP_SWAP_IF(semaphore, left, left - 1) == left)
			break;
	LOCKSTEP_FENCE();
}

LOCKSTEP_LOCK_FUNCTION void __lockstep_signal(LOCKSTEP_LOCK_WORD *semaphore)
{
	LOCKSTEP_FENCE();
	LOCKSTEP_ADD(semaphore, 1);
}

#endif
#endif
