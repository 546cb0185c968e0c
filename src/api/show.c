/* What is to be drawn while kernels run: the stack of a warp, the lock bits of a core, a work-group's mbarriers and
 * barriers. */
#include "machine/observe/show.h"
#include "api/api.h"

static void open_stack(struct lockstep *lockstep, struct diagnostic *diagnostic)
{
	const struct lockstep_warp *show = lockstep->gpu.options.show;

	(void)diagnostic;
	if (!show)
		return;
	struct show_target *target = arena_new(&lockstep->arena, struct show_target);
	*target = (struct show_target){.group = show->group, .warp = show->warp};
	lockstep->gpu.observe[OBSERVER_show] = target;
}

static void open_bits(struct lockstep *lockstep, struct diagnostic *diagnostic)
{
	struct gpu *gpu = &lockstep->gpu;
	const uint32_t *core = gpu->options.show_lock_bits;

	if (!core)
		return;
	if (*core >= gpu->model->core_count)
		diagnose(diagnostic, (struct place){0}, "lock bits of core %u are to be shown: expected one below %u",
			*core, gpu->model->core_count);
	struct show_bits_target *target = arena_new(&lockstep->arena, struct show_bits_target);
	target->core = *core;
	gpu->observe[OBSERVER_show_bits] = target;
}

/* `of`: the work-group that is given; null: none. */
static void show_group(struct lockstep *lockstep, enum observer_id observer, const uint32_t *of)
{
	uint32_t *group = of ? arena_new(&lockstep->arena, uint32_t) : NULL;

	if (!group)
		return;
	*group = *of;
	lockstep->gpu.observe[observer] = group;
}

static void open_mbarriers(struct lockstep *lockstep, struct diagnostic *diagnostic)
{
	(void)diagnostic;
	show_group(lockstep, OBSERVER_show_mbarriers, lockstep->gpu.options.show_mbarriers);
}

static void open_barriers(struct lockstep *lockstep, struct diagnostic *diagnostic)
{
	(void)diagnostic;
	show_group(lockstep, OBSERVER_show_barriers, lockstep->gpu.options.show_barriers);
}

const struct result_part result_part_show_barriers = {.open = open_barriers};
const struct result_part result_part_show_mbarriers = {.open = open_mbarriers};
const struct result_part result_part_show = {.open = open_stack};
const struct result_part result_part_show_bits = {.open = open_bits};
