/* Channels: queues in global memory, in which work-items put small pieces of work that others take up, many at a time.  Those of paper 5
 * (M. Orr and others, Fine-grain Task Aggregation and Coordination on GPUs, ISCA 2014), in OpenCL C (2.0 and later, with 64-bit atomics) and
 * CUDA C++.  They need nothing of Lockstep.  Under Lockstep #include <lockstep_channels.h> finds them; elsewhere copy this file.
 *
 *     kernel void work(global void *memory, ...)                CUDA: void *memory
 *     {
 *         ch_channel c = ch_open(memory, 32768, 64, sizeof(struct item), 2);
 *         uint offset, first;
 *
 *         first = ch_talloc(&c, 2);                             two elements, or CH_NONE: the channel is full
 *         if (first != CH_NONE) {
 *             *(global struct item *)ch_at(&c, first) = ...;    ch_at(&c, first + 1) is the second
 *             ch_enq(&c, first, 2);                             now others may take them
 *         }
 *         if (ch_claim(&c, &offset)) {                          one that is ready; 0: none is
 *             uint element = ch_deq(&c, offset);
 *             ... *(global struct item *)ch_at(&c, element) ...
 *             ch_tfree(&c, element);                            its place may be used again
 *         }
 *     }
 *
 * The host gives CH_BYTES(width, done, size, most) bytes, all zero before the first use; later launches find in the channel what earlier
 * ones left there.  A host program in C that includes this file has all functions, too, for a copy of the memory that no kernel works on.
 *
 * WHAT A CHANNEL IS (section 3.2).  The data array holds `width` elements of `size` bytes.  ch_talloc reserves some at its tail.  ch_enq makes
 * them ready: it puts their places into the control array, which is twice as wide.  Elements become ready in any order.  ch_claim takes one off
 * the head of the control array, and ch_tfree says that it is done with.  Each `done` neighbours in the data array share a count of those that
 * are done.  Places are free again in the order of their reservation, `done` at a time.  So an element is available, reserved, ready,
 * dispatched or done.  Lanes of a warp that call together cost as many compare-and-swaps as one (Figure 5).
 *
 * NO FUNCTION WAITS for another thread: each is lock-free, that is, a thread repeats a step only when another one has got on.
 * A thread that stops for ever between ch_talloc and ch_tfree keeps its own elements, and sooner or later those behind them in the data
 * array, but elements that others enqueue can be claimed.  Of the few instructions within ch_enq this is not true: a thread that stops for ever there
 * hides what is enqueued after it.
 *
 * LANES.  Lanes that call together may name different channels and different counts.  Some may get places and others none: those then
 * must not be waited for by lanes that hold elements.  This loop is right on every GPU:
 *
 *     for (int enqueued = 0; !enqueued;) {
 *         uint first = ch_talloc(&c, 1);
 *         if (first != CH_NONE) { ...; ch_enq(&c, first, 1); enqueued = 1; }
 *         else ...                                              take an element off, so that there is room some time
 *     }
 *
 * VARIANTS (Figure 17), by a macro before this file is included, the same for all that use a channel together:
 *     none                          one compare-and-swap for the lanes of a warp that call together
 *     LOCKSTEP_CHANNELS_BASELINE    one for each lane.  So it is, too, where OpenCL C has no cl_khr_subgroup_ballot and cl_khr_subgroup_shuffle
 *     LOCKSTEP_CHANNELS_PADDED      as none, but no two elements are in one line of 128 bytes
 *
 * WARPS OF 64 LANES.  PTX's masks have 32 bits, so that a warp of 64 is two here.  With LOCKSTEP_CHANNELS_WAVE it is one, by instructions
 * that only Lockstep has, on models that keep all lanes in lockstep; on a warp of 32 lanes they do the same as without it.
 *
 * What is not in the paper: how the tail of the control array follows when a later reservation is filled before an earlier one (any thread
 * that finds the tail before a filled slot moves it on, so none waits); ch_claim, by which consumers serve themselves without an aggregator;
 * and that any thread may free what is done, which ch_talloc does when it finds no room.  The paper's enq has no count, its tfree takes the
 * offset, and its functions give pointers, which do not tell where the neighbour is in a padded channel. */
#ifndef LOCKSTEP_CHANNELS_H
#define LOCKSTEP_CHANNELS_H

/* Parameters of a channel.  width: elements, a power of two up to 2^30.  done: elements that share a done count, a power of two up to the width;
 * the paper has 64.  most: what one call of ch_talloc may ask for, at least 1; what is asked for fits an empty channel only if
 * most <= width - done + 1, since a count frees all of its elements or none. */
#define CH_POWER_(n) ((n) > 0 && ((n) & ((n)-1)) == 0)
#define CH_FITS(width, done, most)                                                                                     \
	(CH_POWER_(width) && CH_POWER_(done) && (width) <= 0x40000000u && (done) <= (width) && (most) >= 1 &&          \
		(most) <= (width) - (done) + 1)
#define CH_NONE 0xffffffffu

