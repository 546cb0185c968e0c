/* Loose round robin: the next ready warp behind the one that issued last; warps that are not ready are passed over.
 * All warps advance evenly, so they also come to their long-latency loads, and spin, together. */
#include "policy/schedule/schedule.h"

struct round {
	uint32_t next; /* slot behind the last that issued */
};

static int pick(void *state, const struct issue_view *view)
{
	struct round *r = state;
	uint64_t behind = view->ready >> r->next << r->next;
	int warp = __builtin_ctzll(behind ? behind : view->ready);
	r->next = ((uint32_t)warp + 1) % 64;
	return warp;
}

const struct warp_scheduler schedule_lrr = {
	.name = "lrr",
	.summary = "loose round robin: the next ready warp in turn",
	.state_size = sizeof(struct round),
	.pick = pick,
};
