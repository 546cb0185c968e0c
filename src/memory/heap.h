/* The heap of device malloc and free: blocks of one allocation of global memory, for as long as the GPU exists. */
#ifndef LOCKSTEP_MEMORY_HEAP_H
#define LOCKSTEP_MEMORY_HEAP_H

#include "memory/address_space.h"

#define HEAP_CLASSES 40

struct heap_block;
struct heap_state;

struct heap {
	uint64_t address;          /* 0: none yet */
	uint64_t bytes;            /* how large it is, or will be */
	struct heap_block *blocks; /* per unit of 16 bytes; only the first of a block counts */
	/* lists of free blocks, by the highest bit of their size in units; a unit plus one, 0: empty */
	uint32_t free[HEAP_CLASSES];
};

/* Takes the heap's memory, when a kernel that calls malloc or free is first launched.  Without room it stays empty. */
void heap_open(struct heap *heap, struct address_space *space);
/* The address of so many bytes, aligned to 16; 0 when there is no such block, or none is asked for. */
uint64_t heap_allocate(struct heap *heap, uint64_t bytes);
/* False: not the start of a block in use. */
bool heap_free(struct heap *heap, uint64_t address);

/* Which blocks there are and which are in use; later it can be so again.  The blocks' contents are memory as other
 * memory is. */
struct heap_state *heap_save(const struct heap *heap, struct arena *arena);
void heap_restore(struct heap *heap, const struct heap_state *state);

#endif
