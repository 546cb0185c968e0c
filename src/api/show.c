/* What is to be drawn while kernels run: the stack of a warp, the lock bits of a core. */
#include "machine/observe/show.h"
#include "api/api.h"
#include "machine/observe/show_bits.h"

static void open_stack(struct lockstep *lockstep, const struct lockstep_options *options, struct diagnostic *diagnostic)
{
	struct show_target *target;

	(void)diagnostic;
	if (!options->show)
		return;
	target = arena_new(&lockstep->arena, struct show_target);
	*target = (struct show_target){.group = options->show->group, .warp = options->show->warp};
	lockstep->gpu.observe[OBSERVER_show] = target;
}

static void open_bits(struct lockstep *lockstep, const struct lockstep_options *options, struct diagnostic *diagnostic)
{
	struct gpu *gpu = &lockstep->gpu;
	struct show_bits_target *target;

	if (!options->show_lock_bits)
		return;
	if (*options->show_lock_bits >= gpu->model->core_count)
		diagnose(diagnostic, (struct place){0}, "lock bits of core %u are to be shown: expected one below %u",
			*options->show_lock_bits, gpu->model->core_count);
	target = arena_new(&lockstep->arena, struct show_bits_target);
	target->core = *options->show_lock_bits;
	gpu->observe[OBSERVER_show_bits] = target;
}

const struct result_part result_part_show = {.open = open_stack};
const struct result_part result_part_show_bits = {.open = open_bits};
