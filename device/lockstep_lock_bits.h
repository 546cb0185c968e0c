/* Locks and channels made of lock bits (lockstep_locks.h), in CUDA C++ and OpenCL C: those of paper 3 (A. Li and others, Fine-grained
 * Synchronizations and Dataflow Programming on GPUs, 2015), sections 4.2 to 4.5, and of GPUs without lock bits likewise.  `word` is an int
 * in shared memory, whose bit is meant.  Under Lockstep #include <lockstep_lock_bits.h> finds it.
 *
 * WHEN THEY HANG.  Each function says so.  Three things are behind it:
 *   - nobody frees the bit;
 *   - where a warp has one program counter (all GPUs before Volta, --divergence stack), a lane that waits in a loop stops those of its
 *     warp that are through it: they cannot free what it waits for (section 4.4.1);
 *   - two words LOCKSTEP_UNIT_BITS words apart have one bit, also words of two work-groups of a core (section 4.4.2).  A thread that has one
 *     then waits for itself if it wants the other, and a warp may wait at the barrier for one that waits for its bit.
 *
 * WORSE THAN A HANG.  A lock or a closed channel that did not get its bit, since another word has it, is open: whoever waits for it goes on
 * too early.  Where several work-groups are on a core, each must use bits of its own, by the local memory that it takes (docs/lock-bits.md),
 * or look at what lockstep_bit_lock and lockstep_channel_close give: 0 then. */
#ifndef LOCKSTEP_LOCK_BITS_H
#define LOCKSTEP_LOCK_BITS_H

#include "lockstep_locks.h"

/* Under Lockstep their lines are those of the call. */
#ifdef __LOCKSTEP__
#define LOCKSTEP_BIT_FUNCTION LOCKSTEP_BIT_INSTRUCTION
#elif defined __OPENCL_C_VERSION__
#define LOCKSTEP_BIT_FUNCTION static inline
#else
#define LOCKSTEP_BIT_FUNCTION static __device__ inline
#endif

/* The value, which the compiler does not know: else it makes of a loop that is left when the bit has been freed one that is left when it has
 * been got, and frees it behind, where the lanes of a warp wait for each other. */
LOCKSTEP_BIT_FUNCTION int lockstep_opaque_(int value)
{
#if defined __LOCKSTEP__ || defined __CUDACC__
	__asm__ volatile("" : "+r"(value));
#endif
	return value;
}

/* ---- Locks: Listing 4 ---- */

/* Lock: one attempt; 1 when the thread has the bit.  For bits that are known to be free, as before the first barrier.  Never hangs; whoever
 * leaves the result unread believes to have what another may have. */
#define lockstep_bit_lock(word) (__lockstep_load_lock(word).got)

/* Waitlock: until the thread has the bit; returns what the word held then.  Hangs if the bit is not freed, and under one program counter for
 * a warp if another lane of the warp has it, or will want it before this one has freed it: for these LOCKSTEP_BIT_CRITICAL. */
#define lockstep_bit_wait(word) lockstep_bit_wait_(LOCKSTEP_UNIT_ARGUMENT word)
LOCKSTEP_BIT_FUNCTION int lockstep_bit_wait_(LOCKSTEP_UNIT_PARAMETER LOCKSTEP_SHARED_WORD *word)
{
#ifdef __LOCKSTEP__ /* as Listing 4 has it: no compiler between the instructions */
	int value;

	__asm__ volatile("{\n"
			 "\t.reg .pred lockstep_got;\n"
			 "LOCKSTEP_WAIT_%=:\n"
			 "\tldslk.shared.b32 %0|lockstep_got, [%1];\n"
			 "\t@!lockstep_got bra LOCKSTEP_WAIT_%=;\n"
			 "\t}"
			 : "=&r"(value)
			 : "l"((size_t)word)
			 : "memory");
	return value;
#else
	lockstep_loaded loaded = __lockstep_load_lock(word);

	while (!loaded.got)
		loaded = __lockstep_load_lock(word);
	return loaded.value;
#endif
}

/* Unlock: stores the value, or what lockstep_bit_wait returned, and frees the bit.  Never hangs.  Whoever has not the bit frees another's. */
#define lockstep_bit_unlock(word, value) __lockstep_store_unlock(word, value)

/* ---- Channels between threads of different warps: Listing 6 ----
 *
 * The producer closes the channel, all threads of the group pass a barrier, then the producer puts a value and the consumer gets it:
 *
 *     if (is_producer) lockstep_channel_close(&channel);
 *     __syncthreads();
 *     if (is_producer) lockstep_channel_put(&channel, value);
 *     if (is_consumer) value = lockstep_channel_get(&channel); */

