/* Other programs, run to their end for what they say. */
#ifndef LOCKSTEP_EXPERIMENT_SUBPROCESS_H
#define LOCKSTEP_EXPERIMENT_SUBPROCESS_H

#include "util/arena.h"

#include <stdbool.h>

struct subprocess_result {
	int status;         /* exit status; -1: it could not be started, or a signal ended it */
	const char *output; /* all of its standard output */
	const char *error;  /* the first line on standard error that is not empty; why it could not be started */
};

/* words[0] is a path, or a name that is looked up in PATH; the last is null.  True when it ended with status 0. */
bool subprocess_run(struct arena *arena, const char *const *words, struct subprocess_result *result);
/* Whether PATH has a program of this name. */
bool subprocess_is_there(const char *name);

#endif
