/* Requests wait in the memory partition in order of arrival: paper 1, 5.2. */
#include "policy/lock/lock.h"

const struct lock_unit lock_queue = {
	.name = "queue",
	.summary = "requests wait in the memory partition for their turn, first come first served (paper 1, 5.2)",
	.has_entries = true,
	.queues = true,
};
