/* Which thread of a launch has read an old value from an L1. */
#include "check/stale_note.h"

/* Nothing remembers them so far but the window, of a loop that reads one for ever (wait_is_stale in waits.c). */
bool stale_of(const struct machine *machine, const struct launch *launch, struct stale_note *note)
{
	(void)machine, (void)launch, (void)note;
	return false;
}
