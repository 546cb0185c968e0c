/* The table of lock units, from list.def. */
#include "policy/lock/lock.h"

#define LOCK(choice) extern const struct lock_unit lock_##choice;
#include "policy/lock/list.def"
#undef LOCK

const struct lock_unit *const lock_units[] = {
#define LOCK(choice) &lock_##choice,
#include "policy/lock/list.def"
#undef LOCK
	NULL,
};
