/* Random schedules for a launch that is run again: warps are delayed, paths of independent threads are held back or
 * split. */
#include "explore/again_parts.h"

#include "machine/core/path.h"
#include "machine/core/schedule.h"
#include "machine/observe/watch.h"
#include "util/text.h"

#define SHUFFLED 7 /* quanta, or rounds of turns, between two changes of the schedule */
#define LONGEST_TURN 256u

/* All its lanes run together: splits off some, which run independently from here on. */
static void split_path(struct again *again, struct core *core, struct warp_slot *r)
{
	struct path *path = r->warp.path;
	lane_mask some = splitmix64(&again->random) & path->active;

	if (!some || some == path->active)
		return;
	core_unschedule(core, r);
	core->machine->divergence->branch(r->warp.divergence, some, path->pc, path->pc, NO_RECONVERGENCE);
	control_refresh(r);
	r->buffered = 0;
	core_schedule(core, r);
}

/* Holds back the path that runs, as a barrier would, if other paths of the warp can run; or lets one that was held back
 * continue. */
static void hold_path(struct again *again, struct core *core, struct warp_slot *r, lane_mask *held)
{
	const struct divergence_model *model = core->machine->divergence;
	struct path *path = r->warp.path;
	uint64_t chance = splitmix64(&again->random) % 16; /* held back for longer than an iteration of a loop takes */

	if (!*held && path->active == r->warp.live && path->active & (path->active - 1) && !r->held && !r->parked &&
		!r->in_fence) {
		split_path(again, core, r);
		return;
	}
	if (*held && !chance) {
		core_unschedule(core, r);
		model->unblock(r->warp.divergence, *held & r->warp.live);
		*held = 0;
	} else if (!*held && chance < 4 && path->active && path->active != r->warp.live && path->pc && !r->held &&
		   !r->parked && !r->in_fence) {
		core_unschedule(core, r);
		*held = path->active;
		path->pc--; /* it will continue at the next instruction, as after a barrier */
		model->block(r->warp.divergence);
	} else {
		return;
	}
	control_refresh(r);
	r->buffered = 0;
	core_schedule(core, r);
}

/* Whether a path of the core is still held back. */
static bool shuffle_core(struct again *again, struct core *core)
{
	bool holds = false;

	for (uint32_t slot = 0; core->machine && slot < core->warps.count; slot++) {
		struct warp_slot *r = &core->slots[slot];
		uint64_t cycles = splitmix64(&again->random) % AGAIN_DELAY;

		if (core->warps.unused >> slot & 1 || !r->used || r->finished) {
			again->held[core->index * CORE_WARPS + slot] = 0;
			continue;
		}
		hold_path(again, core, r, &again->held[core->index * CORE_WARPS + slot]);
		holds |= again->held[core->index * CORE_WARPS + slot] != 0;
		if (!core->machine->mode->takes_turns)
			core_delay(core, r, cycles);
	}
	return holds;
}

static void shuffle(void *context)
{
	struct again *again = context;
	const struct machine *machine = again->gpu.machine;

	for (uint32_t c = 0; c < machine->cores.count; c++)
		watch_break(&machine->cores.at[c], PREMISE_COURSE); /* the schedule is random: nothing is proved */
	if (machine->rounds % SHUFFLED)
		return;
	again->model.yield_interval = 1 + (uint32_t)(splitmix64(&again->random) % LONGEST_TURN);
	again->model.functional_turn = 1 + (uint32_t)(splitmix64(&again->random) % LONGEST_TURN);
	again->gpu.experiment.between_holds = false;
	for (uint32_t c = 0; c < machine->cores.count; c++)
		again->gpu.experiment.between_holds |= shuffle_core(again, &machine->cores.at[c]);
}

void again_shuffle(struct again *again, uint64_t seed)
{
	again->random = seed;
	again->held = arena_new_array(&again->arena, lane_mask, (size_t)again->model.core_count * CORE_WARPS);
	again->gpu.experiment.between = shuffle;
	again->gpu.experiment.between_context = again;
}
