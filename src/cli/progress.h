/* The progress line: on stderr, where it is a terminal, and gone when the run has ended. */
#ifndef LOCKSTEP_CLI_PROGRESS_H
#define LOCKSTEP_CLI_PROGRESS_H

#include "lockstep.h"

#include <time.h>

/* How far a kernel is. */
struct progress_state {
	const char *kernel; /* null: there is but one */
	double seconds;     /* since it began */
	uint64_t cycles, warp_instructions, groups_done, groups;
};

struct progress {
	struct timespec start, shown; /* when the run began, and the line was last written */
	bool any;                     /* a line is shown */
};

/* Makes `options` report to `progress`; does nothing when stderr is no terminal. */
void progress_start(struct progress *progress, struct lockstep_options *options);
/* Writes the line, whatever stderr is. */
void progress_show(struct progress *progress, const struct progress_state *state);
/* Takes the line away. */
void progress_end(struct progress *progress);

#endif
