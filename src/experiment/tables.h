/* Tables that an experiment brings along: comma-separated files of its folder, as what was measured elsewhere. */
#ifndef LOCKSTEP_EXPERIMENT_TABLES_H
#define LOCKSTEP_EXPERIMENT_TABLES_H

#include "experiment/database.h"
#include "experiment/plan.h"

/* A table for each of the plan's files, named as the file without `.csv`. */
bool tables_load(sqlite3 *db, const struct plan *plan, struct diagnostic *diagnostic);

#endif
