/* The table of work-group dispatchers, from list.def. */
#include "policy/dispatch/dispatch.h"
#include "policy/policy.h"

#define TABLE group_dispatchers
#define VTABLE group_dispatcher
#define POLICY_NAME(choice) dispatch_##choice
#define LIST "policy/dispatch/list.def"
#include "policy/table.def"

/* See policy.h. */
const char *dispatch_lacks(const void *policy)
{
	const struct group_dispatcher *p = policy;

	if (p->guarantees)
		return NULL; /* a progress model needs nothing else */
	return !p->next ? "next" : NULL;
}
