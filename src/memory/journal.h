/* Records whether memory changes, or what it held before, to tell whether it holds the same again. */
#ifndef LOCKSTEP_MEMORY_JOURNAL_H
#define LOCKSTEP_MEMORY_JOURNAL_H

#include <stdbool.h>
#include <stdint.h>

#define JOURNAL_ENTRIES 32
#define JOURNAL_BYTES 128 /* of an entry: a line */

/* Every write is passed to journal_wrote.  Without `keeps`, each byte that gets another value sets `changed`; with it,
 * the bytes before the first write to a place since journal_clear are kept. */
struct journal {
	bool changed;
	bool keeps;
	bool full; /* more places were written than it has room for */
	uint32_t count;
	struct journal_entry {
		const uint8_t *at;
		uint32_t bytes;
		uint8_t before[JOURNAL_BYTES];
	} entries[JOURNAL_ENTRIES];
};

/* `bytes` bytes at `at`, at most JOURNAL_BYTES, were `before` and have been written. */
void journal_wrote(struct journal *journal, const uint8_t *at, const uint8_t *before, uint32_t bytes);
/* Begins, with nothing changed. */
void journal_open(struct journal *journal, bool keeps);
/* Forgets what was kept, and begins again. */
void journal_clear(struct journal *journal);
/* Whether everything written since then is as it was. */
bool journal_is_restored(const struct journal *journal);

#endif
