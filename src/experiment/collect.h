/* From result files to the database. */
#ifndef LOCKSTEP_EXPERIMENT_COLLECT_H
#define LOCKSTEP_EXPERIMENT_COLLECT_H

#include "experiment/database.h"
#include "experiment/points.h"

/* What became of a point; `outcome` as in the database. */
struct status {
	const char *outcome; /* "passed", or why not */
	bool failed;         /* it has not passed, and no set says that it may */
	const char *output;  /* its last lines, "" if unknown */
	double seconds;
};

/* The tables, without rows. */
bool collect_schema(sqlite3 *db, struct diagnostic *diagnostic);
/* The view on them, `counters`, and the experiment's own tables and views. */
bool collect_views(sqlite3 *db, const struct plan *plan, struct diagnostic *diagnostic);

/* Fills the database file from what lies in FOLDER, anew and whole or not at all.  `statuses`: one for each point. */
bool collect(struct arena *arena, const struct plan *plan, const struct points *points, const char *folder,
	const char *file, struct status *statuses, struct diagnostic *diagnostic);

/* Tables that an experiment brings along, comma-separated files of its folder, as what was measured elsewhere
 * (tables.c): one for each of the plan's files, named as the file without `.csv`. */
bool tables_load(sqlite3 *db, const struct plan *plan, struct diagnostic *diagnostic);

#endif
