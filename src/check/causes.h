/* The causes of hangs, by number: the rows of causes.def. */
#ifndef LOCKSTEP_CHECK_CAUSES_H
#define LOCKSTEP_CHECK_CAUSES_H

#include <stdbool.h>

enum hang_cause {
#define CAUSE(id, ...) CAUSE_##id,
#include "check/causes.def"
#undef CAUSE
	HANG_CAUSES /* how many */
};

/* As findings have it: "simt". */
const char *cause_name(enum hang_cause cause);
/* Of such a name; HANG_CAUSES: it is no cause of a hang. */
enum hang_cause cause_of_name(const char *name);
/* Whether the cause is only a symptom, which another cause may lead to. */
bool cause_is_symptom(enum hang_cause cause);
/* What to change: a sentence or two without the last full stop, empty for "unknown".  What is done already is left out:
 * `independent`: lanes are scheduled one by one; `strong`: the load that waits is not a weak one. */
const char *cause_remedy(enum hang_cause cause, bool independent, bool strong);

#endif
