/* Sweeps: a command of `lockstep` run once for each combination of values, and what came out as one table.
 *
 *     axes -> points -> children -> their reports -> table, CSV, picture
 *
 * A point is a combination of one value of each axis; it has a run for each seed.  Nothing depends on how many run at a
 * time: runs are numbered in the order of the axes, the last of which changes fastest. */
#ifndef LOCKSTEP_SWEEP_SWEEP_H
#define LOCKSTEP_SWEEP_SWEEP_H

#include "util/text.h"
#include "util/vector.h"

#define SWEEP_RUNS_MOST 100000

/* KEY=VALUE,VALUE...; separated by ';', values may have commas. */
struct sweep_axis {
	const char *key;
	VECTOR(const char *) values;
	bool is_placed; /* the command says {KEY} where the value goes */
};

/* What a report counts, summed over its launches. */
struct sweep_count {
	const char *name;
	uint64_t value;
};

/* One process. */
struct sweep_run {
	int status;          /* its exit status, 128 and more: a signal ended it */
	const char *outcome; /* of its launches, or "failed" */
	const char *message; /* the last line that it wrote to standard error; null: none */
	VECTOR(struct sweep_count) counts;
	bool counts_hold; /* it came to its end */
};

struct sweep {
	struct arena *arena;
	VECTOR(struct sweep_axis) axes;
	uint32_t seeds; /* runs of a point, with seeds 0, 1, ...; 0: one, with the seed that the command has */
	uint32_t jobs;  /* processes at a time */
	VECTOR(const char *) values; /* names of counts that are shown */
	const char *folder;
	char **words; /* of the command, null-terminated: "kernel" or "run", and what follows */

	uint32_t points;
	uint32_t runs; /* points * (seeds ? seeds : 1) */
	struct sweep_run *run;
};

/* ---- Axes and points: axes.c ---- */

/* Adds an axis.  False and an error when `text` is none, or the key was there before. */
bool sweep_add_axis(struct sweep *sweep, const char *text, struct diagnostic *diagnostic);
/* All is read: how many points there are, and whether the command goes with them. */
bool sweep_check(struct sweep *sweep, struct diagnostic *diagnostic);
/* Which value of the axis a point has. */
uint32_t sweep_choice(const struct sweep *sweep, uint32_t point, uint32_t axis);
const char *sweep_value(const struct sweep *sweep, uint32_t point, uint32_t axis);
/* The words of a run, null-terminated, the first for the command itself; its report goes to `report`. */
const char **sweep_words(const struct sweep *sweep, struct arena *arena, uint32_t run, const char *report);

static inline uint32_t sweep_repeats(const struct sweep *sweep)
{
	return sweep->seeds ? sweep->seeds : 1;
}

/* ---- Running: run.c ---- */

/* FOLDER/NNNN.json, from 1. */
const char *sweep_report_file(const struct sweep *sweep, struct arena *arena, uint32_t run);
/* Runs all; their results are in sweep->run.  False: a signal has stopped it, which
 * *number has, or an error: a run that is refused for its words (exit status 2) is one. */
bool sweep_run_all(struct sweep *sweep, int *number, struct diagnostic *diagnostic);

/* ---- What came out ---- */

/* Of a run that has ended: results.c.  An error when its report is there and damaged. */
void sweep_read_report(struct sweep *sweep, uint32_t run, struct diagnostic *diagnostic);
/* The count of this name; null: the run has none.  `likely`: where it may be, as all launches have the same in the same
 * order. */
struct sweep_count *sweep_count_of(const struct sweep_run *run, uint32_t likely, const char *name);
/* Of a point's runs that came to their ends: mean, least and greatest.  False: there are none, or not all did. */
struct sweep_spread {
	double mean, least, greatest;
};
bool sweep_spread_of(const struct sweep *sweep, uint32_t point, const char *name, struct sweep_spread *spread);
/* The outcome of a point: that of its first run that did not complete, else "completed". */
const char *sweep_outcome(const struct sweep *sweep, uint32_t point);
/* That results have all the values that are to be shown. */
bool sweep_check_values(const struct sweep *sweep, struct diagnostic *diagnostic);

/* A row for each point, in columns; and a row for each run with all that was counted: table.c. */
void sweep_write_table(const struct sweep *sweep, struct text *text);
void sweep_write_csv(const struct sweep *sweep, struct text *text);

/* Draws FOLDER/sweep.svg by gnuplot, whose input is left beside it: picture.c.  False and an error; null in *drawn
 * where there is no gnuplot, or nothing to draw. */
bool sweep_draw(const struct sweep *sweep, const char **drawn, struct diagnostic *diagnostic);

#endif
