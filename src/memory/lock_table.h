/* The records of lock requests at one slice, in a list for each address (paper 1, 5.2.1: a table of heads and tails).
 * Time and the words of locks are not handled here.
 *
 * Records are known by number, the lowest free one being used next, as they lie in memory (lock_service.h).  Finding a
 * list or a record takes constant time on average; timers take logarithmic time.  Arrays grow by doubling. */
#ifndef LOCKSTEP_MEMORY_LOCK_TABLE_H
#define LOCKSTEP_MEMORY_LOCK_TABLE_H

#include "policy/lock/lock.h"
#include "util/lookup.h"

/* Empty but for its arena: no list. */
struct lock_table {
	struct arena *arena; /* in which it grows */
	struct lock_record *records;
	uint64_t *taken;       /* bit per record */
	uint32_t room;         /* records there is memory for, a multiple of 64 */
	uint32_t record_count; /* in use */
	uint32_t lowest;       /* no word of `taken` before this one has a free bit */
	struct lookup lists;   /* by address / 4: the first record, plus one */
	uint32_t *timers;      /* a heap: records by `until`, then by `since`, then by number */
	uint32_t timer_count;
};

/* The first record of the address; LOCK_NO_RECORD: there is none. */
uint32_t lock_table_first(const struct lock_table *table, uint64_t address);
/* Adds a copy of *record to the end of its address's list, and returns its number. */
uint32_t lock_table_append(struct lock_table *table, const struct lock_record *record);
/* Whether it is the number of a record of the address. */
static inline bool lock_table_has(const struct lock_table *table, uint64_t address, uint32_t record)
{
	return record < table->room && table->taken[record / 64] >> record % 64 & 1 &&
	       table->records[record].address == address;
}
void lock_table_to_front(struct lock_table *table, uint32_t record);
void lock_table_remove(struct lock_table *table, uint32_t record);

/* Starts the record's timer (it must have a time limit), or stops it, if it runs. */
void lock_table_arm(struct lock_table *table, uint32_t record);
void lock_table_disarm(struct lock_table *table, uint32_t record);
/* The record that times out first; LOCK_NO_RECORD: there is none. */
static inline uint32_t lock_table_next_timer(const struct lock_table *table)
{
	return table->timer_count ? table->timers[0] : LOCK_NO_RECORD;
}

#endif