#ifdef LOCKSTEP_CHANNELS_PADDED
#define CH_STRIDE_(size) (((size) + 127u) / 128 * 128)
#else
#define CH_STRIDE_(size) (size)
#endif
/* Bytes: words that are each in a line of its own, control array, done counts, data.  An allocation that begins near the end of the data
 * array runs on behind it, into places that count as those at its beginning: so its elements are neighbours.
 *   byte 0: the data array's tail    128: its head    256: of the control array, tail (low half) and reserved tail    384: its head */
#define CH_CONTROL_AT_ 512
#define CH_COUNTS_AT_(width) (CH_CONTROL_AT_ + 8 * (size_t)(width))
#define CH_DATA_AT_(width, done) ((CH_COUNTS_AT_(width) + 4 * (size_t)((width) / (done)) + 127) / 128 * 128)
#define CH_BYTES(width, done, size, most)                                                                              \
	(CH_DATA_AT_(width, done) + (size_t)CH_STRIDE_(size) * ((size_t)(width) + (most)-1))

/* ---- What differs between the languages: words, atomics, lanes ---- */

#ifdef __OPENCL_C_VERSION__
#if __OPENCL_C_VERSION__ < 200
#error "lockstep_channels.h: OpenCL C before 2.0 has no acquire and release: build with -cl-std=CL2.0 or CL3.0"
#elif __OPENCL_C_VERSION__ >= 300 && !(defined __opencl_c_atomic_order_acq_rel && defined __opencl_c_atomic_scope_device)
#error "lockstep_channels.h: this device has no acquire and release atomics at device scope (OpenCL C 3.0): work-groups cannot synchronise"
#elif !(defined cl_khr_int64_base_atomics && defined cl_khr_int64_extended_atomics)
#error "lockstep_channels.h: this device has no 64-bit atomics (cl_khr_int64_base_atomics, cl_khr_int64_extended_atomics)"
#endif
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
#define CH_FUNCTION_ static inline
#define CH_GLOBAL_ __global
typedef uchar ch_byte_;
typedef uint ch_uint_;
typedef ulong ch_ulong_;
#define CH_ATOMIC_(word) ((volatile __global atomic_uint *)(word))
#define CH_ATOMIC_LONG_(word) ((volatile __global atomic_ulong *)(word))
CH_FUNCTION_ ch_uint_ ch_load_relaxed_(CH_GLOBAL_ ch_uint_ *word)
{
	return atomic_load_explicit(CH_ATOMIC_(word), memory_order_relaxed, memory_scope_device);
}
CH_FUNCTION_ ch_uint_ ch_load_acquire_(CH_GLOBAL_ ch_uint_ *word)
{
	return atomic_load_explicit(CH_ATOMIC_(word), memory_order_acquire, memory_scope_device);
}
CH_FUNCTION_ void ch_store_release_(CH_GLOBAL_ ch_uint_ *word, ch_uint_ value)
{
	atomic_store_explicit(CH_ATOMIC_(word), value, memory_order_release, memory_scope_device);
}
CH_FUNCTION_ void ch_add_release_(CH_GLOBAL_ ch_uint_ *word, ch_uint_ more)
{
	atomic_fetch_add_explicit(CH_ATOMIC_(word), more, memory_order_release, memory_scope_device);
}
CH_FUNCTION_ ch_uint_ ch_swap_relaxed_(CH_GLOBAL_ ch_uint_ *word, ch_uint_ old, ch_uint_ now)
{
	atomic_compare_exchange_strong_explicit(
		CH_ATOMIC_(word), &old, now, memory_order_relaxed, memory_order_relaxed, memory_scope_device);
	return old;
}
CH_FUNCTION_ ch_uint_ ch_swap_acq_rel_(CH_GLOBAL_ ch_uint_ *word, ch_uint_ old, ch_uint_ now)
{
	atomic_compare_exchange_strong_explicit(
		CH_ATOMIC_(word), &old, now, memory_order_acq_rel, memory_order_acquire, memory_scope_device);
	return old;
}
CH_FUNCTION_ ch_ulong_ ch_load_long_(CH_GLOBAL_ ch_ulong_ *word)
{
	return atomic_load_explicit(CH_ATOMIC_LONG_(word), memory_order_acquire, memory_scope_device);
}
CH_FUNCTION_ ch_ulong_ ch_touch_long_(CH_GLOBAL_ ch_ulong_ *word)
{
	return atomic_fetch_add_explicit(CH_ATOMIC_LONG_(word), 0ul, memory_order_acq_rel, memory_scope_device);
}
CH_FUNCTION_ ch_ulong_ ch_swap_long_relaxed_(CH_GLOBAL_ ch_ulong_ *word, ch_ulong_ old, ch_ulong_ now)
{
	atomic_compare_exchange_strong_explicit(
		CH_ATOMIC_LONG_(word), &old, now, memory_order_relaxed, memory_order_relaxed, memory_scope_device);
	return old;
}
CH_FUNCTION_ ch_ulong_ ch_swap_long_(CH_GLOBAL_ ch_ulong_ *word, ch_ulong_ old, ch_ulong_ now)
{
	atomic_compare_exchange_strong_explicit(
		CH_ATOMIC_LONG_(word), &old, now, memory_order_acq_rel, memory_order_acquire, memory_scope_device);
	return old;
}

