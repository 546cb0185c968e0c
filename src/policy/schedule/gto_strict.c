/* Strict greedy then oldest: stay with one warp until it stalls, then take the oldest that is ready.
 * Keeps one warp's data in the L1, at the price of fairness: old warps that spin can starve the young one that holds
 * the lock, for ever (paper 2, IV-C: HT and ATM livelock).  `gto` is the form without that. */
#include "policy/schedule/schedule.h"

struct greedy {
	int warp; /* last issued, plus one; zero before the first pick */
};

static int pick(void *state, const struct issue_view *view)
{
	struct greedy *g = state;
	if (!g->warp || !(view->ready >> (g->warp - 1) & 1))
		g->warp = schedule_oldest(view->ready, view->arrived) + 1;
	return g->warp - 1;
}

static void retire(void *state, int warp)
{
	struct greedy *g = state;
	if (g->warp == warp + 1)
		g->warp = 0; /* the slot's next warp is the youngest: it inherits nothing */
}

const struct warp_scheduler schedule_gto_strict = {
	.name = "gto-strict",
	.summary = "greedy then oldest: one warp until it stalls, then the oldest ready",
	.state_size = sizeof(struct greedy),
	.pick = pick,
	.retire = retire,
};
