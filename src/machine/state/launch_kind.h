/* What kinds of launches there are (gpu/grid.c, gpu/firmware.c): how each joins the machine, gets work-groups onto
 * cores, and ends. */
#ifndef LOCKSTEP_MACHINE_STATE_LAUNCH_KIND_H
#define LOCKSTEP_MACHINE_STATE_LAUNCH_KIND_H

#include <stdbool.h>
#include <stdint.h>

struct gpu;
struct gpu_launch;
struct gpu_result;
struct launch;
struct machine;

/* No core runs while these are called.  `dispatch`, `leave_cores` and `watch` are always there.  Each other one may
 * be null: then there is nothing to do, or false is meant. */
struct launch_kind {
	bool is_alone; /* it has the machine for itself */
	/* It has been made as `what` says; it has joined the machine; all that it was to do is done; it has ended, in
	 * any way, and is counted. */
	void (*create)(struct gpu *gpu, struct launch *launch, const struct gpu_launch *what);
	void (*join)(struct machine *machine, struct launch *launch);
	void (*complete)(const struct launch *launch);
	void (*finish)(struct launch *launch);
	/* Work-groups go to cores.  True when any was placed. */
	bool (*dispatch)(struct launch *launch);
	/* Takes the launch off the active ones when it has no more use for the cores, and notes when it is done. */
	void (*leave_cores)(struct launch *launch);
	/* What this kind counts beside cores and partitions. */
	void (*count)(struct gpu_result *result, const struct launch *launch);

	/* Nothing will happen by itself, but in cycle *next the launch looks at memory again. */
	bool (*looks_again)(struct machine *machine, uint64_t *next);
	/* Whether the launches hang: false, they go on; true, *over is the first, all have ended, or it is null and
	 * the GPU stuck. */
	bool (*watch)(struct machine *machine, struct launch **over);
	/* It hangs; why, into its result's finding.  Null, or false: gpu->explain says it. */
	bool (*explain)(struct machine *machine, struct launch *launch, bool proved);
};

extern const struct launch_kind launch_grid, launch_firmware;

#endif
