/* Figures: a table of numbers by SQL, drawn by gnuplot. */
#ifndef LOCKSTEP_EXPERIMENT_DRAW_H
#define LOCKSTEP_EXPERIMENT_DRAW_H

#include "experiment/judge.h"

/* A figure's numbers.  Of the shapes but `table` the last two columns of the SQL are a series and its value, and each
 * series has become a column: a row is what is left, its key, and a value for each series; null: none. */
struct drawing {
	const char *why;      /* null, or why there is nothing to draw */
	bool unasked;         /* there is nothing, since its points were not asked for */
	uint32_t failed, all; /* points that have no result, of those it rests on */
	uint32_t keys, columns, rows;
	const char **names;       /* of the columns: keys, then series */
	const char **values;      /* row by row; of several seeds the means */
	const char **low, **high; /* least and greatest of the seeds' values, laid out likewise; null: of one seed */
	const char **marks;       /* the paper's values, likewise; null: none */
	bool drawn;               /* figures/ID.svg and .png are there */
};

/* Whether gnuplot is there. */
bool draw_can(void);

/* Asks each of the samples; the rows of a table come from `db`, which has all seeds.  False and an error with the
 * figure's place when its SQL is wrong. */
bool draw_table(struct arena *arena, sqlite3 *db, const struct samples *samples, const struct figure *figure,
	const struct points *points, const struct status *statuses, struct drawing *drawing,
	struct diagnostic *diagnostic);

/* Writes ID.tsv into `folder` and, with `pictures`, what gnuplot makes of it; what was there before is gone.  False and
 * an error when a file cannot be written or gnuplot refuses. */
bool draw_figure(struct arena *arena, const struct plan *plan, const struct figure *figure, struct drawing *drawing,
	const char *folder, bool pictures, struct diagnostic *diagnostic);

#endif
