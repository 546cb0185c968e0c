/* The texts of a cause of races, by its name, for findings that are made elsewhere than where races are judged. */
#ifndef LOCKSTEP_REPORT_RACE_CAUSE_H
#define LOCKSTEP_REPORT_RACE_CAUSE_H

#include "util/arena.h"

/* "what is missing. What would mend it"; the name is one of found/causes.def. */
const char *report_race_cause(struct arena *arena, const char *name);

#endif
