/* The 64 bits of an mbarrier object, and of the state that mbarrier.arrive gives: opaque to kernels (PTX ISA,
 * "mbarrier"), so the layout is ours.
 *
 *     0..19   arrivals that the next phase expects
 *     20..39  arrivals that the current phase still waits for
 *     40..60  bytes that the current phase still waits for (tx-count), two's complement
 *     61      the current phase's parity
 *     62..63  2: an mbarrier object.  Memory that was never initialised, or was invalidated, is none. */
#ifndef LOCKSTEP_WARP_MBARRIER_H
#define LOCKSTEP_WARP_MBARRIER_H

#include <stdbool.h>
#include <stdint.h>

#define MBARRIER_COUNT_MAX ((1 << 20) - 1) /* of arrivals, and of transactions either way (ISA) */

struct mbarrier {
	uint32_t expected, pending;
	int32_t transactions;
	bool parity, valid;
};

static inline struct mbarrier mbarrier_unpack(uint64_t bits)
{
	return (struct mbarrier){.expected = bits & MBARRIER_COUNT_MAX,
		.pending = bits >> 20 & MBARRIER_COUNT_MAX,
		.transactions = (int32_t)((int64_t)(bits << 3) >> 43),
		.parity = bits >> 61 & 1,
		.valid = bits >> 62 == 2};
}

static inline uint64_t mbarrier_pack(struct mbarrier b)
{
	return b.expected | (uint64_t)b.pending << 20 | ((uint64_t)(uint32_t)b.transactions & 0x1fffff) << 40 |
	       (uint64_t)b.parity << 61 | (uint64_t)2 << 62;
}

#endif
