/* Back-off warp spinning with an adaptive delay limit: paper 2, III-A.2 and Figure 5.
 *
 *     for each execution window of T cycles:
 *             if (SIB > FRAC1 * Total)                          limit += step
 *             if (Total / SIB < FRAC2 * PrevTotal / PrevSIB)    limit -= 2 * step
 *             limit within [minimum, maximum]
 *
 * Total: instructions that the core has issued in the window; SIB: spin-inducing branches among them; Prev: the window
 * before. The paper does not say what the second rule means where a window has no such branch: here there is no ratio
 * then, and the rule does not apply.  Nor does it give the limit of the first window: here the minimum.  Windows are
 * counted from cycle 0. */
#include "policy/backoff/queue.h"

struct window {
	uint64_t total, spins; /* instructions, spin-inducing branches */
};

struct adaptive {
	struct backoff_queue queue;
	struct backoff_fields fields;
	int64_t delay;
	uint64_t window_end;
	struct window now, before;
};

static void start(void *state, const struct backoff_fields *fields)
{
	struct adaptive *a = state;
	a->fields = *fields;
	a->queue.behind = fields->queue;
	a->delay = fields->minimum;
	a->window_end = fields->window;
}

/* Frac1 and frac2 are in thousandths, and a ratio is compared by multiplying both sides with what it divides by. */
static void adapt(struct adaptive *a)
{
	const struct backoff_fields *f = &a->fields;
	const struct window *now = &a->now, *before = &a->before;
	if (1000 * now->spins > f->frac1 * now->total)
		a->delay += f->step;
	if (now->spins && before->spins && 1000 * now->total * before->spins < f->frac2 * before->total * now->spins)
		a->delay -= 2 * (int64_t)f->step;
	if (a->delay > f->maximum)
		a->delay = f->maximum;
	if (a->delay < f->minimum)
		a->delay = f->minimum;
}

/* Closes the windows that are over.  Of several at once all but the first are empty, and an empty window changes
 * nothing. */
static void close_windows(struct adaptive *a, uint64_t now)
{
	if (now < a->window_end)
		return;
	adapt(a);
	a->before = now < a->window_end + a->fields.window ? a->now : (struct window){0};
	a->now = (struct window){0};
	a->window_end = (now / a->fields.window + 1) * a->fields.window;
}

static uint64_t spin(void *state, int warp, bool again, uint64_t now)
{
	struct adaptive *a = state;
	a->now.spins++; /* issue has closed the windows */
	return again ? backoff_enter(&a->queue, warp) : now;
}

static bool issue(void *state, int warp, uint64_t now)
{
	struct adaptive *a = state;
	close_windows(a, now);
	a->now.total++;
	return backoff_leave(&a->queue, warp, now, (uint64_t)a->delay);
}

static uint64_t limit(const void *state)
{
	const struct adaptive *a = state;
	return (uint64_t)a->delay;
}

const struct backoff_policy backoff_bows_adaptive = {
	.name = "bows-adaptive",
	.summary = "as bows, with a delay that adapts to the share of spinning (paper 2, Figure 5)",
	.state_size = sizeof(struct adaptive),
	.start = start,
	.spin = spin,
	.choose = backoff_choose,
	.issue = issue,
	.retire = backoff_retire,
	.limit = limit,
};
