/* The words of --check. */
#ifndef LOCKSTEP_OPTIONS_CHECKS_H
#define LOCKSTEP_OPTIONS_CHECKS_H

#include <stdbool.h>

/* What is looked for while kernels run. */
struct checks {
	bool races; /* race/race.h; the rest as in its struct races_asked */
	bool strict;
	bool same_values;
	bool volatiles;
};

/* Reads words with commas between them; null: none.  False: one is not known, or there is none. */
bool checks_read(const char *words, struct checks *checks);

#endif
