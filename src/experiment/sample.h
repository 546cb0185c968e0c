/* Samples: the results of one seed as a database of their own, in memory, with the tables and views of results.sqlite.
 *
 * A question of the plan is asked of each, so that it gives one value for each seed, whatever its SQL sums up; and of
 * what a control makes of it, in which a mechanism's results are replaced by those without it. */
#ifndef LOCKSTEP_EXPERIMENT_SAMPLE_H
#define LOCKSTEP_EXPERIMENT_SAMPLE_H

#include "experiment/collect.h"

struct samples {
	uint32_t count;
	uint64_t *seeds;      /* of each, ascending; a single 0: the sets name none */
	sqlite3 **db;         /* without a control */
	sqlite3 **controlled; /* controlled[control * count + sample]; of a parameter the first sample's alone, else
				 null */
};

/* From the database file that collect() has written.  Points without a seed are in every sample.  False and an error
 * when SQLite refuses. */
bool samples_open(struct arena *arena, const struct plan *plan, const struct points *points, const char *file,
	struct samples *samples, struct diagnostic *diagnostic);
void samples_close(struct samples *samples, const struct plan *plan);

/* Whether the control replaces results that the scope rests on. */
bool sample_concerns(const struct points *points, const struct control *control, const struct scope *scope);

#endif
