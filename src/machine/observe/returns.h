/* The states that warps have come back to, over many windows of the watcher (watch.h): a warp that waits where all
 * others wait too comes back to the same few states again and again, while one that makes progress, however slowly,
 * comes back to a state in which it has never been. */
#ifndef LOCKSTEP_MACHINE_OBSERVE_RETURNS_H
#define LOCKSTEP_MACHINE_OBSERVE_RETURNS_H

#include "util/arena.h"

#include <stdint.h>

/* A set of hashes of 64 bits.  Zero-initialised: empty.  Two states of the same hash count as one: a new state is then
 * missed, once in 2^64 pairs. */
struct returns {
	uint64_t *slot;       /* open addressing; 0 is free */
	uint32_t count, size; /* states; slots: a power of two, or 0 */
};

/* Adds the state of a warp, `bytes` at `state`; `warp` tells the warps of the machine apart.  Whether it is new. */
bool returns_add(struct arena *arena, struct returns *returns, uint32_t warp, const uint8_t *state, size_t bytes);
/* Forgets all; the room is kept. */
void returns_clear(struct returns *returns);

#endif