#elif defined __CUDACC__ || defined __CUDA__
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ < 300
/* J. Alglave and others, GPU concurrency (ASPLOS 2015): a load behind a fence still reads the old line on a Tesla C2075. */
#error "lockstep_channels.h: compute capability 2.x: no fence empties an L1, so what other work-groups wrote would not be seen"
#endif
#define CH_FUNCTION_ static __device__ __forceinline__
#define CH_GLOBAL_
typedef unsigned char ch_byte_;
typedef unsigned ch_uint_;
typedef unsigned long long ch_ulong_;
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ < 700
/* PTX before Volta has no orders: fences around volatile accesses and atomics. */
#define CH_FENCE_() __threadfence()
CH_FUNCTION_ ch_uint_ ch_load_relaxed_(ch_uint_ *word) { return *(volatile ch_uint_ *)word; }
CH_FUNCTION_ ch_uint_ ch_load_acquire_(ch_uint_ *word)
{
	ch_uint_ value = *(volatile ch_uint_ *)word;
	CH_FENCE_();
	return value;
}
CH_FUNCTION_ void ch_store_release_(ch_uint_ *word, ch_uint_ value)
{
	CH_FENCE_();
	*(volatile ch_uint_ *)word = value;
}
CH_FUNCTION_ void ch_add_release_(ch_uint_ *word, ch_uint_ more)
{
	CH_FENCE_();
	atomicAdd(word, more);
}
CH_FUNCTION_ ch_uint_ ch_swap_relaxed_(ch_uint_ *word, ch_uint_ old, ch_uint_ now) { return atomicCAS(word, old, now); }
CH_FUNCTION_ ch_uint_ ch_swap_acq_rel_(ch_uint_ *word, ch_uint_ old, ch_uint_ now)
{
	CH_FENCE_();
	old = atomicCAS(word, old, now);
	CH_FENCE_();
	return old;
}
CH_FUNCTION_ ch_ulong_ ch_load_long_(ch_ulong_ *word)
{
	ch_ulong_ value = *(volatile ch_ulong_ *)word;
	CH_FENCE_();
	return value;
}
CH_FUNCTION_ ch_ulong_ ch_touch_long_(ch_ulong_ *word)
{
	ch_ulong_ value;
	CH_FENCE_();
	value = atomicAdd(word, 0ull);
	CH_FENCE_();
	return value;
}
CH_FUNCTION_ ch_ulong_ ch_swap_long_relaxed_(ch_ulong_ *word, ch_ulong_ old, ch_ulong_ now)
{
	return atomicCAS(word, old, now);
}
CH_FUNCTION_ ch_ulong_ ch_swap_long_(ch_ulong_ *word, ch_ulong_ old, ch_ulong_ now)
{
	CH_FENCE_();
	old = atomicCAS(word, old, now);
	CH_FENCE_();
	return old;
}
#undef CH_FENCE_
#else
#define CH_AT_(word) "l"(__cvta_generic_to_global(word))
#define CH_LOAD_(name, T, instruction, result)                                                                         \
	CH_FUNCTION_ T name(T *word)                                                                                   \
	{                                                                                                              \
		T value;                                                                                               \
		__asm__ volatile(instruction : result(value) : CH_AT_(word) : "memory");                               \
		return value;                                                                                          \
	}
#define CH_SWAP_(name, T, instruction, result, operand)                                                                \
	CH_FUNCTION_ T name(T *word, T old, T now)                                                                     \
	{                                                                                                              \
		T seen;                                                                                                \
		__asm__ volatile(instruction " %0, [%1], %2, %3;"                                                      \
				 : result(seen)                                                                        \
				 : CH_AT_(word), operand(old), operand(now)                                            \
				 : "memory");                                                                          \
		return seen;                                                                                           \
	}
CH_LOAD_(ch_load_relaxed_, ch_uint_, "ld.relaxed.gpu.global.u32 %0, [%1];", "=r")
CH_LOAD_(ch_load_acquire_, ch_uint_, "ld.acquire.gpu.global.u32 %0, [%1];", "=r")
CH_LOAD_(ch_load_long_, ch_ulong_, "ld.acquire.gpu.global.u64 %0, [%1];", "=l")
CH_LOAD_(ch_touch_long_, ch_ulong_, "atom.acq_rel.gpu.global.add.u64 %0, [%1], 0;", "=l")
CH_SWAP_(ch_swap_relaxed_, ch_uint_, "atom.relaxed.gpu.global.cas.b32", "=r", "r")
CH_SWAP_(ch_swap_acq_rel_, ch_uint_, "atom.acq_rel.gpu.global.cas.b32", "=r", "r")
CH_SWAP_(ch_swap_long_relaxed_, ch_ulong_, "atom.relaxed.gpu.global.cas.b64", "=l", "l")
CH_SWAP_(ch_swap_long_, ch_ulong_, "atom.acq_rel.gpu.global.cas.b64", "=l", "l")
CH_FUNCTION_ void ch_store_release_(ch_uint_ *word, ch_uint_ value)
{
	__asm__ volatile("st.release.gpu.global.u32 [%0], %1;" : : CH_AT_(word), "r"(value) : "memory");
}
CH_FUNCTION_ void ch_add_release_(ch_uint_ *word, ch_uint_ more)
{
	__asm__ volatile("red.release.gpu.global.add.u32 [%0], %1;" : : CH_AT_(word), "r"(more) : "memory");
}
#undef CH_AT_
#undef CH_LOAD_
#undef CH_SWAP_
#endif

