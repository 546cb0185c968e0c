/* When the atomics of one slice complete: so many lanes a cycle, and an interval between two on the same word.
 *
 * Atomics on different words do not wait for each other. apply_atomic carries out the operations, in order of
 * acceptance. */
#ifndef LOCKSTEP_MEMORY_ATOMIC_UNIT_H
#define LOCKSTEP_MEMORY_ATOMIC_UNIT_H

#include "memory/message.h"

/* Words of recent atomics.  A word that is no longer busy need not be kept: its entry is free. */
#define ATOMIC_WORDS 256
struct atomic_word {
	uint64_t word, free_at;
};

struct atomic_unit {
	uint32_t interval, rate;
	uint64_t cycle; /* the next lane operation starts here or later */
	uint32_t used;  /* started in that cycle */
	uint64_t operations, conflicts, conflict_cycles;
	struct atomic_word words[ATOMIC_WORDS];
};

/* Serves the entries in order, from core cycle `start` on; returns the cycle in which the last is done. */
uint64_t atomic_unit_serve(
	struct atomic_unit *unit, const struct atomic_entry *entries, uint32_t count, uint64_t start);
void atomic_unit_restart(struct atomic_unit *unit); /* forgets times and counts */

#endif
