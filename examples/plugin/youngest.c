/* A warp scheduler as a plug-in: greedy then youngest.  docs/plugins.md explains it line by line. */
#include <lockstep/plugin.h>

struct greedy {
	int warp; /* last issued, plus one; zero: none holds on */
};

static int youngest(uint64_t set, const uint64_t *arrived)
{
	int best = __builtin_ctzll(set);
	for (set &= set - 1; set; set &= set - 1) {
		int warp = __builtin_ctzll(set);
		if (arrived[warp] > arrived[best])
			best = warp;
	}
	return best;
}

static int pick(void *state, const struct issue_view *view)
{
	struct greedy *g = state;
	if (!g->warp || !(view->ready >> (g->warp - 1) & 1))
		g->warp = youngest(view->ready, view->arrived) + 1;
	return g->warp - 1;
}

static void retire(void *state, int warp)
{
	struct greedy *g = state;
	if (g->warp == warp + 1)
		g->warp = 0;
}

static const struct warp_scheduler scheduler = {
	.name = "youngest",
	.summary = "greedy then youngest: the warp that began last, until it stalls",
	.state_size = sizeof(struct greedy),
	.pick = pick,
	.retire = retire,
};

const struct lockstep_plugin lockstep_plugin = {
	.version = LOCKSTEP_PLUGIN_VERSION,
	.warp_schedulers = (const struct warp_scheduler *const[]){&scheduler, NULL},
};
