/* The table of back-off policies, from list.def. */
#include "policy/backoff/backoff.h"
#include "policy/policy.h"

#define BACKOFF(choice) extern const struct backoff_policy backoff_##choice;
#include "policy/backoff/list.def"
#undef BACKOFF

const struct backoff_policy *const backoff_policies[] = {
#define BACKOFF(choice) &backoff_##choice,
#include "policy/backoff/list.def"
#undef BACKOFF
	NULL,
};

/* See policy.h. */
const char *backoff_lacks(const void *policy)
{
	const struct backoff_policy *p = policy;

	if (!p->spin)
		return NULL; /* it backs off nothing */
	return !p->start    ? "start"
	       : !p->choose ? "choose"
	       : !p->issue  ? "issue"
	       : !p->retire ? "retire"
	       : !p->limit  ? "limit"
			    : NULL;
}
