/* Which compare-and-swaps have stored (swap_log.h). */
#include "memory/swap_log.h"

#include "memory/apply.h"

#include <assert.h>

/* Whether the entry's old value is what it is compared with; `high`: the high half of that, of 16 bytes. */
static bool is_equal(const struct atomic_entry *entry, const uint64_t *old, const uint64_t *high)
{
	return old[0] == entry->a && (!high || old[1] == *high);
}

void swap_log_add(struct swap_log *log, const struct message *m, const uint64_t *old)
{
	const struct atomic_payload *atomic = message_payload(m);
	const struct atomic_entry *entry = atomic_entries(atomic);
	const uint64_t *high = atomic->bytes == 16 ? (const uint64_t *)(const void *)(entry + atomic->count) : NULL;
	uint64_t stored = 0;

	assert(m->kind == MESSAGE_ATOMIC);
	assert(atomic->op == ATOMIC_CAS);
	assert(atomic->count <= 64);
	for (uint32_t k = 0; k < atomic->count; k++)
		if (is_equal(&entry[k], old + (high ? 2 * k : k), high ? high + 2 * k : NULL))
			stored |= (uint64_t)1 << k;
	if (stored)
		*vector_push(log->arena, &log->swaps) =
			(struct swap){.stored = stored, .token = m->token, .source = m->source};
}
