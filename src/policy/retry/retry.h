/* Retry policies: when a refused request of a lock instruction is tried again (paper 1, 9.2.1; Anderson, The
 * Performance of Spin Lock Alternatives for Shared-Memory Multiprocessors, 1990). */
#ifndef LOCKSTEP_POLICY_RETRY_H
#define LOCKSTEP_POLICY_RETRY_H

#include <stdint.h>

struct retry_values {
	uint32_t unit;  /* retry.unit: cycles */
	uint32_t limit; /* retry.limit: cycles */
};

struct retry_policy {
	const char *name, *summary;
	/* Cycles that a warp waits of which no lane got its lock, when it has been refused `attempts` times (1 and up)
	 * since one did. */
	uint64_t (*delay)(const struct retry_values *values, uint32_t attempts);
};

extern const struct retry_policy retry_none; /* at once */

/* A delay that is at most the limit. */
static inline uint64_t retry_limited(const struct retry_values *values, uint64_t delay)
{
	return delay < values->limit ? delay : values->limit;
}

#endif
