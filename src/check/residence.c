/* How many work-groups of a launch are resident on each GPU model: see residence.h. */
#include "check/residence.h"

#include "machine/state/machine.h"
#include "model/model.h"
#include "util/text.h"

#include <string.h>

static struct occupancy occupancy_on(const struct gpu_model *model, const struct launch *launch)
{
	return kernel_occupancy(model, launch->kernel, launch->group.threads,
		launch->group.shared_bytes - launch->kernel->shared.first);
}

const char *residence_limiter(const struct launch *launch)
{
	static const char *const names[] = {[LIMIT_THREADS] = "threads",
		[LIMIT_GROUPS] = "groups",
		[LIMIT_REGISTERS] = "registers",
		[LIMIT_SHARED] = "shared memory"};

	return names[occupancy_on(launch->machine->model, launch).limiter];
}

const char *residence_models(struct arena *arena, const struct launch *launch)
{
	struct arena scratch = {0};
	struct text text = {.arena = arena};
	size_t count;
	const char *const *names = model_names(&count);

	for (size_t k = 0; k < count; k++) {
		struct diagnostic diagnostic = {0};
		const struct gpu_model *model = model_load(&scratch, names[k], NULL, &diagnostic);

		if (model && !model->simulator && strcmp(names[k], launch->machine->model->name) &&
			launch->group.threads <= model->group_threads &&
			launch_cluster_size(&launch->values) <= model->cluster_groups &&
			occupancy_on(model, launch).groups >= launch->total_groups)
			text_print(&text, "%s%s", text.length ? ", " : "", names[k]);
	}
	arena_free(&scratch);
	return text.length ? text.at : NULL;
}
