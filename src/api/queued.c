/* What the host has enqueued after what is stuck. */
#include "api/api.h"

#define MOST_BYTES 65536 /* of a copy, that are kept */

/* The kernel of the launch; null: it cannot be launched. */
static const struct gpu_launch *describe(
	struct lockstep *lockstep, const struct lockstep_launch *launch, struct started **started)
{
	struct gpu_launch what;

	*started = api_describe_queued(lockstep, launch, &what);
	if (!*started)
		return NULL;
	what.owner = NULL;
	struct gpu_launch *copy = arena_new(&(*started)->arena, struct gpu_launch);
	*copy = what;
	return copy;
}

void api_forget_queued(struct lockstep *lockstep)
{
	for (uint32_t k = 0; k < lockstep->gpu.host.queued_count; k++)
		if (lockstep->queued_launches[k])
			api_free_started(lockstep->queued_launches[k]);
	arena_free(&lockstep->queued);
	lockstep->gpu.host.queued = NULL;
	lockstep->gpu.host.queued_count = 0;
}

void lockstep_queue(struct lockstep *lockstep, const struct lockstep_queued *queued, size_t count)
{
	struct arena *arena = &lockstep->queued;

	api_forget_queued(lockstep);
	if (!count)
		return;
	struct queued_work *work = arena_new_array(arena, struct queued_work, count);
	lockstep->queued_launches = arena_new_array(arena, struct started *, count);
	for (size_t k = 0; k < count; k++) {
		const struct lockstep_queued *q = &queued[k];

		work[k] = (struct queued_work){.what = arena_text(arena, q->what),
			.where = arena_text(arena, q->where),
			.is_kernel = q->launch,
			.address = q->address,
			.bytes = q->bytes};
		if (q->launch)
			work[k].launch = describe(lockstep, q->launch, &lockstep->queued_launches[k]);
		if (q->contents && q->bytes <= MOST_BYTES)
			work[k].contents = (const uint8_t *)arena_copy(arena, q->contents, q->bytes);
	}
	lockstep->gpu.host.queued = work;
	lockstep->gpu.host.queued_count = (uint32_t)count;
}
