/* Requests wait in the memory partition, and have their turns in order of arrival: paper 1, 5.2. */
#include "policy/lock/lock.h"

static uint32_t next(void *state, const struct lock_record *records, uint32_t first, const struct lock_record *released)
{
	(void)state, (void)records, (void)released;
	return first;
}

const struct lock_unit lock_queue = {
	.name = "queue",
	.summary = "requests wait in the memory partition for their turn, first come first served (paper 1, 5.2)",
	.has_entries = true,
	.queues = true,
	.next = next,
};
