/* What to change about a hang, by cause; and where a kernel that needs more work-groups than are resident would fit. */
#include "check/remedy.h"

#include "machine/launch.h"
#include "model/model.h"
#include "util/text.h"

#include <string.h>

#define IN_ONE_TURN "Release the lock (or send the signal) in the same turn of the loop in which it is taken, `while (!done) if (try()) { ...; release(); done = true; }`"
#define ON_BOTH_SIDES "Lock on both sides of the branch or on none, so that no branch outside of the critical section rejoins inside of it"

static const struct {
	const char *cause, *remedy;
	const char *instead; /* where part of it is so already; null: no other */
} remedies[] = {
	{ "simt", IN_ONE_TURN ", or run with independent threads (--divergence independent; Volta and later)", IN_ONE_TURN },
	{ "simt-cross", "Let no lane hold a lock over a loop in which other lanes of its warp wait: take all locks or none in one turn of the loop and release them in "
			"the same turn", NULL },
	{ "lock-order", "Take the locks in one order everywhere, by address for instance, or give back what is held when the next one cannot be had", NULL },
	{ "lost-release", "Release the lock on every way out of the critical section", NULL },
	{ "occupancy", "Launch no more work-groups than are resident at once (ask for occupancy, or let each do the work of several), or let none wait for one of a higher number",
	  NULL },
	{ "passed-rejoin", ON_BOTH_SIDES ", or run with independent threads (--divergence independent)", ON_BOTH_SIDES },
	{ "barrier", "Let every thread of the work-group come to the same barrier, outside of branches that depend on the thread", NULL },
	{ "stale-cache", "Read what others write with volatile, an atomic, or ld.relaxed or ld.acquire",
	  "Put a fence or an ld.acquire before the load, within the loop, so that the L1 gives up its old lines" },
	{ "progress", "Wait only for work-groups that get turns under the progress model: take numbers from an atomic counter instead of the group's index, so that who "
		      "is waited for has started, or count on a stronger model", NULL },
	{ "livelock", "Let a wait change nothing that another thread's wait undoes: test before the exchange, take locks in one order and keep what is held", NULL },
	{ "endless-loop", "Let the loop end, or look at what another thread changes", NULL },
	{ "missing-signal", "Check who should write it, that the write comes before that thread's own waiting, and its address", NULL },
};

const char *remedy_of(const char *cause)
{
	return remedy_for(cause, false);
}

const char *remedy_for(const char *cause, bool followed)
{
	for (size_t k = 0; k < sizeof remedies / sizeof *remedies; k++)
		if (!strcmp(remedies[k].cause, cause))
			return followed && remedies[k].instead ? remedies[k].instead : remedies[k].remedy;
	return "";
}

static struct occupancy occupancy_on(const struct gpu_model *model, const struct launch *launch)
{
	return kernel_occupancy(
		model, launch->kernel, launch->group_threads, launch->shared_bytes - launch->kernel->shared_first);
}

const char *remedy_limiter(const struct launch *launch)
{
	static const char *const names[] = { [LIMIT_THREADS] = "threads", [LIMIT_GROUPS] = "groups", [LIMIT_REGISTERS] = "registers",
					     [LIMIT_SHARED] = "shared memory" };

	return names[occupancy_on(launch->machine->model, launch).limiter];
}

const char *remedy_models(struct arena *arena, const struct launch *launch)
{
	struct arena scratch = { 0 };
	struct text text = { .arena = arena };
	size_t count;
	const char *const *names = model_names(&count);

	for (size_t k = 0; k < count; k++) {
		struct report report = { 0 };
		const struct gpu_model *model = model_load(&scratch, names[k], NULL, &report);

		if (model && strcmp(names[k], launch->machine->model->name) && launch->group_threads <= model->group_threads &&
		    occupancy_on(model, launch).groups >= launch->total_groups)
			text_print(&text, "%s%s", text.length ? ", " : "", names[k]);
	}
	arena_free(&scratch);
	return text.length ? text.at : NULL;
}
