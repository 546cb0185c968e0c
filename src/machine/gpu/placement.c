/* Launches that run together take free places in the order that a placement chooses: see placement.h. */
#include "machine/gpu/placement.h"

#include "machine/gpu/launch.h"

#include <assert.h>

/* Counted from the first; PLACEMENT_LAUNCHES: it is not among those that are chosen from. */
static uint32_t index_of(const struct placement *placement, const struct launch *launch)
{
	uint64_t index = launch->ordinal - placement->first;

	assert(launch->ordinal >= placement->first);
	return index < PLACEMENT_LAUNCHES ? (uint32_t)index : PLACEMENT_LAUNCHES;
}

static struct launch *launch_of(const struct machine *machine, uint32_t index)
{
	struct launch *launch = machine->launches.active;

	while (index_of(machine->gpu->placement, launch) != index)
		launch = launch->course.next_active;
	return launch;
}

/* Launches that have a group left and a place for it, a bit each. */
static uint64_t launches_that_can(const struct machine *machine)
{
	uint64_t can = 0;

	assert(machine->mode->takes_turns);
	for (const struct launch *l = machine->launches.active; l; l = l->course.next_active) {
		uint32_t index = index_of(machine->gpu->placement, l);

		if (index < PLACEMENT_LAUNCHES && l->dispatch.next_group < l->total_groups && launch_has_room(l))
			can |= 1ull << index;
	}
	return can;
}

void placement_dispatch(struct machine *machine)
{
	struct placement *placement = machine->gpu->placement;
	uint64_t can, declined = 0; /* declined: its dispatcher places no group now, though there is room */
	bool again = false;

	while ((can = launches_that_can(machine) & ~declined)) {
		uint32_t index = placement->choose(placement, can, machine->launches.placed, again);
		struct core *core;
		uint64_t at = 0;

		assert(index < PLACEMENT_LAUNCHES);
		assert(can >> index & 1);
		if (launch_place(launch_of(machine, index), &at, &core)) {
			machine->launches.placed++;
			again = true;
		} else {
			declined |= 1ull << index;
		}
	}
	for (struct launch *l = machine->launches.active; l; l = l->course.next_active)
		if (index_of(placement, l) == PLACEMENT_LAUNCHES)
			launch_dispatch(l, 0);
}