/* Before the barrier.  Hangs never, but if the bit is another's (an alias), the consumer may go on too early: the result is 0 then. */
#define lockstep_channel_close(channel) lockstep_bit_lock(channel)
/* Never hangs. */
#define lockstep_channel_put(channel, value) __lockstep_store_unlock(channel, value)
/* One consumer: the channel is closed again.  Hangs if nothing is put, and under one program counter for a warp if the producer is in the
 * same warp: for these the divergent form. */
#define lockstep_channel_take(channel) lockstep_bit_wait(channel)
/* One to many: any number of consumers, also in one warp, each of which opens the channel again for the next.  Hangs if nothing is put, and
 * under one program counter for a warp if the producer is in the same warp. */
#define lockstep_channel_get(channel) lockstep_channel_get_(LOCKSTEP_UNIT_ARGUMENT channel)
LOCKSTEP_BIT_FUNCTION int lockstep_channel_get_(LOCKSTEP_UNIT_PARAMETER LOCKSTEP_SHARED_WORD *channel)
{
	lockstep_loaded loaded;
	int done = 0;

	do { /* given back in the turn in which it is taken: lanes that have it do not wait for those that have not */
		loaded = __lockstep_load_lock(channel);
		if (loaded.got) {
			__lockstep_store_unlock(channel, loaded.value);
			done = lockstep_opaque_(1);
		}
	} while (!done);
	return loaded.value;
}
/* Many to one: from each of `count` channels, `stride` words apart, what was put, added up.  Hangs as lockstep_channel_take. */
#define lockstep_channel_sum(channels, count, stride)                                                                  \
	lockstep_channel_sum_(LOCKSTEP_UNIT_ARGUMENT channels, count, stride)
LOCKSTEP_BIT_FUNCTION int lockstep_channel_sum_(
	LOCKSTEP_UNIT_PARAMETER LOCKSTEP_SHARED_WORD *channels, unsigned count, unsigned stride)
{
	int sum = 0;

	for (unsigned k = 0; k < count; k++)
		sum += lockstep_channel_get(&channels[k * stride]);
	return sum;
}
/* One to many, a channel for each consumer (Figure 9): the value goes into each of `count` channels, `stride` words apart.  Never hangs. */
#define lockstep_channel_put_all(channels, count, stride, value)                                                       \
	lockstep_channel_put_all_(LOCKSTEP_UNIT_ARGUMENT channels, count, stride, value)
LOCKSTEP_BIT_FUNCTION void lockstep_channel_put_all_(
	LOCKSTEP_UNIT_PARAMETER LOCKSTEP_SHARED_WORD *channels, unsigned count, unsigned stride, int value)
{
	for (unsigned k = 0; k < count; k++)
		__lockstep_store_unlock(&channels[k * stride], value);
}

/* ---- Between threads of one warp, too: Listing 8 ----
 *
 *     LOCKSTEP_BIT_CRITICAL(&word, value) { value += 1; }         no break, continue, goto or return out of the braces
 *
 * Takes the bit, with what the word holds in the int `value`; runs the braces; stores `value` and frees the bit: all in one turn of a loop,
 * so that lanes without the bit try again behind it, and whoever has it never waits for them.  Hangs only if the bit is not freed by
 * another, or if the braces want another lane's bit. */
#define LOCKSTEP_BIT_CRITICAL(word, value)                                                                             \
	for (int lockstep_done_ = 0, value = 0; !lockstep_done_;)                                                      \
		for (lockstep_loaded lockstep_l_ = __lockstep_load_lock(word);                                         \
			lockstep_l_.got && !lockstep_done_ && (value = lockstep_l_.value, 1);      \
			__lockstep_store_unlock(word, value), lockstep_done_ = lockstep_opaque_(1))

/* ---- One bit for a warp: Listing 9 ----
 *
 * All lanes of the warp call, with the same word; where lanes are scheduled one by one they wait here for each other.  Not in OpenCL C without sub-groups (LOCKSTEP_HAS_WARPS is not defined then), nor
 * for warps of 64. */
