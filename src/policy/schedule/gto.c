/* Greedy then oldest with a rotating age order: paper 2, IV-C, which found that the strict form livelocks.
 *
 * Time is cut into periods of view->rotation cycles, counted from cycle 0.  In period e, with n resident warps, the age order
 * begins with the (e mod n)-th oldest (from 0) and goes on to younger ones; those older than it come last, among themselves
 * oldest first.  So each resident warp leads once in n periods.  Where a period begins is fixed when its first pick is made,
 * as a dispatch number: warps that come or finish within the period do not change who leads.  The greedy hold ends with the
 * period, too: a warp that never stalls must not escape the rotation. */
#include "policy/schedule/schedule.h"

struct greedy {
	int warp;            /* last issued, plus one; zero before the first pick */
	uint64_t period_end; /* cycle at which the next period begins */
	uint64_t first;      /* dispatch number that leads in this period */
};

/* Dispatch number of the `rank`-th oldest of `set`, from 0. */
static uint64_t arrival_of_rank(uint64_t set, const uint64_t *arrived, uint64_t rank)
{
	for (; rank; rank--)
		set &= ~(1ull << schedule_oldest(set, arrived));
	return arrived[schedule_oldest(set, arrived)];
}

static void begin_period(struct greedy *g, const struct issue_view *view)
{
	uint64_t resident = view->resident | view->ready;
	uint64_t period = view->now / view->rotation;
	g->first = arrival_of_rank(resident, view->arrived, period % (uint64_t)__builtin_popcountll(resident));
	g->period_end = (period + 1) * view->rotation;
	g->warp = 0;
}

static int lead(uint64_t ready, const uint64_t *arrived, uint64_t first)
{
	uint64_t young = 0;
	for (uint64_t left = ready; left; left &= left - 1) {
		int warp = __builtin_ctzll(left);
		young |= (uint64_t)(arrived[warp] >= first) << warp;
	}
	return schedule_oldest(young ? young : ready, arrived);
}

static int pick(void *state, const struct issue_view *view)
{
	struct greedy *g = state;
	if (view->rotation && view->now >= g->period_end)
		begin_period(g, view);
	if (!g->warp || !(view->ready >> (g->warp - 1) & 1))
		g->warp = lead(view->ready, view->arrived, g->first) + 1;
	return g->warp - 1;
}

static void retire(void *state, int warp)
{
	struct greedy *g = state;
	if (g->warp == warp + 1)
		g->warp = 0; /* the slot's next warp is the youngest: it inherits nothing */
}

const struct warp_scheduler schedule_gto = {
	.name = "gto",
	.summary = "greedy then oldest, the age order rotated every policy.gto_rotation cycles",
	.state_size = sizeof(struct greedy),
	.pick = pick,
	.retire = retire,
};
