/* The progress line: on stderr, where it is a terminal, and gone when the run has ended. */
#ifndef LOCKSTEP_CLI_PROGRESS_H
#define LOCKSTEP_CLI_PROGRESS_H

#include "lockstep.h"
#include "util/text.h"

#include <time.h>

/* How far a kernel is. */
struct progress_state {
	const char *kernel; /* as people write it; null: not known */
	double seconds;     /* since it began */
	uint64_t cycles, warp_instructions, groups_done, groups;
	/* It hangs, and the cause is confirmed: which run with a change this is, from 1, of how many; 0: it runs. */
	uint32_t test, tests;
	double first_end; /* seconds when the first work-group had ended, as far as was seen; 0: none has */
};

struct progress {
	struct timespec start, shown; /* when the run began, and the line was last written */
	const char *kernel;           /* set by the caller */
	uint32_t test;                /* that is shown */
	double seconds, first_end;    /* as in the state that was seen last */
	bool any;                     /* a line is shown */
};

/* Makes `options` report to `progress`; does nothing when stderr is no terminal that can erase a line. */
void progress_start(struct progress *progress, struct lockstep_options *options);
/* Completes a state, the next that is seen: when the first work-group ended. */
void progress_note(struct progress *progress, struct progress_state *state);
/* Writes the line, where stderr is such a terminal. */
void progress_show(struct progress *progress, const struct progress_state *state);
/* Takes the line away. */
void progress_end(struct progress *progress);

/* What it says in so many columns: the most important first, and what does not fit left out. */
void progress_words(struct text *out, const struct progress_state *state, uint32_t columns);

#endif
