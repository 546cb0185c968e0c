/* The commands of Slurm (https://slurm.schedmd.com/; written for 22.05): sbatch, squeue, scancel and scontrol, of the
 * cluster that they find by themselves. */
#ifndef LOCKSTEP_EXPERIMENT_SLURM_H
#define LOCKSTEP_EXPERIMENT_SLURM_H

#include "util/arena.h"
#include "util/diagnostic.h"
#include "util/vector.h"

#include <stdbool.h>

/* A job array that is to be: tasks 0 to count - 1, which differ in SLURM_ARRAY_TASK_ID alone. */
struct slurm_array {
	const char *name; /* of the job */
	const char
		*folder; /* whole path: of the script, the tasks' working folder, and JOB-TASK.log, what they print */
	const char *const *words; /* what a task runs; null-terminated */
	uint32_t count, together; /* tasks; at a time, at most; 0: no limit but the cluster's */
	double seconds;           /* of a task, at most */
	uint64_t bytes;           /* of memory; 0: what the cluster gives */
	/* Where not null: --partition, --account; and further options of sbatch. */
	const char *partition, *account;
	const char *const *options;
	uint32_t option_count;
};

/* A task in Slurm's queue: it waits, runs, or is about to leave it. */
struct slurm_task {
	uint64_t job; /* of the array */
	uint32_t task;
	const char *name;
	bool runs;
	bool is_held; /* by Slurm, because it could not be started: it stays until it is cancelled */
};

struct slurm_queue {
	VECTOR(struct slurm_task) tasks;
};

/* False and an error when there is no sbatch. */
bool slurm_is_there(struct diagnostic *diagnostic);
/* Tasks that an array may have; what the cluster says, or Slurm's default when it does not answer. */
uint32_t slurm_array_limit(struct arena *arena);
/* Submits the array; 0 and sbatch's own words when it is refused. */
uint64_t slurm_submit(struct arena *arena, const struct slurm_array *array, const char **refused);
/* This user's tasks that are queued; false: the controller does not answer now. */
bool slurm_list(struct arena *arena, struct slurm_queue *queue);
/* Cancels a job array, or one task of it when `task` is not null; one that is not there is none.  False: the controller
 * does not answer now. */
bool slurm_cancel(struct arena *arena, uint64_t job, const uint32_t *task);

#endif
