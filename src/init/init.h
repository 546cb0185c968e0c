/* Uninitialised reads: bytes that were read, and that nothing had written.
 *
 * THE RULE.  PTX promises values of memory only where something wrote it: variables of a module (PTX ISA 8.5, 5.4.4,
 * "Initializers": without one they are zero), parameters, and what host or device stored.  Shared memory begins with
 * its work-group and local memory with its thread, both with nothing in them (5.1.7 and 5.1.5); global memory when it
 * is given, by the host or by device malloc.  An atomic reads and writes; an exchange whose result is not used only
 * writes.  A load whose result is not used reads nothing, as do the elements of a vector that go nowhere; nor does the
 * word count that comes with a lock bit, since mostly the bit alone is meant.
 *
 * An asynchronous copy uses nothing: what its source has no contents of, its destination has none of behind it.
 *
 * A read of bytes some of which have contents is a suspicion: padding that goes with a structure looks like that.
 *
 * WHAT IS KEPT.  A bit for each byte: nothing has written it yet.  So what is told of no memory counts as written.
 *
 * It includes nothing of the machine: an observer (machine/observe/init.c) says what happens. */
#ifndef LOCKSTEP_INIT_INIT_H
#define LOCKSTEP_INIT_INIT_H

#include "found/found.h"

/* A bit for each byte of a piece of memory: set while nothing has written it. */
struct init_bits {
	uint64_t *words;
	uint64_t base, bytes, capacity;
	uint64_t left; /* how many are set */
};

#define INIT_MOST_BYTES 32 /* that one lane's access has */

/* Bits of `bytes` bytes from address 0 on, all set; the same memory again where there is enough of it. */
void init_bits_begin(struct init_bits *bits, struct arena *arena, uint64_t bytes);
/* Bytes get contents, or have none any more.  Others may read other bits meanwhile. */
void init_bits_define(struct init_bits *bits, uint64_t at, uint64_t bytes);
void init_bits_undefine(struct init_bits *bits, uint64_t at, uint64_t bytes);
/* How many bytes there have none, and the first of them. */
uint64_t init_bits_count(const struct init_bits *bits, uint64_t at, uint64_t bytes, uint64_t *first);

/* Of at most INIT_MOST_BYTES bytes those without contents: bit 0 is the first. */
static inline uint32_t init_bits_at(const struct init_bits *bits, uint64_t at, uint32_t bytes)
{
	uint64_t from = at - bits->base, shift = from % 64, found;

	found = __atomic_load_n(&bits->words[from / 64], __ATOMIC_RELAXED) >> shift;
	if (shift + bytes > 64)
		found |= __atomic_load_n(&bits->words[from / 64 + 1], __ATOMIC_RELAXED) << (64 - shift);
	return (uint32_t)(found & ((1ull << bytes) - 1));
}

static inline bool init_bits_any(const struct init_bits *bits)
{
	return __atomic_load_n(&bits->left, __ATOMIC_RELAXED) != 0;
}

/* Of a GPU. */
struct inits {
	struct found_list *found;
	struct init_bits global;
	bool carried; /* copies have brought bytes without contents to global memory */
};

/* All memory is of the arena of `found`; `bytes` from `base` on are global memory, and count as written at first. */
struct inits *inits_create(struct found_list *found, uint64_t base, uint64_t bytes);

#endif