#else /* the host, alone with the memory */
#include <stddef.h>
#include <stdint.h>
#define CH_FUNCTION_ static inline
#define CH_GLOBAL_
#define CH_HOST_
typedef unsigned char ch_byte_;
typedef uint32_t ch_uint_;
typedef uint64_t ch_ulong_;
CH_FUNCTION_ ch_uint_ ch_load_relaxed_(ch_uint_ *word) { return *word; }
CH_FUNCTION_ ch_uint_ ch_load_acquire_(ch_uint_ *word) { return *word; }
CH_FUNCTION_ void ch_store_release_(ch_uint_ *word, ch_uint_ value) { *word = value; }
CH_FUNCTION_ void ch_add_release_(ch_uint_ *word, ch_uint_ more) { *word += more; }
CH_FUNCTION_ ch_ulong_ ch_load_long_(ch_ulong_ *word) { return *word; }
CH_FUNCTION_ ch_ulong_ ch_touch_long_(ch_ulong_ *word) { return *word; }
#define CH_SWAP_(name, T)                                                                                              \
	CH_FUNCTION_ T name(T *word, T old, T now)                                                                     \
	{                                                                                                              \
		T seen = *word;                                                                                        \
		*word = seen == old ? now : seen;                                                                      \
		return seen;                                                                                           \
	}
CH_SWAP_(ch_swap_relaxed_, ch_uint_)
CH_SWAP_(ch_swap_acq_rel_, ch_uint_)
CH_SWAP_(ch_swap_long_relaxed_, ch_ulong_)
CH_SWAP_(ch_swap_long_, ch_ulong_)
#undef CH_SWAP_
#endif

/* Lanes that call together.  `lanes` below are a set of them that all execute the same operation; the lowest of them leads. */
#if defined CH_HOST_ || defined LOCKSTEP_CHANNELS_BASELINE ||                                                          \
	(defined __OPENCL_C_VERSION__ && !defined __NVPTX__ &&                                                         \
		!(defined cl_khr_subgroup_ballot && defined cl_khr_subgroup_shuffle))
typedef ch_uint_ ch_lanes_;
#define CH_TOGETHER_() 1u
#define CH_LOWER_() 0u
#define CH_BALLOT_(lanes, holds) ((ch_uint_)((void)(lanes), (holds) != 0))
#define CH_MOVE_(lanes, value, lane) ((void)(lanes), (void)(lane), (value))
#define CH_MEET_(lanes) ((void)(lanes))
#define CH_COUNT_(lanes) (lanes)
#define CH_LOWEST_(lanes) ((void)(lanes), 0u)
#define CH_HIGHEST_(lanes) ((void)(lanes), 0u)

#elif defined __OPENCL_C_VERSION__ && !defined __NVPTX__
/* Such devices keep a sub-group in lockstep, and nothing in OpenCL C lets some of its work-items wait for each other: that what one has done
 * is before what another does next, rests on that. */
typedef ulong ch_lanes_;
#define CH_WORDS_(mask) ((mask).x | (ulong)(mask).y << 32)
#define CH_TOGETHER_() CH_WORDS_(sub_group_ballot(1))
#define CH_LOWER_() CH_WORDS_(get_sub_group_lt_mask())
#define CH_BALLOT_(lanes, holds) ((void)(lanes), CH_WORDS_(sub_group_ballot((holds) != 0)))
#define CH_MOVE_(lanes, value, lane) ((void)(lanes), sub_group_shuffle(value, lane))
#define CH_MEET_(lanes) ((void)(lanes))
#define CH_COUNT_(lanes) ((uint)popcount(lanes))
#define CH_LOWEST_(lanes) ((uint)(63 - clz((lanes) & -(lanes))))
#define CH_HIGHEST_(lanes) ((uint)(63 - clz(lanes)))

