/* Which thread of a launch has read an old value from an L1, whatever became of it since: it may have left early, or never come. */
#ifndef LOCKSTEP_CHECK_STALE_NOTE_H
#define LOCKSTEP_CHECK_STALE_NOTE_H

#include "check/ahead.h"

struct stale_note {
	uint32_t group, thread; /* flat */
	uint32_t pc;
	struct word word;
};

/* The latest such read; false: none is known. */
bool stale_of(const struct machine *machine, const struct launch *launch, struct stale_note *note);

#endif
