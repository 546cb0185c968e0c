/* Random: any ready warp, each as likely as another (to within 64 / 2^64).  For tests: a result that does not depend on
 * order must be the same under every seed. */
#include "policy/schedule/schedule.h"
#include "util/text.h"

struct draws {
	uint64_t random;
};

static void start(void *state, uint64_t seed, const uint32_t *fields)
{
	(void)fields;
	struct draws *d = state;
	d->random = seed;
}

static int pick(void *state, const struct issue_view *view)
{
	struct draws *d = state;
	uint64_t ready = view->ready;
	for (uint64_t skip = splitmix64(&d->random) % (uint64_t)__builtin_popcountll(ready); skip; skip--)
		ready &= ready - 1;
	return __builtin_ctzll(ready);
}

const struct warp_scheduler schedule_random = {
	.name = "random",
	.summary = "any ready warp, by a seeded draw",
	.state_size = sizeof(struct draws),
	.start = start,
	.pick = pick,
};
