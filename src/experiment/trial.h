/* Whether `lockstep run` takes the GPUs, the policies' options and the pinned PTX of an experiment: asked before any
 * point runs. */
#ifndef LOCKSTEP_EXPERIMENT_TRIAL_H
#define LOCKSTEP_EXPERIMENT_TRIAL_H

#include "experiment/points.h"

/* Starts it once for each GPU, and once for each policy on the first GPU that it is used with, on a program that does
 * nothing; what has a result in the folder already is left out.  False, and what it says with the line of the set or
 * policy, when it takes one of them not. */
bool trial_of_options(
	struct arena *arena, const struct points *points, const char *folder, struct diagnostic *diagnostic);
/* Likewise of each program with pinned PTX, whether that is whole. */
bool trial_of_pinned(
	struct arena *arena, const struct points *points, const char *folder, struct diagnostic *diagnostic);

#endif
