/* The table of lock units, from list.def. */
#include "policy/lock/lock.h"
#include "policy/policy.h"

#define TABLE lock_units
#define VTABLE lock_unit
#define POLICY_NAME(choice) lock_##choice
#define LIST "policy/lock/list.def"
#include "policy/table.def"

/* See policy.h. */
const char *lock_lacks(const void *policy)
{
	const struct lock_unit *p = policy;

	if (!p->queues)
		return NULL; /* memory answers at once */
	return !p->next ? "next" : NULL;
}