#elif defined LOCKSTEP_CHANNELS_WAVE
/* PTX of Lockstep for GPUs that keep a warp of 64 lanes in lockstep: the same rests on that. */
typedef ch_ulong_ ch_lanes_;
CH_FUNCTION_ ch_ulong_ ch_together_(void)
{
	ch_ulong_ lanes;
	__asm__ volatile("wave.active.b64 %0;" : "=l"(lanes) : : "memory");
	return lanes;
}
CH_FUNCTION_ ch_ulong_ ch_lower_(void)
{
	ch_uint_ lane;
	__asm__("mov.u32 %0, %%laneid;" : "=r"(lane));
	return ((ch_ulong_)1 << lane) - 1;
}
CH_FUNCTION_ ch_ulong_ ch_ballot_(ch_uint_ holds)
{
	ch_ulong_ those;
	__asm__ volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0; wave.ballot.b64 %0, p; }" : "=l"(those) : "r"(holds) : "memory");
	return those;
}
CH_FUNCTION_ ch_uint_ ch_move_(ch_uint_ value, ch_uint_ lane)
{
	ch_uint_ of_lane;
	__asm__ volatile("wave.read.b32 %0, %1, %2;" : "=r"(of_lane) : "r"(value), "r"(lane) : "memory");
	return of_lane;
}
CH_FUNCTION_ ch_uint_ ch_count_(ch_ulong_ lanes)
{
	ch_uint_ count;
	__asm__("popc.b64 %0, %1;" : "=r"(count) : "l"(lanes));
	return count;
}
CH_FUNCTION_ ch_uint_ ch_highest_(ch_ulong_ lanes)
{
	ch_uint_ zeros;
	__asm__("clz.b64 %0, %1;" : "=r"(zeros) : "l"(lanes));
	return 63 - zeros;
}
#define CH_TOGETHER_() ch_together_()
#define CH_LOWER_() ch_lower_()
#define CH_BALLOT_(lanes, holds) ((void)(lanes), ch_ballot_((holds) != 0))
#define CH_MOVE_(lanes, value, lane) ((void)(lanes), ch_move_(value, lane))
#define CH_MEET_(lanes) __asm__ volatile("" : : "l"(lanes) : "memory")
#define CH_COUNT_(lanes) ch_count_(lanes)
#define CH_LOWEST_(lanes) ch_highest_((lanes) & -(lanes))
#define CH_HIGHEST_(lanes) ch_highest_(lanes)

#else /* PTX, in both languages.  Of a warp of 64 lanes each half is a warp of its own here */
typedef ch_uint_ ch_lanes_;
CH_FUNCTION_ ch_uint_ ch_together_(void)
{
	ch_uint_ lanes;
	__asm__ volatile("activemask.b32 %0;" : "=r"(lanes) : : "memory");
	return lanes;
}
CH_FUNCTION_ ch_uint_ ch_lower_(void)
{
	ch_uint_ lanes;
	__asm__("mov.u32 %0, %%lanemask_lt;" : "=r"(lanes));
	return lanes;
}
CH_FUNCTION_ ch_uint_ ch_ballot_(ch_uint_ lanes, ch_uint_ holds)
{
	ch_uint_ those;
	__asm__ volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0; vote.sync.ballot.b32 %0, p, %2; }"
			 : "=r"(those)
			 : "r"(holds), "r"(lanes)
			 : "memory");
	return those;
}
CH_FUNCTION_ ch_uint_ ch_move_(ch_uint_ lanes, ch_uint_ value, ch_uint_ lane)
{
	ch_uint_ of_lane;
	__asm__ volatile("shfl.sync.idx.b32 %0, %1, %2, 31, %3;" : "=r"(of_lane) : "r"(value), "r"(lane), "r"(lanes) : "memory");
	return of_lane;
}
CH_FUNCTION_ void ch_meet_(ch_uint_ lanes) { __asm__ volatile("bar.warp.sync %0;" : : "r"(lanes) : "memory"); }
CH_FUNCTION_ ch_uint_ ch_count_(ch_uint_ lanes)
{
	ch_uint_ count;
	__asm__("popc.b32 %0, %1;" : "=r"(count) : "r"(lanes));
	return count;
}
CH_FUNCTION_ ch_uint_ ch_highest_(ch_uint_ lanes)
{
	ch_uint_ zeros;
	__asm__("clz.b32 %0, %1;" : "=r"(zeros) : "r"(lanes));
	return 31 - zeros;
}
#define CH_TOGETHER_() ch_together_()
#define CH_LOWER_() ch_lower_()
#define CH_BALLOT_(lanes, holds) ch_ballot_(lanes, (holds) != 0)
#define CH_MOVE_(lanes, value, lane) ch_move_(lanes, value, lane)
#define CH_MEET_(lanes) ch_meet_(lanes)
#define CH_COUNT_(lanes) ch_count_(lanes)
#define CH_LOWEST_(lanes) ch_highest_((lanes) & -(lanes))
#define CH_HIGHEST_(lanes) ch_highest_(lanes)
#endif

#ifdef CH_HOST_
#include <stdlib.h>
#define CH_FAULT_(why) abort()
#elif defined __NVPTX__ || defined __CUDACC__
#define CH_FAULT_(why) __asm__ volatile(".pragma \"lockstep_trap " why "\"; trap;")
#else
#define CH_FAULT_(why) __builtin_trap()
#endif

/* ---- A channel ---- */

/* A thread has its own. */
typedef struct ch_channel {
	CH_GLOBAL_ ch_byte_ *memory;
	ch_uint_ width, done, stride, most;
} ch_channel;

