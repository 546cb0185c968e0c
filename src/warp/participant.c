/* participant: a work-group says that it takes part.  It changes nothing that a kernel can see. */
#include "warp/choose.h"

static void exec_participant(struct warp *w, const struct insn *i, lane_mask active)
{
	const struct launch_values *launch = w->launch;
	uint32_t lane = active ? (uint32_t)__builtin_ctzll(active) : 0;
	uint32_t group = w->group[0] + launch->grid[0] * (w->group[1] + launch->grid[1] * w->group[2]);

	if (!active || !launch->participants)
		return;
	/* Warps of a group are on one core, which one thread simulates. */
	launch->participants[group] = (struct participant){.number = (uint32_t)slot_value(w, i->s[0], 4, lane),
		.count = (uint32_t)slot_value(w, i->s[1], 4, lane)};
}

CHOOSE_ALWAYS(participant)
