/* What phases of mbarriers took and who waited for them, in a launch's result: a part of its profile. */
#include "machine/observe/mbarriers.h"
#include "api/api.h"

#include <inttypes.h>

static struct lockstep_mbarrier_wait wait_of(struct started *started, const struct mbarrier_wait *from)
{
	struct place place = kernel_place(started->kernel, from->pc);
	struct lockstep_mbarrier_wait wait = {.file = arena_text(&started->arena, place.file),
		.line = place.line,
		.text = kernel_text(&started->arena, started->kernel, from->pc),
		.passed = from->passed,
		.waits = from->waits,
		.failed = from->failed,
		.waited = from->waited,
		.suspended = from->suspended,
		.worst = from->worst};

	api_unflatten(from->worst_group, started->result.grid, wait.worst_thread.group);
	api_unflatten(from->worst_thread, started->result.block, wait.worst_thread.thread);
	return wait;
}

static const char *address_of(
	const struct lockstep *lockstep, struct started *started, const struct mbarrier_site *site)
{
	const char *lowest = api_object(&started->arena, lockstep, started->kernel, space_SHARED, site->lowest);

	if (site->lowest == site->highest)
		return lowest;
	return arena_printf(&started->arena, "%s to 0x%" PRIx64, lowest, site->highest);
}

static struct lockstep_mbarrier mbarrier_of(
	const struct lockstep *lockstep, struct started *started, const struct mbarrier_site *from)
{
	struct place place = kernel_place(started->kernel, from->pc);
	struct lockstep_mbarrier_wait *waits =
		arena_new_array(&started->arena, struct lockstep_mbarrier_wait, from->waits.count);

	for (uint32_t k = 0; k < from->waits.count; k++)
		waits[k] = wait_of(started, &from->waits.at[k]);
	return (struct lockstep_mbarrier){.file = arena_text(&started->arena, place.file),
		.line = place.line,
		.text = kernel_text(&started->arena, started->kernel, from->pc),
		.address = address_of(lockstep, started, from),
		.objects = from->objects,
		.phases = from->phases,
		.arrivals = from->arrivals,
		.bytes = from->bytes,
		.idle = from->idle,
		.filling = from->filling,
		.ready = from->ready,
		.seen = from->seen,
		.unseen = from->unseen,
		.waits = waits,
		.wait_count = from->waits.count};
}

void api_add_mbarriers(const struct lockstep *lockstep, struct started *started, const struct mbarriers *mbarriers)
{
	struct lockstep_mbarrier *list =
		arena_new_array(&started->arena, struct lockstep_mbarrier, mbarriers->sites.count);

	for (uint32_t k = 0; k < mbarriers->sites.count; k++)
		list[k] = mbarrier_of(lockstep, started, &mbarriers->sites.at[k]);
	started->result.mbarriers = list;
	started->result.mbarrier_count = mbarriers->sites.count;
}