/* The parameters are those with which CH_BYTES was computed.  If CH_FITS does not hold the thread traps; on the host, abort(). */
CH_FUNCTION_ ch_channel ch_open(CH_GLOBAL_ void *memory, ch_uint_ width, ch_uint_ done, ch_uint_ size, ch_uint_ most)
{
	ch_channel c;

	if (!CH_FITS(width, done, most))
		CH_FAULT_("ch_open with a width, done count or most that CH_FITS refuses");
	c.memory = (CH_GLOBAL_ ch_byte_ *)memory;
	c.width = width;
	c.done = done;
	c.stride = CH_STRIDE_(size);
	c.most = most;
	return c;
}

/* Positions are counted on for ever, modulo 2^32, of which the widths are divisors. */
CH_FUNCTION_ CH_GLOBAL_ ch_uint_ *ch_word_(const ch_channel *c, size_t at) { return (CH_GLOBAL_ ch_uint_ *)(c->memory + at); }
#define CH_TAIL_(c) ch_word_(c, 0) /* of the data array: the next position to reserve */
#define CH_HEAD_(c) ch_word_(c, 128) /* the first that is not free */
#define CH_TAILS_(c) ((CH_GLOBAL_ ch_ulong_ *)((c)->memory + 256)) /* of the control array */
#define CH_CONTROL_HEAD_(c) ch_word_(c, 384) /* the next to be taken */
CH_FUNCTION_ CH_GLOBAL_ ch_uint_ *ch_slot_(const ch_channel *c, ch_uint_ position)
{
	return ch_word_(c, CH_CONTROL_AT_ + 4 * (size_t)(position & (2 * c->width - 1)));
}
/* Of an element, or of a position of the data array. */
CH_FUNCTION_ CH_GLOBAL_ ch_uint_ *ch_done_(const ch_channel *c, ch_uint_ element)
{
	return ch_word_(c, CH_COUNTS_AT_(c->width) + 4 * (size_t)((element & (c->width - 1)) / c->done));
}

/* Where an element is. */
CH_FUNCTION_ CH_GLOBAL_ void *ch_at(const ch_channel *c, ch_uint_ element)
{
	return c->memory + CH_DATA_AT_(c->width, c->done) + (size_t)c->stride * element;
}

/* What is between the two is carried out once for each value of `key`, a pointer, by the lanes that have called together and have that value:
 * `alike`.  All lanes stay until the last are through: else a compiler moves what is between them behind the loop, where all are together. */
#define CH_BY_KEY_BEGIN_(key, alike)                                                                                   \
	{                                                                                                              \
		const ch_ulong_ key_ = (ch_ulong_)(size_t)(key);                                                       \
		const ch_lanes_ all_ = CH_TOGETHER_();                                                                 \
		ch_lanes_ left_;                                                                                       \
		ch_uint_ waits_ = 1;                                                                                   \
		while ((left_ = CH_BALLOT_(all_, waits_)) != 0) {                                                      \
			const ch_uint_ own_ = ch_is_of_(all_, key_, CH_LOWEST_(left_)) & waits_; /* all lanes call it */ \
			const ch_lanes_ alike = CH_BALLOT_(all_, own_);                                                \
			if (own_) {
#define CH_BY_KEY_END_                                                                                                 \
				waits_ = 0;                                                                            \
			}                                                                                              \
		}                                                                                                      \
	}
CH_FUNCTION_ ch_uint_ ch_is_of_(ch_lanes_ lanes, ch_ulong_ key, ch_uint_ lane)
{
	ch_uint_ low = CH_MOVE_(lanes, (ch_uint_)key, lane), high = CH_MOVE_(lanes, (ch_uint_)(key >> 32), lane);
	return low == (ch_uint_)key && high == (ch_uint_)(key >> 32);
}
#define CH_LEADS_(lanes) (((lanes)&CH_LOWER_()) == 0)

/* How much the lanes before this one ask for; *total: all of them. */
CH_FUNCTION_ ch_uint_ ch_before_(ch_lanes_ lanes, ch_uint_ count, ch_uint_ *total)
{
	ch_uint_ before = 0;

	*total = 0;
	for (ch_uint_ bit = 0; CH_BALLOT_(lanes, count >> bit) != 0; bit++) {
		ch_lanes_ ones = CH_BALLOT_(lanes, count >> bit & 1);
		before += CH_COUNT_(ones & CH_LOWER_()) << bit;
		*total += CH_COUNT_(ones) << bit;
	}
	return before;
}

/* ---- Producers ---- */

/* Frees what is done at the head of the data array.  How many elements that were, or may have been freed by another thread meanwhile. */
CH_FUNCTION_ ch_uint_ ch_reclaim(const ch_channel *c)
{
	ch_uint_ head = ch_load_relaxed_(CH_HEAD_(c)), end = head, seen;

	/* A count never goes back to 0: in every other turn round the array it is `done` that says that all are done, else 0, modulo twice that.
	 * The acquire is for the threads that acquire the head. */
	while (end - head < c->width &&
		(ch_load_acquire_(ch_done_(c, end)) & (2 * c->done - 1)) == ((end & c->width) != 0 ? 0 : c->done))
		end += c->done;
	if (end == head)
		return ch_load_relaxed_(CH_HEAD_(c)) - head;
	seen = ch_swap_acq_rel_(CH_HEAD_(c), head, end);
	return seen == head ? end - head : seen - head;
}

