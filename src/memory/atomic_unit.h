/* When the atomics of one slice complete: so many lanes a cycle, and an interval between two on the same word.
 *
 * Atomics on different words do not wait for each other. apply_atomic carries out the operations, in order of
 * acceptance.  Rate and interval depend on what is computed with, and are in cycles of a clock of the unit's own. */
#ifndef LOCKSTEP_MEMORY_ATOMIC_UNIT_H
#define LOCKSTEP_MEMORY_ATOMIC_UNIT_H

#include "memory/message.h"
#include "model/model.h"

/* Words of recent atomics.  A word that is no longer busy need not be kept: its entry is free. */
#define ATOMIC_WORDS 256
struct atomic_word {
	uint64_t word, free_at;
};

/* What an atomic computes with; compare-and-swap and exchange compute nothing and count as integers. */
enum atomic_numbers { ATOMIC_INTEGERS, ATOMIC_FLOATS, ATOMIC_DOUBLES, ATOMIC_NUMBERS };

/* Times inside the unit: parts of a core cycle. */
#define ATOMIC_PARTS_BITS 12

struct atomic_unit {
	uint32_t interval[ATOMIC_NUMBERS]; /* parts */
	uint32_t rate[ATOMIC_NUMBERS];
	uint32_t period;  /* of its clock, in parts */
	uint64_t cycle;   /* the next lane operation starts in this cycle of it, which begins at this time, or later */
	uint32_t used;    /* started in that cycle */
	uint32_t numbers; /* and of these */
	uint64_t operations, conflicts, conflict_cycles;
	struct atomic_word words[ATOMIC_WORDS];
};

static inline enum atomic_numbers atomic_numbers_of(const struct atomic_payload *atomic)
{
	enum ptx_type_kind kind = ptx_types[atomic->type].kind;
	if (kind != KIND_FLOAT && kind != KIND_PACKED)
		return ATOMIC_INTEGERS;
	return atomic->bytes == 8 ? ATOMIC_DOUBLES : ATOMIC_FLOATS;
}

void atomic_unit_create(struct atomic_unit *unit, const struct gpu_model *model);
/* Serves the entries in order, from core cycle `start` on; returns the core cycle in which the last is done. */
uint64_t atomic_unit_serve(struct atomic_unit *unit, enum atomic_numbers numbers, const struct atomic_entry *entries,
	uint32_t count, uint64_t start);

#endif
