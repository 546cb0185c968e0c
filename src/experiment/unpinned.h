/* Which kernels were not the pinned ones, so that numbers may be others than those that pages state. */
#ifndef LOCKSTEP_EXPERIMENT_UNPINNED_H
#define LOCKSTEP_EXPERIMENT_UNPINNED_H

#include "experiment/database.h"
#include "experiment/plan.h"

/* A sentence for each compiler and reason, by the results of the database; none: all were pinned, or nothing is. */
struct names unpinned_said(struct arena *arena, sqlite3 *db);

#endif
