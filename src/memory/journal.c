/* Keeping what memory held (journal.h). */
#include "memory/journal.h"

#include <assert.h>
#include <string.h>

/* A place that overlaps others gets an entry of its own.  Each is compared with its bytes when it was first written: at
 * worst, restored memory is taken for changed. */
static void keep(struct journal *j, const uint8_t *at, const uint8_t *before, uint32_t bytes)
{
	assert(j->count <= JOURNAL_ENTRIES);
	assert(bytes <= sizeof j->entries->before);
	for (uint32_t k = 0; k < j->count; k++)
		if (j->entries[k].at == at && j->entries[k].bytes >= bytes)
			return;
	if (j->count == JOURNAL_ENTRIES) {
		j->full = true;
		return;
	}
	struct journal_entry *entry = &j->entries[j->count++];
	entry->at = at;
	entry->bytes = bytes;
	memcpy(entry->before, before, bytes);
}

void journal_wrote(struct journal *j, const uint8_t *at, const uint8_t *before, uint32_t bytes)
{
	assert(bytes);
	if (!memcmp(at, before, bytes))
		return;
	if (j->keeps)
		keep(j, at, before, bytes);
	else
		j->changed = true;
}

void journal_open(struct journal *j, bool keeps)
{
	j->changed = false;
	j->keeps = keeps;
	journal_clear(j);
}

void journal_clear(struct journal *j)
{
	j->full = false;
	j->count = 0;
}

bool journal_is_restored(const struct journal *j)
{
	assert(j->count <= JOURNAL_ENTRIES);
	for (uint32_t k = 0; k < j->count; k++)
		if (memcmp(j->entries[k].at, j->entries[k].before, j->entries[k].bytes))
			return false;
	return !j->full;
}
