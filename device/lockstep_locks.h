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

/* LOCK BITS (paper 3: A. Li and others, Fine-grained Synchronizations and Dataflow Programming on GPUs, 2015, section 3): a core with a
 * lock unit (gtx480, gtx570; --set shared.lock_bits=1024 gives any model one) has so many bits beside its shared memory.  The bit of a word
 * is its address in the core's shared memory, in words, modulo their number: words that far apart share one, also those of two work-groups
 * of the core.  A bit is free at first.  Nobody owns it.
 *
 *     lockstep_loaded l = __lockstep_load_lock(&word)     LDSLK: loads the word: l.value.  If the bit is free the thread
 *                                                         gets it: l.got is 1, else 0.  Of lanes of one warp on one bit the
 *                                                         lowest gets it
 *     __lockstep_store_unlock(&word, value)               STSUL: stores the word and frees the bit, whoever has it
 *
 * The word is an int in shared memory (__shared__, __local).  What else is shared under a bit must be volatile, as the compiler does not know
 * that these calls order it.  lockstep_lock_bits.h has locks and channels made of them.
 *
 * On other GPUs each work-group has LOCKSTEP_UNIT_BITS ints of its shared memory for the bits.  A kernel that is to run there begins with
 * LOCKSTEP_LOCK_UNIT(), which all threads of the group must reach; functions that it calls and that use bits have
 * LOCKSTEP_UNIT_PARAMETER before their other parameters, and are called with LOCKSTEP_UNIT_ARGUMENT before the other arguments:
 *
 *     static void put(LOCKSTEP_UNIT_PARAMETER LOCKSTEP_SHARED_WORD *w, int v) { __lockstep_store_unlock(w, v); }
 *     ...  put(LOCKSTEP_UNIT_ARGUMENT &word, 1); */
#ifndef LOCKSTEP_GOT /* a file that takes the software form beside the instructions includes this one twice */
typedef struct lockstep_loaded {
	int value, got;
} lockstep_loaded;
#endif
#define LOCKSTEP_GOT(loaded) ((loaded).got)
#define LOCKSTEP_VALUE(loaded) ((loaded).value)
#ifndef LOCKSTEP_UNIT_BITS
#define LOCKSTEP_UNIT_BITS 1024
#endif

#define LOCKSTEP_UNLOCKED (-1)

/* Takes the lock, runs the braces, gives the lock back: in one turn of a loop, so that lanes that fail try again behind it. */
#define LOCKSTEP_CRITICAL(lock)                                                                                        \
	for (int lockstep_done_ = 0; !lockstep_done_;)                                                                 \
		if (__lockstep_try_lock(lock))                                                                         \
			for (; !lockstep_done_; __lockstep_unlock(lock), lockstep_done_ = 1)

#ifdef __OPENCL_C_VERSION__
#define LOCKSTEP_LOCK_WORD volatile __global int
#define LOCKSTEP_SHARED_WORD volatile __local int
#define LOCKSTEP_LOCK_FUNCTION __attribute__((noinline))
#else
#define LOCKSTEP_LOCK_WORD volatile int
#define LOCKSTEP_SHARED_WORD volatile int
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

/* Lock bits. */
#ifdef __OPENCL_C_VERSION__
#define LOCKSTEP_BIT_INSTRUCTION inline __attribute__((always_inline, nodebug)) /* OpenCL C 1.1 has no static functions */
#else
#define LOCKSTEP_BIT_INSTRUCTION static __device__ __inline__ __attribute__((always_inline, nodebug))
#endif
LOCKSTEP_BIT_INSTRUCTION lockstep_loaded __lockstep_load_lock(LOCKSTEP_SHARED_WORD *word)
{
	lockstep_loaded loaded;
	__asm__ volatile("ldslk.shared.v2.b32 {%0, %1}, [%2];"
			 : "=r"(loaded.value), "=r"(loaded.got)
			 : "l"((size_t)word)
			 : "memory");
	return loaded;
}
LOCKSTEP_BIT_INSTRUCTION void __lockstep_store_unlock(LOCKSTEP_SHARED_WORD *word, int value)
{
	__asm__ volatile("stsul.shared.b32 [%0], %1;" : : "l"((size_t)word), "r"(value) : "memory");
}
#define LOCKSTEP_LOCK_UNIT()
#define LOCKSTEP_UNIT_PARAMETER
#define LOCKSTEP_UNIT_ARGUMENT

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

/* ---- Lock bits ---- */

#ifdef __OPENCL_C_VERSION__
#define LOCKSTEP_SHARED_FENCE() mem_fence(CLK_LOCAL_MEM_FENCE)
#define LOCKSTEP_UNIT_FUNCTION static
#define LOCKSTEP_LOCK_UNIT()                                                                                           \
	volatile __local int lockstep_unit_[LOCKSTEP_UNIT_BITS];                                                       \
	lockstep_free_all_(lockstep_unit_, get_local_id(0) + get_local_size(0) * (get_local_id(1) + get_local_size(1) * get_local_id(2)), \
		get_local_size(0) * get_local_size(1) * get_local_size(2));                                            \
	barrier(CLK_LOCAL_MEM_FENCE)
#else
#define LOCKSTEP_SHARED_FENCE() __threadfence_block()
#define LOCKSTEP_UNIT_FUNCTION static __device__
#define LOCKSTEP_LOCK_UNIT()                                                                                           \
	__shared__ volatile int lockstep_unit_[LOCKSTEP_UNIT_BITS];                                                    \
	lockstep_free_all_(lockstep_unit_, threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z),        \
		blockDim.x * blockDim.y * blockDim.z);                                                                 \
	__syncthreads()
#endif
#define LOCKSTEP_UNIT_PARAMETER LOCKSTEP_SHARED_WORD *lockstep_unit_,
#define LOCKSTEP_UNIT_ARGUMENT lockstep_unit_,

LOCKSTEP_UNIT_FUNCTION void lockstep_free_all_(LOCKSTEP_SHARED_WORD *unit, unsigned thread, unsigned threads)
{
	for (unsigned k = thread; k < LOCKSTEP_UNIT_BITS; k += threads)
		unit[k] = 0;
}

/* The word of the unit that stands for the bit: 0, it is free. */
LOCKSTEP_UNIT_FUNCTION LOCKSTEP_SHARED_WORD *lockstep_bit_(LOCKSTEP_SHARED_WORD *unit, LOCKSTEP_SHARED_WORD *word)
{
	return &unit[(unsigned)((size_t)word / 4 % LOCKSTEP_UNIT_BITS)];
}

LOCKSTEP_UNIT_FUNCTION lockstep_loaded lockstep_load_lock_(LOCKSTEP_SHARED_WORD *unit, LOCKSTEP_SHARED_WORD *word)
{
	lockstep_loaded loaded;
	loaded.got = LOCKSTEP_SWAP(lockstep_bit_(unit, word), 1) == 0;
	LOCKSTEP_SHARED_FENCE();
	loaded.value = *word;
	return loaded;
}

LOCKSTEP_UNIT_FUNCTION void lockstep_store_unlock_(LOCKSTEP_SHARED_WORD *unit, LOCKSTEP_SHARED_WORD *word, int value)
{
	*word = value;
	LOCKSTEP_SHARED_FENCE();
	LOCKSTEP_SWAP(lockstep_bit_(unit, word), 0);
}

#define __lockstep_load_lock(word) lockstep_load_lock_(lockstep_unit_, word)
#define __lockstep_store_unlock(word, value) lockstep_store_unlock_(lockstep_unit_, word, value)

#endif
#endif
