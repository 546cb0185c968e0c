/* The words of --check. */
#ifndef LOCKSTEP_OPTIONS_CHECKS_H
#define LOCKSTEP_OPTIONS_CHECKS_H

#include <stdbool.h>

/* All of them, for messages. */
#define CHECKS_EXPECTED "races, races=strict, races=volatile, races=all, init, barriers, barriers=all or all"

/* What is looked for while kernels run. */
struct checks {
	bool races; /* race/race.h; the next three as in its struct races_asked */
	bool strict;
	bool same_values;
	bool volatiles;
	bool init;    /* init/init.h */
	bool sync;    /* sync/sync.h */
	bool sources; /* what shuffles read of lanes that do not take part, too */
};

/* Reads words with commas between them; null: none.  False: one is not known, or there is none. */
bool checks_read(const char *words, struct checks *checks);

#endif
