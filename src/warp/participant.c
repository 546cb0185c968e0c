/* participant: a work-group says that it takes part.  It changes nothing that a kernel can see. */
#include "warp/choose.h"

static uint32_t value_of(const struct warp *w, slot_ref slot, uint32_t lane)
{
	return ((const uint32_t *)slot_at(w, slot))[lane];
}

static void exec_participant(struct warp *w, const struct insn *i, lane_mask active)
{
	const struct launch_values *launch = w->launch;
	uint32_t lane = active ? (uint32_t)__builtin_ctzll(active) : 0;
	uint32_t group = w->group[0] + launch->grid[0] * (w->group[1] + launch->grid[1] * w->group[2]);

	if (!active || !launch->participants)
		return;
	/* Warps of a group are on one core, which one thread simulates. */
	launch->participants[group] =
		(struct participant){.number = value_of(w, i->s[0], lane), .count = value_of(w, i->s[1], lane)};
}

exec_function *choose_participant(const struct insn *i, const struct insn_extra *extra)
{
	(void)i;
	(void)extra;
	return exec_participant;
}
