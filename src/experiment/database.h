/* The results of an experiment as an SQLite database, and questions to it.  The schema is in docs/experiments.md. */
#ifndef LOCKSTEP_EXPERIMENT_DATABASE_H
#define LOCKSTEP_EXPERIMENT_DATABASE_H

#include "util/arena.h"
#include "util/diagnostic.h"

#include <sqlite3.h>

/* Opens the file, which need not be there; null path: in memory.  With SQLite's own functions alone, so that `sqlite3`
 * reads what is written here: a geometric mean is exp(avg(ln(x))).  Null and an error when it cannot. */
sqlite3 *database_open(const char *path, struct diagnostic *diagnostic);

/* Runs statements.  `place` is where they begin; with a line, an error names that of the mistake. */
bool database_run(sqlite3 *db, const char *sql, struct place place, struct diagnostic *diagnostic);

enum answer_kind {
	ANSWER_VALUES,  /* rows; perhaps none */
	ANSWER_MISSING, /* it asks for a counter that no result has: `missing` */
	ANSWER_WRONG,   /* it is wrong: the error is in `diagnostic` */
};

struct answer {
	enum answer_kind kind;
	const char *missing;
	uint32_t columns, rows;
	const char **names;  /* of the columns */
	const char **values; /* row by row; null: NULL */
};

/* What a question of the file `place` gives.  Numbers are written with 15 digits at most. */
struct answer database_ask(
	struct arena *arena, sqlite3 *db, const char *sql, struct place place, struct diagnostic *diagnostic);

#endif
