/* Whether a plan that has been read makes sense. */
#ifndef LOCKSTEP_EXPERIMENT_PLAN_CHECK_H
#define LOCKSTEP_EXPERIMENT_PLAN_CHECK_H

#include "experiment/plan.h"

/* The first thing that does not goes to the diagnostic, with its place in experiment.cfg: a name that is unknown or
 * there twice, a value that its kind cannot judge, a role or explanation that lacks what belongs to it. */
void plan_check(struct arena *arena, const struct plan *plan, struct diagnostic *diagnostic);

#endif
