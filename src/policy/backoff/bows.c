/* Back-off warp spinning with a fixed delay limit: paper 2, III-A.1.
 *
 * A warp that executes a spin-inducing branch goes to the end of a queue behind all other warps.  When it issues again
 * it is a warp like others, and its pending delay, loaded with the limit, begins to run down; at the next such branch
 * it waits for what is left of it.  So two turns of a spin loop begin at least `limit` cycles apart. */
#include "policy/backoff/queue.h"

struct bows {
	struct backoff_queue queue;
	uint64_t delay;
};

static void start(void *state, const struct backoff_fields *fields)
{
	struct bows *b = state;
	b->queue.behind = fields->queue;
	b->delay = fields->limit;
}

static uint64_t spin(void *state, int warp, bool again, uint64_t now)
{
	struct bows *b = state;
	return again ? backoff_enter(&b->queue, warp) : now;
}

static bool issue(void *state, int warp, uint64_t now)
{
	struct bows *b = state;
	return backoff_leave(&b->queue, warp, now, b->delay);
}

static uint64_t limit(const void *state)
{
	const struct bows *b = state;
	return b->delay;
}

const struct backoff_policy backoff_bows = {
	.name = "bows",
	.summary = "spinning warps issue last, iterations at least backoff.limit cycles apart",
	.state_size = sizeof(struct bows),
	.start = start,
	.spin = spin,
	.choose = backoff_choose,
	.issue = issue,
	.retire = backoff_retire,
	.limit = limit,
};
