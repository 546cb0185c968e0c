/* Runs points as child processes, some at a time. */
#ifndef LOCKSTEP_EXPERIMENT_RUN_H
#define LOCKSTEP_EXPERIMENT_RUN_H

#include "experiment/points.h"
#include "util/jobs.h"

struct run_options {
	const char *folder; /* of the result files */
	const bool *wanted; /* of each point: whether it is to run; null: all */
	uint32_t jobs;      /* at a time */
	/* of each: seconds of processor time; on the wall, JOBS_SLEEP_FACTOR times as many */
	double time_limit;
	const struct sigaction *file_limit; /* what points do at SIGXFSZ */
};

struct run_outcome {
	uint32_t ran, had; /* points that ended now, and that had ended before */
	uint32_t lost;     /* on a cluster: points that it was given several times, and that never ended */
	bool stopped;      /* by a signal: the rest did not run */
};

/* Runs what has no result yet.  A point that ends leaves NAME.json, by its own hand, and NAME.end: how it ended
 * (end.h).  False and an error when it cannot go on; a point that fails is no error. */
bool run_points(const struct points *points, const struct run_options *options, struct run_outcome *outcome,
	struct diagnostic *diagnostic);

/* Processor seconds that these points take, by what the plan says; with `measured`, by how long those took that have
 * ended. */
double run_estimate(const struct points *points);

#endif
