/* The debugger of a GPU that has one (lockstep_options.debug). */
#include "debug/debugger.h"

#include "api/api.h"

static void open_debugger(struct lockstep *lockstep, struct diagnostic *diagnostic)
{
	const struct lockstep_options *o = &lockstep->gpu.options;

	if (!o->debug)
		return;
	if (o->trace)
		diagnose(diagnostic, (struct place){0},
			"a debugger goes back, and a timeline (trace) is written once: expected one of them");
	else
		lockstep->debugger = debugger_create(&lockstep->gpu, o->debug);
}

static void close_debugger(struct lockstep *lockstep)
{
	debugger_destroy(lockstep->debugger);
}

const char *lockstep_debug_command(size_t k)
{
	return debugger_command(k);
}

const struct result_part result_part_debug = {.open = open_debugger, .close = close_debugger};
