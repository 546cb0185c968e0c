/* Greedy then oldest with a rotating age order: paper 2, IV-C, which found that the strict form livelocks.
 *
 * One warp leads: the age order begins with it and goes on to younger ones, those older than it come last, among
 * themselves oldest first.  It leads until it has finished, or for a whole period of view->rotation cycles if that
 * takes longer; then the lead passes to the next younger resident warp, behind the youngest to the oldest.  So each
 * resident warp leads in turn, a kernel begins with its oldest warp, and the order of ages stays as long as the old get
 * on.  With view->rotates_plainly the lead passes at each multiple of the period, however short it was: the paper says
 * neither.  The greedy hold ends with the time of a lead, too: a warp that never stalls must not escape the rotation.
 * Periods count from cycle 0, for all schedulers: where warps of several spin at one load-store unit, a single
 * scheduler that lets go changes nothing (HT on hd-5500). */
#include "policy/schedule/schedule.h"

struct greedy {
	uint64_t last;      /* a bit: the warp that issued last; zero before the first pick */
	int leader;         /* plus one; zero: it has finished, or there was none yet */
	uint64_t lead_end;  /* cycle at which another leads; zero: at once */
	uint64_t next_lead; /* that one is the oldest of those dispatched with this number or later */
	uint64_t first;     /* dispatch number of the leader */
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

static void pass_lead(struct greedy *g, const struct issue_view *view)
{
	uint64_t resident = view->resident | view->ready;
	uint64_t young = young_of(resident, view->arrived, g->next_lead);
	int leader = schedule_oldest(young ? young : resident, view->arrived);
	if (g->leader)
		g->last = 0;
	g->leader = leader + 1;
	g->first = view->arrived[leader];
	g->next_lead = g->first + 1;
	g->lead_end = view->rotates_plainly ? (view->now / view->rotation + 1) * view->rotation
					    : ((view->now + view->rotation - 1) / view->rotation + 1) * view->rotation;
}

/* The oldest of those dispatched at `first` or later, or if none was, of all: counted from `first`, modulo 2^64, those
 * before it come last. */
static int lead(uint64_t ready, const uint64_t *arrived, uint64_t first)
{
	int leads = __builtin_ctzll(ready);
	uint64_t least = arrived[leads] - first;
	for (ready &= ready - 1; ready; ready &= ready - 1) {
		int warp = __builtin_ctzll(ready);
		uint64_t age = arrived[warp] - first;
		leads = age < least ? warp : leads;
		least = age < least ? age : least;
	}
	return leads;
}

static int pick_in_turn(struct greedy *g, const struct issue_view *view)
{
	if (!(view->ready & g->last))
		g->last = 1ull << lead(view->ready, view->arrived, g->first);
	return __builtin_ctzll(g->last);
}

/* Apart, and last: so the other picks need no stack. */
static __attribute__((noinline)) int pick_under_another(struct greedy *g, const struct issue_view *view)
{
	pass_lead(g, view);
	return pick_in_turn(g, view);
}

static int pick(void *state, const struct issue_view *view)
{
	struct greedy *g = state;
	if (view->now >= g->lead_end && view->rotation)
		return pick_under_another(g, view);
	return pick_in_turn(g, view);
}

static void retire(void *state, int warp)
{
	struct greedy *g = state;
	if (g->last == 1ull << warp)
		g->last = 0; /* the slot's next warp is the youngest: it inherits nothing */
	if (g->leader == warp + 1) {
		g->leader = 0;
		g->lead_end = 0;
	}
}

const struct warp_scheduler schedule_gto = {
	.name = "gto",
	.summary = "greedy then oldest; no warp leads the age order for longer than policy.gto_rotation cycles",
	.state_size = sizeof(struct greedy),
	.pick = pick,
	.retire = retire,
};
