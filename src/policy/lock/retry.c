/* The partition answers each request at once and the core tries again: paper 1, chapter 4. */
#include "policy/lock/lock.h"

const struct lock_unit lock_retry = {
	.name = "retry",
	.summary = "memory answers at once, and the core retries for refused lanes (paper 1, chapter 4)",
	.has_entries = true,
};
