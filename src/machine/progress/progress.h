/* Functional mode under a progress model (policy/dispatch/dispatch.h): which work-group runs next is a schedule's
 * choice, at the grain of one access to memory, and nothing but the model binds it.
 *
 * All groups are on the machine from the start, so that a group which never runs is the schedule's doing and not the
 * lack of a core.  The warps of a group take turns, unless the schedule says which of them runs.
 *
 * Nothing waits for a time: a try_wait whose phase is not over is answered at once.  The ISA lets it, after a time that
 * is not known; that it is answered when the phase ends is as if it had been tried just then.
 *
 * THE PROOF of a hang.  The schedule repeats itself, a period of steps over and over; every group that is guaranteed
 * progress and can run has a step in it, and so has each of its warps that can; and at the end of a period all is as it
 * was at the end of an earlier one, byte for byte: global memory, and each unfinished group's shared memory, barriers,
 * registers, predicates, local memory and divergence state.  Nobody has looked at a clock.  So the model allows that
 * the kernel never ends.  Memory may well change within the period: groups that undo each other's work hang, too. */
#ifndef LOCKSTEP_MACHINE_PROGRESS_PROGRESS_H
#define LOCKSTEP_MACHINE_PROGRESS_PROGRESS_H

#include "machine/gpu/functional.h"
#include "machine/progress/schedule_list.h"
#include "machine/state/machine.h"
#include "util/vector.h"

struct progress;

#define SCHEDULE_NOBODY UINT32_MAX    /* no group can run */
#define SCHEDULE_END (UINT32_MAX - 1) /* leave it at that: the launch ends as one at its limit */

/* Who chooses. */
struct schedule {
	/* The group that runs next: one that can, or SCHEDULE_... */
	uint32_t (*next)(struct schedule *schedule, const struct progress *p);
	void (*finished)(struct schedule *schedule, const struct progress *p); /* all groups have; may be null */
	/* It says which part of a group takes a step; so asynchronous copies end by steps, too, not where they begin.
	 */
	bool by_parts;
	uint32_t part; /* set by next: the group's part that takes the step, PART_TURN or one that can run */
	/* set by next: a period begins, and it is that which has just ended, or has just begun for the first time */
	bool repeats;
	uint64_t period; /* counts the different periods */
};

struct progress_group {
	struct core *core;
	struct group *group;
	uint32_t last_slot; /* of the warp that ran last when it was its turn */
	bool finished;
	bool runs; /* has had a step since the period began that repeats; of one that hangs, false: it starves */
};

struct progress {
	struct machine *machine;
	struct launch *launch;
	struct progress_view view;
	struct progress_group *groups; /* by flat index */
	uint32_t unfinished;
	uint64_t instructions;       /* warp instructions so far */
	struct functional_seen seen; /* in the last step */
	struct schedule *schedule;
	VECTOR(struct schedule_run)
	steps;         /* taken until the period began that repeats, and those of the period; see SCHEDULE_RUNS */
	uint32_t loop; /* where the period begins */
	bool recorded; /* the period is over, and steps has it all */
	/* Looking for a repetition */
	uint64_t period, periods, next_copy; /* that is looked at; ends of it seen; when the state is copied next */
	uint32_t confirmed;                  /* how often all has been as it is in the copy */
	uint8_t *copy;
	size_t copied, room;
};

#define SCHEDULE_RUNS 4096 /* that are written down */

bool progress_can_run(const struct progress *p, uint32_t group);
/* Likewise of a part of the group (schedule_list.h), which it need not have. */
bool progress_part_can_run(const struct progress *p, uint32_t group, uint32_t part);
/* The pc of the next instruction of a part that is a warp; 0: the part is another, or cannot run. */
uint32_t progress_pc(const struct progress *p, uint32_t group, uint32_t part);
/* Of a group's warp: how many paths can run beside that which runs, and the lanes of all that can; 0: it cannot. */
uint32_t progress_other_paths(const struct progress *p, uint32_t group, uint32_t warp);
lane_mask progress_lanes(const struct progress *p, uint32_t group, uint32_t warp);
bool progress_guarantees(const struct progress *p, uint32_t group);
/* 128 bits of a group's state, and of memory; of that, what is no longer as at the start, which is kept for it
 * (gpu_experiment.keeps_start). */
void progress_group_print(const struct progress *p, uint32_t group, uint64_t print[2]);
void progress_memory_print(const struct progress *p, uint64_t print[2]);
/* Whether since watch_everyone a warp has read what depends on time, or waits with a time limit. */
bool progress_saw_time(const struct progress *p);
/* The steps as `--schedule` takes them, "1,0*3,(1)"; null: too long to write down. */
const char *progress_schedule_text(const struct progress *p, struct arena *arena);

/* adversary.c: the schedule of a seed; or `list`, where it is not null, and what the seed makes of the rest. */
struct schedule *adversary_create(
	struct arena *arena, uint32_t groups, uint64_t seed, const struct schedule_list *list);

#endif
