/* How a point ended: FOLDER/NAME.end, written after its result file.  A point that a batch system ran has none. */
#ifndef LOCKSTEP_EXPERIMENT_END_H
#define LOCKSTEP_EXPERIMENT_END_H

#include "experiment/points.h"

struct end {
	const char *reason;  /* "exit", "signal" or "time limit" */
	int status;          /* exit status or signal */
	double seconds;      /* on the wall */
	const char *date;    /* 2026-11-22, UTC */
	const char *output;  /* its last lines on stdout and stderr */
	double cpu_seconds;  /* of all its processes; 0: not known */
	uint64_t peak_bytes; /* memory of the largest of them; 0: not known */
};

/* False when there is none, or with an error when it is damaged.  `path` is of a NAME.end. */
bool end_read_file(struct arena *arena, const char *path, struct end *end, struct diagnostic *diagnostic);
bool end_read(struct arena *arena, const struct point *point, const char *folder, struct end *end,
	struct diagnostic *diagnostic);
/* The point's result file, whose known members have their types; the caller's.  Null when there is none, or with an
 * error when it is damaged. */
struct json_object *end_read_result(
	struct arena *arena, const struct point *point, const char *folder, struct diagnostic *diagnostic);
/* What is kept of what a point printed, which is in NAME.log until NAME.end has it: its last lines. */
const char *end_output(struct arena *arena, const struct point *point, const char *folder);
bool end_write(const struct point *point, const char *folder, const struct end *end, struct diagnostic *diagnostic);

/* Whether its result file is there, and of a program that ended by itself: one that was stopped from outside is to run
 * again, and so is one whose file is damaged. */
bool end_has_result(const struct point *point, const char *folder);
/* The same; if it has none, what there is of it is removed, so that it can run again. */
bool end_keep_result(const struct point *point, const char *folder);
/* Whether NAME.end is there: the point has ended, well or not. */
bool end_is_there(const struct point *point, const char *folder);
/* Whether the point is not to run again: it has a result (a node may fail before it writes NAME.end), or a NAME.end
 * without one.  Not so when a signal from outside ended its program, or `lockstep run` itself: what ends a task on a
 * node may end these first, and leave the task the time to write that down. */
bool end_is_last(const struct point *point, const char *folder);

#endif
