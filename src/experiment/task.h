/* Points for a cluster: put together to tasks, which a batch system runs anywhere, each in a process of its own.
 *
 * Tasks lie in a file, a line each: the names of their points, between tabs. */
#ifndef LOCKSTEP_EXPERIMENT_TASK_H
#define LOCKSTEP_EXPERIMENT_TASK_H

#include "experiment/points.h"

/* What a point of a program takes. */
struct cost {
	double mean, most; /* seconds on the wall */
	uint64_t bytes;    /* of memory, at most; 0: not known */
	uint32_t measured; /* points; 0: the seconds are the plan's */
};

struct task {
	uint32_t *points; /* indices */
	uint32_t count;
	const char *unknown; /* by task_read: the first name that is no point, left out; null: all are points */
};

struct tasks {
	VECTOR(struct task) all;
};

/* Of each program of the plan, in its order: from every NAME.end in the folder, whatever the build; where there is
 * none, what the plan says. */
const struct cost *task_costs(
	struct arena *arena, const struct plan *plan, const struct points *points, const char *folder);

/* The wanted points of one program, in tasks of about `seconds` each, in order, but at most `most` tasks. */
void task_make(struct arena *arena, const struct points *points, const struct program *program, const bool *wanted,
	const struct cost *cost, double seconds, uint32_t most, struct tasks *tasks);

bool task_write(
	const struct points *points, const struct tasks *tasks, const char *file, struct diagnostic *diagnostic);
/* What task_write wrote. */
bool task_read(struct arena *arena, const struct points *points, const char *file, struct tasks *tasks,
	struct diagnostic *diagnostic);

/* In a task: marks the points of line SLURM_ARRAY_TASK_ID of the file, counted from 0.  False and an error when there
 * is no such line, or one of its points is not among these: other executables make other points. */
bool task_wanted(struct arena *arena, const struct points *points, const char *file, bool *wanted,
	struct diagnostic *diagnostic);

#endif
