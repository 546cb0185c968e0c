/* Launches with firmware: between quanta, what it has asked for is carried out.
 *
 * Such a launch has the machine for itself.  Each kernel that firmware may dispatch has a launch of its own beside it,
 * whose grid grows; these are no launches of the machine's list, and what they count is the parent's. */
#ifndef LOCKSTEP_MACHINE_GPU_FIRMWARE_H
#define LOCKSTEP_MACHINE_GPU_FIRMWARE_H

#include "machine/state.h"
#include "util/vector.h"

/* A call of __lockstep_dispatch, some of whose work-groups have not begun. */
struct waiting_dispatch {
	uint32_t kernel, next, count; /* next: the group's number within the call */
	uint64_t argument;
};

/* A work-group that was dispatched has its own argument and grid. */
struct placed {
	struct launch_values values;
	uint64_t argument;
	uint32_t *constants; /* the launch's, but for the grid */
};

struct firmware {
	struct launch **kernels; /* that may be dispatched */
	uint32_t kernel_count;
	VECTOR(struct waiting_dispatch) waiting; /* from `first` on */
	uint32_t first;
	uint64_t waiting_groups;
	bool idle; /* no group is on any core */
	uint64_t idle_since;
	uint64_t moved, moved_at; /* what the machine had done, and the cycle in which that was last another number */
	uint32_t state_bytes;     /* of a wavefront that yields, at most; 0: none does */
	VECTOR(uint64_t) states;  /* memory for that */
	struct yielded *yielded;  /* in order */
	struct yielded **last;    /* where the next one goes */
	VECTOR(struct yielded *) restarting; /* that wait for room */
	uint64_t quiet;                      /* the same when nothing but a poll could happen */
};

/* The launches of the kernels that a new launch's firmware may dispatch. */
void firmware_create(struct gpu *gpu, struct launch *launch, const struct gpu_launch *what);
void firmware_destroy(struct launch *launch);
/* The launch has joined the machine. */
void firmware_join(struct machine *machine, struct launch *launch);
/* Carries out what firmware has asked for in the last quantum, and tells it what has become of its work-groups.  True
 * when any group was placed. */
bool firmware_dispatch(struct launch *launch);
bool firmware_is_done(const struct launch *launch);
/* Nothing will happen by itself.  True: firmware looks at memory, and has not done so since something happened last;
 * *next is when it does. */
bool firmware_looks_again(struct machine *machine, uint64_t *next);
/* Nothing has been dispatched and nothing has ended for so long that a hang is suspected. */
bool firmware_is_stuck(struct machine *machine);
/* Why it hangs, into the launch's result. */
void firmware_explain(struct machine *machine, struct launch *launch, bool proved);
/* The launch is over. */
void firmware_finish(const struct launch *launch);
/* What firmware has counted. */
struct control_counters firmware_counters(const struct launch *launch);

#endif
