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

/* When part of a cause's remedy is done already. */
enum cause_except { EXCEPT_NEVER, EXCEPT_INDEPENDENT, EXCEPT_STRONG };

/* As findings have it: "simt". */
const char *cause_name(enum hang_cause cause);
/* Of such a name; HANG_CAUSES: it is no cause of a hang. */
enum hang_cause cause_of_name(const char *name);
/* Whether the cause is only a symptom, which another cause may lead to. */
bool cause_is_symptom(enum hang_cause cause);
/* When cause_remedy is to be called with `already_done`. */
enum cause_except cause_except(enum hang_cause cause);
/* What to change: a sentence or two without the last full stop, empty for "unknown". With `already_done`, the advice
 * leaves out what cause_except names. */
const char *cause_remedy(enum hang_cause cause, bool already_done);
/* The same for a launch whose lanes are scheduled one by one (`independent`), or whose waiting load is not a weak one
 * (`strong`). */
const char *cause_remedy_for(enum hang_cause cause, bool independent, bool strong);

#endif
