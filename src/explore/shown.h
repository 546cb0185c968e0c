/* What the checks for races, for waits that can be lapped and for uninitialised reads find in shared memory when a
 * launch is run again.  A launch that completes with one thing changed may then only hide what is wrong: where threads
 * no longer wait for data that is missing, they read it too early. */
#ifndef LOCKSTEP_EXPLORE_SHOWN_H
#define LOCKSTEP_EXPLORE_SHOWN_H

#include "found/found.h"

struct gpu;

struct shown {
	struct arena arena;
	struct found_list found[FOUND_KINDS];
};

/* Before the GPU is created.  From then on it has the checks; `shown` begins empty.  `laps`: that for waits that can be
 * lapped, too. */
void shown_begin(struct shown *shown, struct gpu *gpu, bool laps);
void shown_end(struct shown *shown);
/* The first thing that was found, races before others, and not in `before` at the same lines; null: none. */
const struct found *shown_new(const struct shown *shown, const struct shown *before);
/* "the load at app.cu:12 races with the copy at app.cu:7"; in `arena`. */
const char *shown_words(struct arena *arena, const struct found *found);

#endif
