/* Threads and words of memory, as messages about hangs name them. */
#ifndef LOCKSTEP_EXPLORE_NAMES_H
#define LOCKSTEP_EXPLORE_NAMES_H

#include "machine/state/machine.h"

/* "group (0,0,0) thread (1,0,0)"; group and thread are flat.  In the arena. */
const char *name_of_thread(struct arena *arena, const struct launch_values *values, uint32_t group, uint32_t thread);
/* "0x10000000 (buf 'lock' + 0x0)", the address alone where its buffer has no name,
 * "shared memory + 0x8" of space_SHARED.  In the arena. */
const char *name_of_word(struct arena *arena, const struct address_space *memory, uint8_t space, uint64_t address);
/* The value of a word of so many bytes; those just below 0 as numbers with a sign, since they are seldom meant without:
 * "-5".  In the arena. */
const char *name_of_value(struct arena *arena, uint32_t bytes, uint64_t value);

#endif
