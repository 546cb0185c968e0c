/* Fences and barriers between a store and a flag, or between the flag and a load: of a work-group that sends a message,
 * and one that receives it.  By PTX ISA, chapter 8. */
#include "strong.h"

#define fence_sc() asm volatile("fence.sc.gpu;" ::: "memory")
#define fence_acq_rel() asm volatile("fence.acq_rel.gpu;" ::: "memory")
#define no_fence() asm volatile("" ::: "memory")

/* Each thread stores a word, `all` and a barrier follow; one thread executes `one` and raises the flag by `raise`.  One
 * thread of the other group waits for that with `look` and executes `first`; a barrier and `then` of all follow. */
#define MESSAGE(name, all, one, raise, look, first, then)                                                              \
	extern "C" __global__ void name(unsigned *box, unsigned *flag, unsigned *out)                                  \
	{                                                                                                              \
		if (blockIdx.x == 0) {                                                                                 \
			box[threadIdx.x] = threadIdx.x;                                                                \
			all();                                                                                         \
			__syncthreads();                                                                               \
			if (threadIdx.x == 0) {                                                                        \
				one();                                                                                 \
				raise(flag, 1);                                                                        \
			}                                                                                              \
			return;                                                                                        \
		}                                                                                                      \
		if (threadIdx.x == 0) {                                                                                \
			while (!look(flag))                                                                            \
				;                                                                                      \
			first();                                                                                       \
		}                                                                                                      \
		__syncthreads();                                                                                       \
		then();                                                                                                \
		out[threadIdx.x] = box[threadIdx.x ^ 32];                                                              \
	}
