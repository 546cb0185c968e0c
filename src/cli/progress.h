/* The progress line: on stderr, where it is a terminal, and gone when the run has ended. */
#ifndef LOCKSTEP_CLI_PROGRESS_H
#define LOCKSTEP_CLI_PROGRESS_H

#include "lockstep.h"

#include <time.h>

struct progress {
	struct timespec start, shown; /* when the run began, and the line was last written */
	bool any;                     /* a line stands there */
};

/* Makes `options` report to `progress`; does nothing when stderr is no terminal. */
void progress_start(struct progress *progress, struct lockstep_options *options);
/* Takes the line away. */
void progress_end(struct progress *progress);

#endif
