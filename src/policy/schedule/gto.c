/* Greedy then oldest with a rotating age order: paper 2, IV-C, which found that the strict form livelocks.
 *
 * Time is cut into periods of view->rotation cycles, counted from cycle 0.  In each the lead passes to the next younger resident
 * warp, behind the youngest to the oldest; the age order begins with the leader and goes on to younger ones, those older than it
 * come last, among themselves oldest first.  So each resident warp leads once in as many periods, and a kernel begins with its
 * oldest warp.  Who leads is kept as a dispatch number: warps that come or finish within a period change nothing.  The greedy hold
 * ends with the period, too: a warp that never stalls must not escape the rotation. */
#include "policy/schedule/schedule.h"

struct greedy {
	int warp;            /* last issued, plus one; zero before the first pick */
	uint64_t period_end; /* cycle at which the next period begins */
	uint64_t first;      /* dispatch number that leads in this period */
};

/* Of `set`, the warps dispatched at `first` or later. */
static uint64_t young_of(uint64_t set, const uint64_t *arrived, uint64_t first)
{
	uint64_t young = 0;
	for (uint64_t left = set; left; left &= left - 1) {
		int warp = __builtin_ctzll(left);
		young |= (uint64_t)(arrived[warp] >= first) << warp;
	}
	return young;
}

static void begin_period(struct greedy *g, const struct issue_view *view)
{
	uint64_t resident = view->resident | view->ready;
	uint64_t young = g->period_end ? young_of(resident, view->arrived, g->first + 1) : 0;
	g->first = view->arrived[schedule_oldest(young ? young : resident, view->arrived)];
	g->period_end = view->now - view->now % view->rotation + view->rotation;
	g->warp = 0;
}

static int lead(uint64_t ready, const uint64_t *arrived, uint64_t first)
{
	uint64_t young = young_of(ready, arrived, first);
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
