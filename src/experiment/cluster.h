/* Runs points on a cluster: submits them to Slurm as job arrays, follows these, and submits again what was lost. */
#ifndef LOCKSTEP_EXPERIMENT_CLUSTER_H
#define LOCKSTEP_EXPERIMENT_CLUSTER_H

#include "experiment/run.h"

/* Seconds. */
struct cluster_waits {
	double least, most; /* between two looks at the queue */
	double share;       /* of the time gone by: the wait between looks, within these bounds */
	/* What a task has written on another machine is seen here with a delay: only so long after it left the queue a
	 * point is taken for lost. */
	double lost_after;
};
#define CLUSTER_WAITS                                                                                                  \
	{                                                                                                              \
		.least = 1, .most = 30, .share = 0.02, .lost_after = 5                                                 \
	}

struct cluster_options {
	const char *results;      /* whole path of the folder of result files */
	const char *folder;       /* whole path of the jobs' own: task lists, logs, the list of jobs */
	const char *here;         /* where the user is, and points are to run */
	const char *const *words; /* what a task runs, but for `--task FILE` at the end; null-terminated */
	uint32_t together;        /* tasks of an array at a time, at most; 0: no limit but the cluster's */
	double task_seconds;      /* that a task is to take, roughly */
	uint64_t bytes; /* of memory for a task; 0: by what earlier points took, else what the cluster gives */
	const char *partition, *account;
	const char *const *sbatch; /* further options of it */
	uint32_t sbatch_count;
	struct cluster_waits waits;
};

/* Seconds until the next look, this long after the first. */
double cluster_wait(const struct cluster_waits *waits, double gone);

/* Runs what has no result yet; each point leaves NAME.json and NAME.end in `results`, as with run_points, by the hand
 * of its task.  A task that leaves the queue without some of its points (its node failed, its time was over, it was
 * cancelled) has them submitted again, with twice the time and memory, at most CLUSTER_ATTEMPTS times in all.  Tasks of
 * an earlier call that are still queued are followed, not submitted again.  While the controller does not answer, it
 * waits.
 *
 * SIGINT and SIGTERM cancel the jobs; SIGHUP leaves them, for the next call.  False and an error when sbatch refuses.
 */
#define CLUSTER_ATTEMPTS 3
bool cluster_run(const struct plan *plan, const struct points *points, const struct cluster_options *options,
	struct run_outcome *outcome, struct diagnostic *diagnostic);

#endif
