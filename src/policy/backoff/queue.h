/* What the forms of BOWS (paper 2, III-A) have in common: which warps are backed off, in what order, and each warp's
 * pending delay.  The state of a form begins with its queue. */
#ifndef LOCKSTEP_POLICY_BACKOFF_QUEUE_H
#define LOCKSTEP_POLICY_BACKOFF_QUEUE_H

#include "policy/backoff/backoff.h"

struct backoff_queue {
	bool behind;         /* backed-off warps issue when no other can; else their delays are all that they have */
	uint64_t backed_off; /* warps */
	uint64_t entries;    /* so far */
	uint64_t entry[64];  /* of a backed-off warp: `entries` when it came; the least is the first of the queue */
	uint64_t until[64];  /* cycle at which its pending delay is zero */
};

/* The warp goes to the end of the queue; the cycle from which on it may issue. */
static inline uint64_t backoff_enter(struct backoff_queue *queue, int warp)
{
	queue->backed_off |= 1ull << warp;
	queue->entry[warp] = queue->entries++;
	return queue->until[warp];
}

/* Those that are not backed off, else the first of the queue among them; without a queue all. */
static inline uint64_t backoff_choose(void *state, uint64_t can)
{
	const struct backoff_queue *queue = state;
	if (!queue->behind)
		return can;
	if (can & ~queue->backed_off)
		return can & ~queue->backed_off;
	int first = __builtin_ctzll(can);
	for (uint64_t left = can & (can - 1); left; left &= left - 1) {
		int warp = __builtin_ctzll(left);
		if (queue->entry[warp] < queue->entry[first])
			first = warp;
	}
	return 1ull << first;
}

/* The warp issues; when it leaves the queue by that, its pending delay is `limit` from now on.  Whether it does. */
static inline bool backoff_leave(struct backoff_queue *queue, int warp, uint64_t now, uint64_t limit)
{
	if (!(queue->backed_off >> warp & 1))
		return false;
	queue->backed_off &= ~(1ull << warp);
	queue->until[warp] = now + limit;
	return true;
}

static inline void backoff_retire(void *state, int warp)
{
	struct backoff_queue *queue = state;
	queue->backed_off &= ~(1ull << warp);
	queue->until[warp] = 0;
}

#endif
