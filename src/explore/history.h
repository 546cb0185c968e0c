/* What has happened to the words that a hang waits for: the launch is run again, unchanged, until it hangs again, and
 * who wrote them, when, and what the waiting threads found there is recorded (machine/observe/writes.h). */
#ifndef LOCKSTEP_EXPLORE_HISTORY_H
#define LOCKSTEP_EXPLORE_HISTORY_H

#include "machine/observe/writes.h"

struct launch;
struct machine;

/* For a machine whose launches hang, stopped at the hang; `writes` has an arena and at most WRITES_WORDS words,
 * filled in as far as they are asked, of threads of `launch`.  Takes the process's time until `until` (again_clock) at
 * most.  Memory and machine are as before afterwards.  False: it could not be run again, or went another way; then what
 * `writes` has means nothing. */
bool history_of(struct machine *machine, const struct launch *launch, struct writes *writes, double until);

#endif
