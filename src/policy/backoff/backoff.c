/* The table of back-off policies, from list.def. */
#include "policy/backoff/backoff.h"
#include "policy/policy.h"

#define TABLE backoff_policies
#define VTABLE backoff_policy
#define POLICY_NAME(choice) backoff_##choice
#define LIST "policy/backoff/list.def"
#include "policy/table.def"

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
