/* The table of lock units, from list.def. */
#include "policy/lock/lock.h"
#include "policy/policy.h"

#define LOCK(choice) extern const struct lock_unit lock_##choice;
#include "policy/lock/list.def"
#undef LOCK

const struct lock_unit *const lock_units[] = {
#define LOCK(choice) &lock_##choice,
#include "policy/lock/list.def"
#undef LOCK
	NULL,
};

/* See policy.h. */
const char *lock_lacks(const void *policy)
{
	const struct lock_unit *p = policy;

	if (!p->queues)
		return NULL; /* memory answers at once */
	return !p->next ? "next" : NULL;
}