#if defined __LOCKSTEP__ || !defined __OPENCL_C_VERSION__ || (__OPENCL_C_VERSION__ >= 200 && defined cl_khr_subgroups)
#define LOCKSTEP_HAS_WARPS
#ifdef __LOCKSTEP__
LOCKSTEP_BIT_FUNCTION int lockstep_any_(int condition) /* of the lanes that run together */
{
	int any;

	__asm__ volatile("{\n"
			 "\t.reg .pred lockstep_one, lockstep_any;\n"
			 "\tsetp.ne.s32 lockstep_one, %1, 0;\n"
			 "\tvote.any.pred lockstep_any, lockstep_one;\n"
			 "\tselp.s32 %0, 1, 0, lockstep_any;\n"
			 "\t}"
			 : "=r"(any)
			 : "r"(condition)
			 : "memory");
	return any;
}
#define LOCKSTEP_WARP_ANY(condition) lockstep_any_(condition)
#define LOCKSTEP_WARP_TOGETHER() __asm__ volatile("bar.warp.sync 0xffffffff;" : : : "memory")
#elif defined __OPENCL_C_VERSION__ /* cl_khr_subgroups */
#define LOCKSTEP_WARP_ANY(condition) sub_group_any(condition)
#define LOCKSTEP_WARP_FIRST() (get_sub_group_local_id() == 0)
#define LOCKSTEP_WARP_TOGETHER() sub_group_barrier(CLK_LOCAL_MEM_FENCE)
#else
#define LOCKSTEP_WARP_ANY(condition) __any_sync(__activemask(), condition)
#define LOCKSTEP_WARP_TOGETHER() __syncwarp()
#define LOCKSTEP_WARP_FIRST()                                                                                          \
	((threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % warpSize == 0)
#endif

/* Lock: some lane gets the bit, if it is free: 1 then, for all.  Never hangs. */
#define lockstep_warp_lock(word) lockstep_warp_lock_(LOCKSTEP_UNIT_ARGUMENT word)
LOCKSTEP_BIT_FUNCTION int lockstep_warp_lock_(LOCKSTEP_UNIT_PARAMETER LOCKSTEP_SHARED_WORD *word)
{
	LOCKSTEP_WARP_TOGETHER();
	return LOCKSTEP_WARP_ANY(__lockstep_load_lock(word).got);
}
/* Waitlock: all lanes go on when one has the bit, so that what they store is ordered for each of them.  Hangs if no other warp frees it. */
#define lockstep_warp_wait(word) lockstep_warp_wait_(LOCKSTEP_UNIT_ARGUMENT word)
LOCKSTEP_BIT_FUNCTION void lockstep_warp_wait_(LOCKSTEP_UNIT_PARAMETER LOCKSTEP_SHARED_WORD *word)
{
	LOCKSTEP_WARP_TOGETHER();
#ifdef __LOCKSTEP__
	__asm__ volatile("{\n"
			 "\t.reg .pred lockstep_got, lockstep_any;\n"
			 "LOCKSTEP_WARP_WAIT_%=:\n"
			 "\tldslk.shared.b32 _|lockstep_got, [%0];\n"
			 "\tvote.any.pred lockstep_any, lockstep_got;\n"
			 "\t@!lockstep_any bra LOCKSTEP_WARP_WAIT_%=;\n"
			 "\t}"
			 :
			 : "l"((size_t)word)
			 : "memory");
#else
	while (!LOCKSTEP_WARP_ANY(__lockstep_load_lock(word).got))
		;
#endif
}
/* Unlock: the warp's first lane stores the value and frees the bit.  Never hangs. */
#define lockstep_warp_unlock(word, value) lockstep_warp_unlock_(LOCKSTEP_UNIT_ARGUMENT word, value)
LOCKSTEP_BIT_FUNCTION void lockstep_warp_unlock_(LOCKSTEP_UNIT_PARAMETER LOCKSTEP_SHARED_WORD *word, int value)
{
	LOCKSTEP_WARP_TOGETHER();
#ifdef __LOCKSTEP__
	__asm__ volatile("{\n"
			 "\t.reg .pred lockstep_first;\n"
			 "\t.reg .b32 lockstep_lane;\n"
			 "\tmov.u32 lockstep_lane, %%laneid;\n"
			 "\tsetp.eq.u32 lockstep_first, lockstep_lane, 0;\n"
			 "\t@lockstep_first stsul.shared.b32 [%0], %1;\n"
			 "\t}"
			 :
			 : "l"((size_t)word), "r"(value)
			 : "memory");
#else
	if (LOCKSTEP_WARP_FIRST())
		__lockstep_store_unlock(word, value);
#endif
}

#endif /* LOCKSTEP_HAS_WARPS */
#endif
