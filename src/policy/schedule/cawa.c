/* Criticality-aware: the warp that is expected to finish last issues, and stays until it stalls.  As paper 2, section
 * II, has it of Lee, Arunkumar and Wu's CAWA (ISCA 2015), without their cache policy:
 *     criticality = remaining instructions * CPI + stall
 * Remaining: at first the function's length; one less with each instruction; a branch back adds what will be executed
 * again, a branch that no lane falls through subtracts what it jumps over.  So a warp that spins never gets closer to
 * its end, and is preferred.  CPI: the warp's cycles since its start by its instructions.  Stall: its cycles in which
 * it did not issue. */
#include "policy/schedule/schedule.h"

struct progress {
	uint64_t started;
	uint64_t issued;
	uint64_t remaining;
};

struct cawa {
	int warp; /* last issued, plus one; zero before the first pick */
	struct progress warps[64];
};

static void begin(void *state, int warp, uint32_t instructions, uint64_t now)
{
	struct cawa *c = state;
	c->warps[warp] = (struct progress){.started = now, .remaining = instructions};
}

static void branch(void *state, int warp, const struct branch_outcome *outcome)
{
	struct cawa *c = state;
	struct progress *p = &c->warps[warp];
	uint32_t next = outcome->pc + 1, skipped = outcome->target > next ? outcome->target - next : 0;
	if (outcome->taken && outcome->target < next)
		p->remaining += next - outcome->target;
	else if (outcome->taken && !outcome->passed)
		p->remaining -= skipped < p->remaining ? skipped : p->remaining;
}

static uint64_t criticality(const struct progress *p, uint64_t now)
{
	uint64_t cycles = now - p->started, stall = cycles > p->issued ? cycles - p->issued : 0;
	return p->remaining * cycles / (p->issued ? p->issued : 1) + stall;
}

static int pick(void *state, const struct issue_view *view)
{
	struct cawa *c = state;
	if (!c->warp || !(view->ready >> (c->warp - 1) & 1)) {
		uint64_t greatest = 0;
		c->warp = 0;
		for (uint64_t left = view->ready; left; left &= left - 1) {
			int warp = __builtin_ctzll(left);
			uint64_t of = criticality(&c->warps[warp], view->now);
			if (!c->warp || of > greatest ||
				(of == greatest && view->arrived[warp] < view->arrived[c->warp - 1])) {
				c->warp = warp + 1;
				greatest = of;
			}
		}
	}
	struct progress *p = &c->warps[c->warp - 1];
	p->issued++;
	p->remaining -= p->remaining > 0;
	return c->warp - 1;
}

static void retire(void *state, int warp)
{
	struct cawa *c = state;
	if (c->warp == warp + 1)
		c->warp = 0;
}

const struct warp_scheduler schedule_cawa = {
	.name = "cawa",
	.summary = "the warp with the most work left: remaining instructions * CPI + stall (paper 2, section II)",
	.state_size = sizeof(struct cawa),
	.begin = begin,
	.branch = branch,
	.pick = pick,
	.retire = retire,
};
