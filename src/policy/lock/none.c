/* No hardware: the losers of a lock branch back, as after a compare-and-swap. */
#include "policy/lock/lock.h"

const struct lock_unit lock_none = {
	.name = "none",
	.summary = "nothing: a lock instruction is a compare-and-swap in a loop",
};