/* `lanes` reserve as long as there is room: some of the first get theirs, the others CH_NONE. */
CH_FUNCTION_ ch_uint_ ch_talloc_alike_(const ch_channel *c, ch_lanes_ lanes, ch_uint_ count)
{
	const ch_uint_ lead = CH_LOWEST_(lanes), leads = CH_LEADS_(lanes);
	ch_uint_ total, before = ch_before_(lanes, count, &total), tail = 0, room = 0, seen = 0;

	do {
		ch_lanes_ fit;
		ch_uint_ taken;
		if (leads) { /* the head after the tail: with an old tail the swap fails */
			tail = ch_load_relaxed_(CH_TAIL_(c));
			room = c->width - (tail - ch_load_acquire_(CH_HEAD_(c)));
		}
		tail = CH_MOVE_(lanes, tail, lead);
		room = CH_MOVE_(lanes, room, lead);
		fit = CH_BALLOT_(lanes, before + count <= room);
		if (fit == 0) {
			if (leads)
				seen = ch_reclaim(c);
			if (CH_MOVE_(lanes, seen, lead) == 0)
				return CH_NONE;
			seen = tail - 1; /* again */
			continue;
		}
		taken = CH_MOVE_(lanes, before + count, CH_HIGHEST_(fit));
		if (leads)
			seen = ch_swap_relaxed_(CH_TAIL_(c), tail, tail + taken);
		seen = CH_MOVE_(lanes, seen, lead);
	} while (seen != tail);
	CH_MEET_(lanes); /* behind the leader's acquire */
	return before + count <= room ? (tail + before) & (c->width - 1) : CH_NONE;
}

/* Reserves `count` elements that are neighbours, for this thread: at least 1, at most the channel's `most`, else the thread traps.
 * The first of them, or CH_NONE when there is no room. */
CH_FUNCTION_ ch_uint_ ch_talloc(const ch_channel *c, ch_uint_ count)
{
	ch_uint_ first = CH_NONE;

	if (count == 0 || count > c->most)
		CH_FAULT_("ch_talloc of no element, or of more than the channel's most");
	CH_BY_KEY_BEGIN_(c->memory, alike)
		first = ch_talloc_alike_(c, alike, count);
	CH_BY_KEY_END_
	return first;
}

/* A slot of the control array holds an element and a bit that changes with each turn round the array, so that what is left of the turn before
 * is no element.  Twice the width is just enough: while a slot's element is not free, fewer than 2 * width others can be enqueued behind it. */
#define CH_FILLED_ 0x80000000u
CH_FUNCTION_ ch_uint_ ch_filled_(const ch_channel *c, ch_uint_ position) { return (position & 2 * c->width) != 0 ? 0 : CH_FILLED_; }

CH_FUNCTION_ ch_ulong_ ch_tails_(ch_uint_ reserved, ch_uint_ tail) { return (ch_ulong_)reserved << 32 | tail; }

/* The first position from `tail` on whose slot is not filled, or `end`: `lanes` look side by side. */
CH_FUNCTION_ ch_uint_ ch_filled_to_(const ch_channel *c, ch_lanes_ lanes, ch_uint_ tail, ch_uint_ end)
{
	const ch_uint_ rank = CH_COUNT_(lanes & CH_LOWER_());

	while (tail != end) {
		const ch_uint_ at = tail + rank;
		ch_uint_ empty = rank >= end - tail;
		ch_lanes_ stop;
		if (!empty)
			empty = (ch_load_acquire_(ch_slot_(c, at)) & CH_FILLED_) != ch_filled_(c, at);
		stop = CH_BALLOT_(lanes, empty);
		if (stop != 0)
			return tail + CH_COUNT_(lanes & (((ch_lanes_)1 << CH_LOWEST_(stop)) - 1));
		tail += CH_COUNT_(lanes);
	}
	return tail;
}

/* Moves the tail of the control array on to the first slot that is not filled.  Both tails are one word, and each step is a read-modify-write
 * of it: so of two threads that fill neighbouring slots the later one, in the order of that word, sees both, and none is left behind.  Thousands of
 * slots may be filled behind one that a lone lane fills late: it hands on what it has passed after as many looks as a warp has lanes, and others can help. */
#define CH_LOOKS_ 64u
CH_FUNCTION_ void ch_publish_(const ch_channel *c, ch_lanes_ lanes, ch_uint_ start, ch_uint_ end)
{
	const ch_uint_ lead = CH_LOWEST_(lanes), leads = CH_LEADS_(lanes), most = CH_LOOKS_ * CH_COUNT_(lanes);
	ch_ulong_ old = ch_tails_(end, start), seen = 0;
	ch_uint_ tail, reserved, to;

	if (leads) /* mostly no other thread is at it */
		seen = ch_swap_long_(CH_TAILS_(c), old, ch_tails_(end, end));
	if (CH_MOVE_(lanes, seen == old, lead))
		return;
	do {
		if (leads)
			old = ch_touch_long_(CH_TAILS_(c));
		tail = CH_MOVE_(lanes, (ch_uint_)old, lead);
		reserved = CH_MOVE_(lanes, (ch_uint_)(old >> 32), lead);
		CH_MEET_(lanes);
		to = ch_filled_to_(c, lanes, tail, reserved - tail < most ? reserved : tail + most);
		if (to == tail)
			return; /* the thread that fills that slot will move the tail on */
		CH_MEET_(lanes); /* what others have acquired, the leader releases */
		if (leads)
			seen = ch_swap_long_(CH_TAILS_(c), old, ch_tails_(reserved, to));
	} while (!CH_MOVE_(lanes, seen == old, lead) || to != reserved);
}

CH_FUNCTION_ void ch_enq_alike_(const ch_channel *c, ch_lanes_ lanes, ch_uint_ first, ch_uint_ count)
{
	const ch_uint_ lead = CH_LOWEST_(lanes), leads = CH_LEADS_(lanes);
	ch_uint_ total, start, before = ch_before_(lanes, count, &total);
	ch_ulong_ old = 0, seen;

	if (leads) {
		old = ch_load_long_(CH_TAILS_(c));
		while ((seen = ch_swap_long_relaxed_(CH_TAILS_(c), old, old + ((ch_ulong_)total << 32))) != old)
			old = seen;
	}
	start = CH_MOVE_(lanes, (ch_uint_)(old >> 32), lead);
	for (ch_uint_ k = 0; k < count; k++) {
		const ch_uint_ at = start + before + k;
		ch_store_release_(ch_slot_(c, at), (first + k) | ch_filled_(c, at));
	}
	CH_MEET_(lanes);
	ch_publish_(c, lanes, start, start + total);
}

/* Makes ready `count` elements from `first` on, which this thread has reserved by one ch_talloc and has written. */
CH_FUNCTION_ void ch_enq(const ch_channel *c, ch_uint_ first, ch_uint_ count)
{
	CH_BY_KEY_BEGIN_(c->memory, alike)
		ch_enq_alike_(c, alike, first, count);
	CH_BY_KEY_END_
}

/* ---- Consumers ---- */

/* How many elements are ready and not taken: by now others may have taken some, or enqueued more. */
CH_FUNCTION_ ch_uint_ ch_ready(const ch_channel *c)
{
	ch_uint_ head = ch_load_relaxed_(CH_CONTROL_HEAD_(c)); /* before the tail: else it may be beyond it */
	return (ch_uint_)ch_load_long_(CH_TAILS_(c)) - head;
}

/* For an aggregator: this thread takes at least `least`, 1 or more, and at most `most` elements that are ready, those from *offset on: how
 * many, or 0 when there are fewer.  What is given the offsets must come after this call: a kernel that is launched then, or a thread
 * that is told by a release and an acquire. */
CH_FUNCTION_ ch_uint_ ch_dispatch(const ch_channel *c, ch_uint_ least, ch_uint_ most, ch_uint_ *offset)
{
	ch_uint_ head = ch_load_relaxed_(CH_CONTROL_HEAD_(c)), seen, count;

	for (;;) {
		count = (ch_uint_)ch_load_long_(CH_TAILS_(c)) - head; /* with an old head the swap fails */
		count = count < least ? 0 : count < most ? count : most;
		*offset = head;
		if (count == 0)
			return 0;
		seen = ch_swap_relaxed_(CH_CONTROL_HEAD_(c), head, head + count);
		if (seen == head)
			return count;
		head = seen;
	}
}

/* Takes an element that is ready, for this thread: 1, and *offset; or 0 when there is none. */
CH_FUNCTION_ int ch_claim(const ch_channel *c, ch_uint_ *offset)
{
	ch_uint_ claimed = 0;

	CH_BY_KEY_BEGIN_(c->memory, alike)
		const ch_uint_ lead = CH_LOWEST_(alike), rank = CH_COUNT_(alike & CH_LOWER_());
		ch_uint_ first = 0, count = 0;
		if (CH_LEADS_(alike))
			count = ch_dispatch(c, 1, CH_COUNT_(alike), &first);
		count = CH_MOVE_(alike, count, lead);
		*offset = CH_MOVE_(alike, first, lead) + rank;
		claimed = rank < count;
		CH_MEET_(alike); /* behind the leader's acquire */
	CH_BY_KEY_END_
	return (int)claimed;
}

/* The element at an offset that this thread has claimed or been given. */
CH_FUNCTION_ ch_uint_ ch_deq(const ch_channel *c, ch_uint_ offset)
{
	return ch_load_relaxed_(ch_slot_(c, offset)) & ~CH_FILLED_;
}

/* This thread needs the element no more. */
CH_FUNCTION_ void ch_tfree(const ch_channel *c, ch_uint_ element)
{
	CH_BY_KEY_BEGIN_(ch_done_(c, element), alike)
		CH_MEET_(alike); /* the leader's release is for what all have read */
		if (CH_LEADS_(alike))
			ch_add_release_(ch_done_(c, element), CH_COUNT_(alike));
	CH_BY_KEY_END_
}

#endif
